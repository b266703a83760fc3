/**
 * A thread for every task: no pool, no queue, no limit.
 *
 * A virtual thread is a few small objects. Ten thousand may wait at the same time, and each of them is still a
 * thread, with a name, an interrupt flag and a signal.
 */
import { Executors, Thread, virtualThreads } from "corepool"

await using executor = Executors.newVirtualThreadPerTaskExecutor()

const futures = Array.from({ length: 10_000 }, (_, n) =>
  executor.submit(async () => {
    await Thread.sleep(20)
    return n
  }),
)
console.log(`${executor.threadCount} threads`)

let sum = 0
for (const future of futures) sum += await future
console.log(`sum: ${sum}`)

// With a factory the threads have names, and a handler for what they throw.
const named = Executors.newThreadPerTaskExecutor(
  virtualThreads({
    name: (n) => `visitor-${n}`,
    uncaughtException: (thread, error) => console.log(`${thread.name} threw ${String(error)}`),
  }),
)
// The thread travels with the code, across awaits and into the functions it calls.
async function whoAmI(): Promise<string> {
  await Thread.sleep(1)
  return Thread.currentThread().name
}
console.log(await named.submit(whoAmI), await named.submit(whoAmI))

// execute() has no future: an error goes to the thread's handler.
named.execute(() => {
  throw new Error("lost my way")
})
await named.close()
console.log(`${named.threadCount} left, terminated: ${named.isTerminated}`)

// Output:
// 10000 threads
// sum: 49995000
// visitor-1 visitor-2
// visitor-3 threw Error: lost my way
// 0 left, terminated: true
