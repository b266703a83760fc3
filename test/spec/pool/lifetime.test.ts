/** A pool and the process it lives in. Ids such as [TP104] refer to docs/spec/pool.md. */
import { LinkedBlockingQueue, type Runnable, Thread, ThreadPoolExecutor, virtualThreads } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { setImmediate as turn } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { type Ended, runFile } from "../../support/child.ts"
import { collectGarbage } from "../../support/garbage.ts"
import { eventually, turns } from "../../support/harness.ts"
import { Pools } from "../../support/pools.ts"

/** Runs a program of the folder beside this file to its end. */
function run(program: string): Promise<Ended> {
  return runFile(fileURLToPath(new URL(`./programs/${program}.js`, import.meta.url)))
}

test("[TP104][TP105] a process with idle pools, also such as have yet to time out, exits by itself", async () => {
  assert.deepEqual(await run("idle"), { code: 0, stdout: "true true true\n", stderr: "" })
})

test("[TP106] a process lives until the tasks that sleep, and those behind them, have run", async () => {
  assert.deepEqual(await run("sleeping"), { code: 0, stdout: "slept\nwaited\n", stderr: "" })
})

test("[TP36][TP35] an error that nobody handles is printed with its thread and does not end the process", async () => {
  const { code, stdout, stderr } = await run("uncaught")
  assert.deepEqual([code, stdout], [0, "goes on\n"])
  // What an error looks like is the runtime's choice. Bun shows a piece of the source first.
  assert.match(stderr, /^Exception in thread "worker-1" [^]*[Ee]rror: on purpose\n/)
  assert.doesNotMatch(stderr, /kept in its future/)
})

/** Feeds a pool with tasks, and tells how many of them had yet to run when a timer and an immediate fired. */
async function leftWhenTheLoopTurned(pools: Pools, count: number, task: () => unknown): Promise<number[]> {
  const pool = pools.fixed(4)
  const left: number[] = []
  for (let i = 0; i < count; i++) pool.execute(task)
  setTimeout(() => left.push(count - pool.completedTaskCount), 0)
  setImmediate(() => left.push(count - pool.completedTaskCount))
  await eventually(() => pool.completedTaskCount === count)
  await eventually(() => left.length === 2)
  return left
}

test("[TP107] tasks that never wait let timers and immediates fire", async () => {
  await using pools = new Pools()
  const left = await leftWhenTheLoopTurned(pools, 100_000, () => undefined)
  assert.ok(Math.min(...left) > 0, "they fired when all was over")
})

test("[TP107] nor do tasks that wait for microtasks only hold them up", async () => {
  await using pools = new Pools()
  const left = await leftWhenTheLoopTurned(pools, 100_000, async () => {
    for (let i = 0; i < 3; i++) await Promise.resolve()
  })
  assert.ok(Math.min(...left) > 0, "they fired when all was over")
})

test("[TP107] nor do tasks that all throw, so that every one needs a new thread", async () => {
  await using pools = new Pools()
  const left = await leftWhenTheLoopTurned(pools, 20_000, () => {
    throw new Error("on purpose")
  })
  assert.ok(Math.min(...left) > 0, "they fired when all was over")
  await turns()
  assert.equal(pools.takeUncaught().length, 20_000)
})

test("[TP107] nor does a queue whose every access throws", async () => {
  await using pools = new Pools()
  let broken = true
  class Broken extends LinkedBlockingQueue<Runnable> {
    override get isEmpty(): boolean {
      if (broken) throw new Error("broken queue")
      return super.isEmpty
    }
  }
  const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 1, workQueue: new Broken() })
  pool.execute(() => undefined)
  await turns(50) // that it comes back is the proof
  assert.ok(pools.takeUncaught().length > 0)
  broken = false
  assert.equal(await pool.submit(() => "mended"), "mended")
  pools.takeUncaught()
})

test("[TP113] a pool that nobody holds any more is collected with its idle threads", async () => {
  const drop = async (): Promise<WeakRef<object>[]> => {
    const pool = new ThreadPoolExecutor({ corePoolSize: 2, maximumPoolSize: 2, threadFactory: virtualThreads() })
    pool.prestartAllCoreThreads()
    const threads = await Promise.all([1, 2].map(() => pool.submit(() => Thread.currentThread())))
    return [pool, ...threads].map((object) => new WeakRef(object))
  }
  const weak = await drop()
  await eventually(() => {
    collectGarbage()
    return weak.every((reference) => reference.deref() === undefined)
  })
})

test("[TP108] an idle pool keeps no task, result, error or ended thread in memory", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(2)
  const weak: WeakRef<object>[] = []
  const watch = <T extends object>(object: T): T => {
    weak.push(new WeakRef(object))
    return object
  }
  // In a function of its own: this test's own variables would keep things alive.
  const give = (): void => {
    pool.execute(watch(() => watch({ result: "of a command" })))
    pool.submit(watch(async () => watch({ result: "of a submitted task" })))
    pool.submit(watch(() => Promise.reject(watch(new Error("of a submitted task")))))
    pool.submit(
      watch(async () => {
        await turn()
        return watch({ result: "later" })
      }),
    )
    pool.execute(
      watch(() => {
        watch(Thread.currentThread())
        throw watch(new Error("of a command"))
      }),
    )
  }
  for (let i = 0; i < 4; i++) give()
  await eventually(() => pool.completedTaskCount === 20 && pool.activeCount === 0)
  await turns()
  assert.equal(pools.takeUncaught().length, 4)
  pools.threads.length = 0
  assert.ok(weak.length >= 40)
  await eventually(() => {
    collectGarbage()
    return weak.every((reference) => reference.deref() === undefined)
  })
})
