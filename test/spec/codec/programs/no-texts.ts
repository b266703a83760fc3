/** A program that forbids to make functions of texts: run with --disallow-code-generation-from-strings. */
import { Executors, TaskNotPortableError } from "corepool"
import { relabel } from "./relabel.ts"

await using pool = Executors.newFixedThreadPool(1)
let sum = 0
// Often enough for the codec to want a function for these keys.
for (let id = 0; id < 500; id++) sum += (await pool.submit(relabel, { id, name: "x", at: new Date(id) })).id
console.log(sum)
try {
  void pool.submit((n: number) => n + 1, 1)
} catch (error) {
  console.log(error instanceof TaskNotPortableError)
}
