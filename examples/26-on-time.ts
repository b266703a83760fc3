/**
 * A series on a worker thread, while the main thread has no time for it.
 *
 * The worker takes the task from shared memory when it is due; the main thread has no part in that, and may compute
 * or block. A run that takes too long delays those after it, which are made up for, one after the other: at a fixed rate
 * none is left out, and none overlaps another.
 */
import { Executors } from "corepool"
import { beat } from "./support/beats.js"

const PERIOD = 20

await using timers = Executors.newScheduledThreadPool(1)

// Once to begin with: then the thread has started, and knows the task and the shared memory.
const words = new Int32Array(new SharedArrayBuffer(4))
await timers.submit(beat, words, PERIOD)
Atomics.store(words, 0, 0)
const start = performance.now()
const series = timers.scheduleAtFixedRate(beat, 0, PERIOD, words, PERIOD)

// The main thread is busy: no timer of its own could fire. One run is due every 20 ms, and the third lasts for 120.
while (Atomics.load(words, 0) < 10) Math.sqrt(start)
console.log(`10 runs, in 9 periods or more: ${performance.now() - start >= 9 * PERIOD}`)

// How long after they were due runs have begun: those behind the long one by up to 5 periods, and then less and less.
const { lateness } = timers.stats()
console.log(`the latest was 5 periods late, or more: ${lateness.max > 4.9 * PERIOD}`)

console.log(series.isPeriodic, series.state)
series.cancel()
console.log(series.state, series.nextRunAt)

// Output:
// 10 runs, in 9 periods or more: true
// the latest was 5 periods late, or more: true
// true running
// cancelled undefined
