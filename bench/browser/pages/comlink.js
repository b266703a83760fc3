/** It has no pool: two workers take the tasks in turn. */
import { transfer, wrap } from "comlink"
import { takeTurns } from "./contender.js"

const start = () => wrap(new Worker(new URL("comlink-worker.js", import.meta.url), { type: "module" }))
const workers = [start(), start()]
let turn = 0
const next = () => workers[turn++ & 1]

await takeTurns({
  add: (a, b) => next().add(a, b),
  echo: (bytes) => next().echo(bytes),
  move: (bytes) => next().move(transfer(bytes, [bytes.buffer])),
})
