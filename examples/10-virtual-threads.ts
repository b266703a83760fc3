/**
 * Futures: waiting with a limit, looking without waiting, and stopping a task.
 *
 * Giving up a wait is not the same as stopping the work: `get(50)` leaves the task alone, `cancel(true)` interrupts it.
 */
import { setTimeout as delay } from "node:timers/promises"
import { CancellationError, Executors, InterruptedError, Thread, TimeoutError, virtualThreads } from "corepool"

await using pool = Executors.newFixedThreadPool(1, virtualThreads())

async function report(): Promise<string> {
  try {
    await Thread.sleep(60_000) // every wait of corepool ends when its thread is interrupted
    return "the report"
  } catch (error) {
    if (error instanceof InterruptedError) console.log("report: interrupted, tidying up")
    throw error
  }
}

const future = pool.submit(report)
try {
  await future.get(50)
} catch (error) {
  console.log(`no report within 50 ms: ${error instanceof TimeoutError}`)
}
console.log(`the task goes on: ${future.state}`)

console.log(`cancelled: ${future.cancel(true)}`)
try {
  await future
} catch (error) {
  console.log(`whoever awaits it is told: ${error instanceof CancellationError}`)
}
console.log(`a second time it has no effect: ${future.cancel(true)}`)

// What is not a wait of corepool is stopped through the thread's signal, as with fetch(url, { signal }).
async function foreignWait(): Promise<void> {
  const { signal } = Thread.currentThread()
  await delay(60_000, undefined, { signal }).catch(() => console.log(`foreign wait: aborted is ${signal.aborted}`))
}
const foreign = pool.submit(foreignWait)
await Thread.sleep(1) // it has begun
foreign.cancel(true)

// A future that is done can be asked without awaiting.
const sum = pool.submit((a: number, b: number) => a + b, 2, 3)
await sum
console.log(`${sum.state}: ${sum.resultNow()}`)

// Output:
// no report within 50 ms: true
// the task goes on: running
// cancelled: true
// report: interrupted, tidying up
// whoever awaits it is told: true
// a second time it has no effect: false
// foreign wait: aborted is true
// success: 5
