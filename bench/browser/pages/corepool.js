import { Executors } from "/corepool/index.js"
import { takeTurns } from "./contender.js"
import { add, echo, move } from "./corepool-tasks.js"

const pool = Executors.newFixedThreadPool(2)
await takeTurns({
  add: (a, b) => pool.submit(add, a, b),
  echo: (bytes) => pool.submit(echo, bytes),
  move: (bytes) => pool.with({ transfer: [bytes.buffer] }).submit(move, bytes),
})
