/** Platform threads on Web Workers: docs/spec/browser.md. */
import assert from "node:assert/strict"
import { after, test } from "node:test"
import { inPage as inPageWith } from "./harness.ts"
import { closeBrowser, open } from "./pages.ts"
import { TASKS } from "./tasks.ts"

after(closeBrowser)

const MODULES = {
  "/tasks.js": TASKS,
  "/strict.js": `
    import { Executors } from "/corepool/index.js"
    import { add } from "/tasks.js"
    const pool = Executors.newFixedThreadPool(1)
    const seen = [await pool.submit(add, 1, 2)]
    try { seen.push(await pool.submit((n) => n, 1)) } catch (error) { seen.push(error.name) }
    await pool.close()
    dispatchEvent(new CustomEvent("told", { detail: seen.map(String) }))`,
  "/own-worker.js": `
    import "/corepool/worker.js"
    import "/named.js"`,
  "/named.js": `
    import { task } from "/corepool/index.js"
    export const double = task("app:tasks", function double(n) { return 2 * n })`,
}

const inPage = <T>(body: string): Promise<T> => inPageWith<T>(body, MODULES)

test("[BR13] a fixed pool runs tasks of modules and functions in place", async () => {
  const seen = await inPage<string[]>(`
    const pool = Executors.newFixedThreadPool(2)
    const seen = [
      await pool.submit(t.add, 1, 2), await pool.submit(t.later, "later"), await pool.submit((n) => 2 * n, 4),
      await pool.submit(t.fail).then(String, (error) => [error instanceof RangeError, error.message].join()),
      await pool.submit(t.name), (await pool.invokeAll([[t.add, 1, 1], [t.add, 2, 2]].map(([f, ...a]) => corepool.bind(f, ...a)))).map((f) => f.resultNow()).join(),
      (await pool.submit(t.fill, 100_000)).length, await pool.submit(t.sum, new Uint8Array(100_000).fill(1)),
    ]
    await pool.close()
    return [...seen, pool.isTerminated].map(String)`)
  const name = seen.splice(4, 1)[0]
  assert.match(name ?? "", /^pool-1-thread-[12]$/)
  assert.deepEqual(seen, ["3", "later", "8", "true,no", "2,4", "100000", "100000", "true"])
})

test("[BR13] cached, scheduled and single pools", async () => {
  const seen = await inPage<string[]>(`
    const cached = Executors.newCachedThreadPool()
    const seen = (await Promise.all([1, 2, 3].map((n) => cached.submit(t.add, n, 1))))
    await cached.close()
    const timers = Executors.newScheduledThreadPool(1)
    seen.push(await timers.schedule(t.add, 1, 1, 2))
    const queue = new LinkedBlockingQueue()
    const series = timers.scheduleAtFixedRate((q) => void q.offer("tick"), 0, 1, queue)
    seen.push(await queue.take(), await queue.take())
    series.cancel(false)
    await timers.close()
    const single = Executors.newSingleThreadExecutor()
    seen.push(await single.submit(t.later, "alone"))
    await single.close()
    return seen.map(String)`)
  assert.deepEqual(seen, ["2", "3", "4", "3", "tick", "tick", "alone"])
})

test("[BR13] fork/join and parallel algorithms", async () => {
  const seen = await inPage<string[]>(`
    const pool = new ForkJoinPool({ parallelism: 2 })
    const seen = [await pool.invoke(new t.Fib(22))]
    const numbers = Float64Array.from({ length: 200_000 }, (_, i) => (i * 7919) % 200_003)
    await parallelSort(numbers, { pool })
    seen.push(numbers.every((n, i) => i === 0 || numbers[i - 1] <= n))
    seen.push((await parallelMap(new Int32Array([1, 2, 3]), (n) => n * n, { pool })).join())
    await pool.close()
    return seen.map(String)`)
  assert.deepEqual(seen, ["17711", "true", "1,4,9"])
})

test("[BR13] the page and the threads share locks and queues", async () => {
  const seen = await inPage<unknown[]>(`
    const pool = Executors.newFixedThreadPool(2)
    const lock = new ReentrantLock()
    const words = new Int32Array(new SharedArrayBuffer(4))
    const counting = [1, 2].map(() => pool.submit(t.count, lock, words, 500))
    for (let i = 0; i < 100; i++) {
      const guard = await lock.lock()
      words[0] = words[0] + 1
      guard.unlock()
    }
    await Promise.all(counting)
    const queue = new LinkedBlockingQueue()
    const taken = pool.submit(t.take, queue)
    await queue.put("element")
    const seen = [words[0], await taken]
    await pool.close()
    return seen`)
  assert.deepEqual(seen, [1100, "element"])
})

test("[BR14] a thread knows itself, also after an await", async () => {
  assert.deepEqual(
    await inPage<string[]>(`
      const pool = Executors.newFixedThreadPool(1)
      const seen = [await pool.submit(t.name), await pool.submit(t.nameLater)]
      await pool.close()
      return seen`),
    ["pool-1-thread-1", "pool-1-thread-1"],
  )
})

test("[BR12] under a strict policy tasks of modules run, and functions in place are refused", async () => {
  await using opened = await open({ isolated: true, modules: MODULES, policy: "default-src 'self'" })
  // The page may not evaluate the test's text either: a module of its own runs it.
  const told = await opened.page.evaluate<string[]>(
    `new Promise((resolve) => { addEventListener("told", (event) => resolve(event.detail)); const script = document.createElement("script"); script.type = "module"; script.src = "/strict.js"; document.head.append(script) })`,
  )
  assert.deepEqual(told, ["3", "TaskNotPortableError"])
})

test("[BR16] a worker of the program's own, with the tasks in it", async () => {
  const seen = await inPage<unknown[]>(`
    const { double } = await import("/named.js")
    const made = []
    const workerFactory = (options) => {
      made.push(options.name)
      return new Worker("/own-worker.js", { type: "module", name: options.name })
    }
    const pool = Executors.newFixedThreadPool(1, corepool.platformThreads({ workerFactory }))
    const seen = [await pool.submit(double, 4), await pool.submit(t.close).then(String, (error) => error.name), await pool.submit(double, 5)]
    await pool.close()
    const wrong = Executors.newFixedThreadPool(1, corepool.platformThreads({ workerFactory: () => ({}) }))
    try { await wrong.submit(double, 1) } catch (error) { seen.push([error.name, error.cause?.message ?? error.message].join()) }
    return [...seen, made.length]`)
  const wrong = seen.splice(3, 1)[0]
  assert.deepEqual(seen, [8, "ThreadDeathError", 10, 2])
  assert.match(String(wrong), /Expected `workerFactory\(\)` to be a Worker/)
})

test("[BR20] classes of corepool/virtual are the same as those of corepool", async () => {
  const seen = await inPage<boolean[]>(`
    const virtual = await import("/corepool/virtual.js")
    const pool = virtual.newFixedThreadPool(1)
    const future = pool.submit(async (n) => n, 1)
    return [pool instanceof corepool.ThreadPoolExecutor, future instanceof corepool.FutureTask, Executors.newFixedThreadPool(1) instanceof virtual.ThreadPoolExecutor, pool instanceof ForkJoinPool]`)
  assert.deepEqual(seen, [true, true, true, false])
})
