/**
 * What another thread can run.
 *
 * Threads share no functions. A task is found by the other thread: in a module, by `task` or `tasksOf`; or its source is sent.
 * What cannot be found, or would not be the same over there, is refused with an error that says what to do.
 */
import { Executors, task, TaskNotPortableError, tasksOf } from "corepool"
import { countPrimes } from "./support/primes.ts"

await using pool = Executors.newFixedThreadPool(1)

// 1. A function that its module has made a task. It is still a function.
console.log(countPrimes(0, 100), await pool.submit(countPrimes, 0, 100))

// 2. A module that knows nothing of corepool. It is not loaded here, only over there; the types are known all the same.
const words = tasksOf<typeof import("./support/words.ts")>(new URL("./support/words.js", import.meta.url))
const text = "The quick brown fox jumps over the lazy dog, and the dog barks"
console.log(await pool.submit(words.longestWord, text))
const counts = await pool.submit(words.countWords, text) // a Map, as the function returns it
console.log(counts.get("the"), counts.get("dog"), counts.get("cat"))

// 3. A function in place: as source, once for each thread. It brings what it needs, or imports it.
const hash = async (content: string): Promise<string> => {
  const { createHash } = await import("node:crypto")
  return createHash("sha256").update(content).digest("hex").slice(0, 8)
}
console.log(await pool.submit(hash, "corepool"))

// Not portable: a variable outside of the function. The error names it.
const rate = 1.19
const captured = pool.submit((net: number) => net * rate, 100)
await captured.get().catch((error: unknown) => console.log(firstSentence(error)))

// Not portable: a task of the module with which the program starts. Importing it would start the program again.
const misplaced = task(import.meta.url, function misplaced() {
  return 1
})
try {
  pool.submit(misplaced)
} catch (error) {
  console.log(firstSentence(error))
}

function firstSentence(error: unknown): string {
  if (!(error instanceof TaskNotPortableError)) throw error
  return `${error.code}: ${error.message.split(/[.:] /)[0]}`
}

// Output:
// 25 25
// quick
// 3 2 undefined
// 89233d76
// ERR_COREPOOL_TASK_NOT_PORTABLE: The task refers to `rate`, which does not exist in the thread that runs it
// ERR_COREPOOL_TASK_NOT_PORTABLE: Task `misplaced` is defined in the module with which the program starts
