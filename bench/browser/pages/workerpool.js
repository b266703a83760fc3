import workerpool from "workerpool"
import { takeTurns } from "./contender.js"

const pool = workerpool.pool(new URL("workerpool-worker.js", import.meta.url).href, {
  minWorkers: 2,
  maxWorkers: 2,
  workerType: "web",
  workerOpts: { type: "module" },
})
await takeTurns({
  add: (a, b) => pool.exec("add", [a, b]),
  echo: (bytes) => pool.exec("echo", [bytes]),
  move: (bytes) => pool.exec("move", [bytes], { transfer: [bytes.buffer] }),
})
