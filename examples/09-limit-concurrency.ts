/**
 * Limiting concurrency: what p-limit and p-queue are used for.
 *
 * `pool.submit(fn, ...args)` stands where `limit(() => fn(...args))` stood. Futures are thenables, so `Promise.all`, `await` and
 * `Promise.race` take them as they are.
 */
import { Executors, Thread, virtualThreads } from "corepool"

let running = 0
let most = 0

async function loadUser(id: number): Promise<string> {
  most = Math.max(most, ++running)
  await Thread.sleep(10)
  running--
  if (id === 4) throw new Error("user 4 is gone")
  return `user ${id}`
}

await using pool = Executors.newFixedThreadPool(3, virtualThreads())

// All of them, three at a time.
const users = await Promise.all([1, 2, 3, 5, 6, 7].map((id) => pool.submit(loadUser, id)))
console.log(users.join(", "))
console.log(`at most ${most} at a time`)

// A task's own error comes out of its future, and out of no other.
const outcomes = await Promise.allSettled([3, 4, 5].map((id) => pool.submit(loadUser, id)))
console.log(outcomes.map((outcome) => outcome.status).join(", "))

// Nobody awaits this future. Its failure stays inside: no unhandled rejection ends the program.
const forgotten = pool.submit(loadUser, 4)
await pool.close()
console.log(`${forgotten.state}: ${String(forgotten.exceptionNow())}`)

// Output:
// user 1, user 2, user 3, user 5, user 6, user 7
// at most 3 at a time
// fulfilled, rejected, fulfilled
// failed: Error: user 4 is gone
