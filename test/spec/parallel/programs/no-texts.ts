/** A program that forbids to make functions of texts: run with --disallow-code-generation-from-strings. */
import { ForkJoinPool, parallelReduce, parallelSort } from "corepool"
import { sum } from "../tasks.ts"

await using pool = new ForkJoinPool({ parallelism: 2 })
const numbers = Float64Array.from({ length: 50_000 }, (_, i) => (i * 7919) % 50_000)
console.log(await parallelReduce(numbers, sum, { pool }))
await parallelSort(numbers, { pool })
console.log(numbers.every((number, i) => number === i))
