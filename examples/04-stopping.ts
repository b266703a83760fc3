/**
 * Stopping what runs: first by asking, and if that does not help, by ending the thread.
 *
 * An interrupt is a request. A task hears of it by `Thread.interrupted()`, by `Thread.currentThread().signal`, and by
 * `InterruptedError` out of every wait of corepool. One that does not listen is ended together with its thread, `terminateAfter`
 * ms later, and the pool makes a new thread.
 */
import { Executors, platformThreads, TimeoutError } from "corepool"
import { rest, search, spin, whoAmI } from "./support/loops.ts"

const pool = Executors.newFixedThreadPool(1, platformThreads({ name: "worker", terminateAfter: 500 }))

await pool.submit(whoAmI) // loads the module of the tasks, which takes time, too

// A time limit counts from the start of the task. When it is over, the task fails and its thread is interrupted.
for (const task of [search, rest]) {
  try {
    await pool.with({ timeout: 20 }).submit(task)
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw error
    // Both have listened, so the next task has the same thread.
    console.log(`${error.message}; next: ${await pool.submit(whoAmI)}`)
  }
}

// The future is cancelled at once. The endless loop, which does not listen, lasts for another 500 ms.
const endless = pool.submit(spin)
await endless.get(200).catch(() => console.log(`after 200 ms: ${endless.state}`))
console.log(`cancel: ${endless.cancel(true)}, ${endless.state}`)
console.log(`next: ${await pool.submit(whoAmI)}`)

// What waits in the queue is just taken out of it: it never starts.
const running = pool.submit(search)
const waiting = pool.submit(spin)
console.log(`cancel: ${waiting.cancel(true)}, ${waiting.state}`)
await running.get(200).catch(() => undefined)

// shutdownNow() interrupts what runs. The search hears it and returns, so the pool ends.
pool.shutdownNow()
console.log(`ended: ${await pool.awaitTermination(60_000)}`)

// Output:
// worker-1: told to stop, and tidying up
// The task did not end within 20 ms; next: worker-1
// worker-1: woken up
// The task did not end within 20 ms; next: worker-1
// after 200 ms: running
// cancel: true, cancelled
// next: worker-2
// cancel: true, cancelled
// worker-2: told to stop, and tidying up
// ended: true
