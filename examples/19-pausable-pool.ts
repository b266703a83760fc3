/**
 * A pool that is paused and resumed.
 *
 * What runs goes on, and what is submitted meanwhile is queued. `awaitQuiescence` waits until nothing is queued and
 * nothing runs. The pool goes on afterwards: it need not be shut down to know that it is done.
 */
import { Executors, virtualThreads } from "corepool"

await using pool = Executors.newFixedThreadPool(1, virtualThreads())
const done: number[] = []
const work = (n: number): number => done.push(n)

await pool.submit(work, 1)
pool.pause()
for (const n of [2, 3, 4]) pool.execute(work, n)
console.log(`paused: ${done.join(" ")}, ${pool.queue.size} queued, quiescent: ${await pool.awaitQuiescence(10)}`)

pool.resume()
await pool.awaitQuiescence()
console.log(`resumed: ${done.join(" ")}`)

// Output:
// paused: 1, 3 queued, quiescent: false
// resumed: 1 2 3 4
