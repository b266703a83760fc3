/** What its workers return cannot be handed over, so it is not in the bout of moved buffers. */
import { FixedThreadPool, PoolEvents } from "poolifier-web-worker"
import { takeTurns } from "./contender.js"

const pool = new FixedThreadPool(2, new URL("poolifier-worker.js", import.meta.url), {
  workerOptions: { type: "module" },
})
// Before that it refuses tasks.
if (!pool.info.ready) await new Promise((resolve) => pool.eventTarget.addEventListener(PoolEvents.ready, resolve))
await takeTurns({
  add: (a, b) => pool.execute({ a, b }, "add"),
  echo: (bytes) => pool.execute(bytes, "echo"),
})
