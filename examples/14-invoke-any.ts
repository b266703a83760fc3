/**
 * A race: several mirrors, the first one to answer wins, the others are stopped.
 *
 * `Promise.any` lets the losers go on. `invokeAny` cancels them with an interrupt, so their waits end and their signals abort.
 */
import { bind, Executors, InterruptedError, Thread } from "corepool"

const stopped: string[] = []

async function fetchFrom(mirror: string, ms: number): Promise<string> {
  try {
    await Thread.sleep(ms)
  } catch (error) {
    if (error instanceof InterruptedError) stopped.push(mirror)
    throw error
  }
  if (mirror === "oslo") throw new Error("oslo is down")
  return `the file, from ${mirror}`
}

const executor = Executors.newVirtualThreadPerTaskExecutor()

// bind() makes a task of a function and its arguments.
const file = await executor.invokeAny([
  bind(fetchFrom, "tokyo", 60_000),
  bind(fetchFrom, "oslo", 1),
  bind(fetchFrom, "paris", 30),
  bind(fetchFrom, "lima", 60_000),
])
console.log(file)

await executor.close()
console.log(`stopped: ${stopped.join(", ")}`)

// The counterpart waits for all, each with its own outcome.
await using pool = Executors.newVirtualThreadPerTaskExecutor()
const futures = await pool.invokeAll([bind(fetchFrom, "oslo", 1), bind(fetchFrom, "paris", 1)])
console.log(futures.map((future) => future.state).join(", "))

// Output:
// the file, from paris
// stopped: tokyo, lima
// failed, success
