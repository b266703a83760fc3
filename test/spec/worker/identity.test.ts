/** A worker thread has one corepool: that of its program is that of the modules of its tasks. */
import { ArrayBlockingQueue, CountDownLatch, ReentrantLock, Semaphore, tasksOf, TimeoutError } from "corepool"
import { build } from "esbuild"
import assert from "node:assert/strict"
import test from "node:test"
import { Folder, PlatformPool } from "./support.ts"

const tasks = tasksOf<typeof import("./identity-tasks.ts")>(new URL("identity-tasks.js", import.meta.url))

test("[WK63] what a task is given is of the classes that its module imports", async () => {
  await using own = new PlatformPool()
  const said = await own.pool.submit(tasks.kinds, {
    lock: new ReentrantLock(),
    queue: new ArrayBlockingQueue(1),
    latch: new CountDownLatch(1),
    semaphore: new Semaphore(1),
    pool: own.pool,
    error: new TimeoutError("late"),
  })
  assert.deepEqual(said, {
    lock: [true, true],
    queue: [true, true],
    latch: [true, true],
    semaphore: true,
    pool: true,
    error: [true, true],
    thread: true,
  })
})

test("[WK63] a task can use the pool that it runs in with what its module imports", async () => {
  await using own = new PlatformPool({}, { corePoolSize: 2, maximumPoolSize: 2 })
  assert.deepEqual(await own.pool.submit(tasks.useThePool, own.pool), [8, 10])
})

const BUNDLED_TASKS = `
  import { ExecutorCompletionService, ReentrantLock, Thread, ThreadPoolExecutor } from "corepool"
  export const double = (n) => 2 * n
  export async function use(lock, pool) {
    const service = new ExecutorCompletionService(pool)
    service.submit((n) => 2 * n, 4)
    return [
      lock instanceof ReentrantLock,
      Thread.currentThread() instanceof Thread,
      await (await service.take()).future,
      await ThreadPoolExecutor.from(pool).submit((n) => 2 * n, 5),
    ]
  }
  export { ReentrantLock }`

const BUNDLED_PROGRAM = `
  import { Executors, ReentrantLock, tasksOf } from "corepool"
  const url = new URL("./tasks.mjs", import.meta.url)
  const pool = Executors.newFixedThreadPool(2)
  const said = await pool.submit(tasksOf(url).use, new ReentrantLock(), pool)
  await pool.close()
  const other = await import(url)
  console.log(JSON.stringify([...said, new ReentrantLock() instanceof other.ReentrantLock]))`

for (const minify of [false, true]) {
  test(`[WK63] so it is if the program and its tasks are bundled, each with a copy of corepool; minified: ${minify}`, async () => {
    using folder = new Folder()
    folder.write("tasks.js", BUNDLED_TASKS)
    folder.write("program.js", BUNDLED_PROGRAM)
    for (const name of ["tasks", "program"]) {
      await build({
        absWorkingDir: folder.path,
        entryPoints: [`${name}.js`],
        outfile: `out/${name}.mjs`,
        bundle: true,
        platform: "node",
        format: "esm",
        conditions: ["shipped"],
        minify,
      })
    }
    await using running = folder.start("out/program.mjs")
    assert.deepEqual(JSON.parse((await running.lines()).join("\n")), [true, true, 8, 10, true])
  })
}

test("[WK64] threads of a program that runs from the files of the package need no text of their program", async () => {
  using folder = new Folder()
  await using running = folder.start(
    "program.mjs",
    `import "corepool/atomic" // a CommonJS module
     import { Executors } from "corepool"
     import { createRequire } from "node:module"
     const { cache } = createRequire(import.meta.url)
     const loaded = (name) => Object.keys(cache).some((path) => path.endsWith(name))
     const pool = Executors.newFixedThreadPool(1)
     console.log(await pool.submit((n) => n + 1, 1), loaded("atomic.cjs"), loaded("code-main.cjs"))
     await pool.close()`,
    ["--conditions=shipped"],
  )
  assert.deepEqual(await running.lines(), ["2 true false"])
})
