/**
 * A semaphore limits how many tasks do something at the same time, and how much of it.
 *
 * A pool would do if all tasks were alike. Here they are not: a large picture takes three of the four units of memory that
 * there are, a small one takes one. `using` gives them back at the end of the block, also after an error.
 */
import { Executors, Semaphore, Thread } from "corepool"

const memory = new Semaphore(4, { fair: true })
let most = 0

async function convert(picture: string, units: number): Promise<string> {
  using held = await memory.acquire(units)
  most = Math.max(most, 4 - memory.availablePermits)
  await Thread.sleep(5)
  if (picture === "torn") throw new Error("cannot be read")
  held.release() // earlier than at the end of the block: what follows needs no memory
  await Thread.sleep(1)
  return `${picture} done`
}

await using executor = Executors.newVirtualThreadPerTaskExecutor()
const sizes = { sky: 3, sea: 1, torn: 3, tree: 1, town: 3, toad: 1 }
const results = await Promise.allSettled(
  Object.entries(sizes).map(([name, units]) => executor.submit(convert, name, units)),
)
console.log(results.map((result) => (result.status === "fulfilled" ? result.value : String(result.reason))).join(", "))
console.log(`at most ${most} units at a time, and ${memory.availablePermits} free at the end`)

// Who cannot wait asks whether it need not, or says how long it would.
const mine = await memory.acquire(3)
console.log(memory.tryAcquire(2), await memory.tryAcquire(2, 10))
const user = new AbortController()
const wait = memory.acquire(2, { signal: user.signal })
user.abort(new Error("the user went home"))
console.log(await wait.catch(String))

// It is fair: nobody overtakes, however little they want. Only tryAcquire() does.
const large = memory.acquire(2)
const small = memory.acquire(1)
console.log(`${memory.queueLength} in line for ${memory.availablePermits} unit: ${memory.tryAcquire()}`)
memory.release()
mine.release()
await Promise.all([large, small])
console.log(String(memory))

// Output:
// sky done, sea done, Error: cannot be read, tree done, town done, toad done
// at most 4 units at a time, and 4 free at the end
// false false
// Error: the user went home
// 2 in line for 1 unit: true
// Semaphore@1[Permits = 1]
