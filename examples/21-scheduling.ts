/**
 * Tasks with a time: once after a delay, or again and again.
 *
 * Unlike with `setInterval`, runs of a series never overlap, a failure is not lost, the future tells when the next
 * run is due, and shutting down the executor ends them all.
 */
import { CancellationError, Executors, virtualThreads } from "corepool"

await using timers = Executors.newScheduledThreadPool(1, virtualThreads())

// Once. The future is that of any task: await it, limit the wait, cancel it.
const reminder = timers.schedule((name: string) => `time to go, ${name}`, 20, "Ada")
console.log(reminder.state, reminder.isPeriodic, reminder.delay <= 20)
console.log(await reminder)

// At a fixed rate: every 10 ms from start to start. A series ends when it is cancelled, here by its own task.
let ticks = 0
const clock = timers.scheduleAtFixedRate(
  () => {
    console.log(`tick ${++ticks}`)
    if (ticks === 3) clock.cancel()
  },
  0,
  10,
)
await clock.get().catch((error: unknown) => console.log(`the clock: ${error instanceof CancellationError}`))

// With a fixed delay: 5 ms from the end of a run to the start of the next. The first error ends the series and is in
// the future.
let attempts = 0
const poller = timers.scheduleWithFixedDelay(
  async () => {
    attempts++
    await Promise.resolve()
    if (attempts === 2) throw new Error("connection lost")
  },
  0,
  5,
)
await poller.get().catch((error: unknown) => console.log(`attempt ${attempts}: ${String(error)}`))

// After shutdown() what was delayed still runs, and series are cancelled. Both can be set otherwise.
const series = timers.scheduleAtFixedRate(() => console.log("never printed"), 60_000, 60_000)
const last = timers.schedule(() => console.log("closing time"), 20)
await timers.close()
console.log(last.state, series.state)

// Output:
// running false true
// time to go, Ada
// tick 1
// tick 2
// tick 3
// the clock: true
// attempt 2: Error: connection lost
// closing time
// success cancelled
