import { createPool } from "/knitting/index.js"
import { takeTurns } from "./contender.js"
import * as tasks from "./knitting-tasks.js"

const pool = createPool({ threads: 2 })(tasks)
await takeTurns({
  add: (a, b) => pool.call.add([a, b]),
  echo: (bytes) => pool.call.echo(bytes),
})
