/**
 * Time limits: for running, for waiting in the queue, and by a signal.
 *
 * `get(ms)` limits how long you wait for a result. `with({ timeout })` limits how long the task may run: then it fails with
 * TimeoutError and its thread is interrupted, so that the work stops too.
 */
import { Executors, Thread, TimeoutError, virtualThreads } from "corepool"

await using pool = Executors.newFixedThreadPool(1, virtualThreads())

async function slowQuery(): Promise<string> {
  try {
    await Thread.sleep(60_000)
    return "rows"
  } finally {
    console.log("slowQuery has ended")
  }
}

async function reasonOf(future: PromiseLike<unknown>): Promise<string> {
  try {
    return `got ${String(await future)}`
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  }
}

// Counted from its start: time in the queue does not count.
console.log(await reasonOf(pool.with({ timeout: 20 }).submit(slowQuery)))

// Counted until its start: who is not served in time leaves the queue, and the task never runs.
const blocker = pool.submit(slowQuery)
const impatient = pool.with({ queueTimeout: 20 }).submit(() => console.log("never printed"))
console.log(await reasonOf(impatient))
console.log(`still in the queue: ${pool.queue.size}`)
blocker.cancel(true)

// A signal cancels every task given through the view: running, waiting or yet to come.
const request = new AbortController()
const ofRequest = pool.with({ signal: request.signal })
const futures = [ofRequest.submit(slowQuery), ofRequest.submit(slowQuery)]
await Thread.sleep(1) // the first one has begun
request.abort(new Error("the client has gone"))
console.log(futures.map((future) => future.state).join(", "))

// The limit of a wait is another matter: the task goes on.
const patient = pool.submit(() => Thread.sleep(50).then(() => "in the end"))
await patient.get(5).catch((error: unknown) => console.log(`gave up waiting: ${error instanceof TimeoutError}`))
console.log(await reasonOf(patient))

// Output:
// slowQuery has ended
// TimeoutError: The task did not end within 20 ms
// TimeoutError: The task did not start within 20 ms
// still in the queue: 0
// slowQuery has ended
// cancelled, cancelled
// slowQuery has ended
// gave up waiting: true
// got in the end
