/** What the tests of platform threads in a page have in common. */
import assert from "node:assert/strict"
import { open, type Opened } from "./pages.ts"
import { TASKS } from "./tasks.ts"

/** Runs it in an isolated page, with the tasks as `t`; the page has thrown nothing that it did not catch. */
export async function inPage<T>(body: string, modules: Readonly<Record<string, string>> = {}): Promise<T> {
  await using opened = await open({ isolated: true, modules: { "/tasks.js": TASKS, ...modules } })
  const result = await ofPage<T>(opened, body)
  assert.deepEqual(opened.uncaught, [])
  return result
}

/** The same in a page that is open. */
export async function ofPage<T>(opened: Opened, body: string): Promise<T> {
  return await opened.run<T>(withTasks(body))
}

/** What a script begins with that uses the tasks. */
export function withTasks(body: string): string {
  return `const t = await import("/tasks.js")
    const { Executors, ForkJoinPool, ReentrantLock, LinkedBlockingQueue, parallelSort, parallelMap } = corepool
    const begun = async (words) => { if (Atomics.load(words, 0) === 0) await Atomics.waitAsync(words, 0, 0).value }
    const newWords = () => new Int32Array(new SharedArrayBuffer(8))
    const nameOf = (promise) => promise.then(String, (error) => error.name)
    ${body}`
}
