/** What the table of places does not say of the user's code. Rules: docs/spec/user-code.md and those that are named. */
import {
  ArrayBlockingQueue,
  type Runnable,
  FutureTask,
  platformThreads,
  type Thread,
  ThreadPoolExecutor,
  virtualThreads,
} from "corepool"
import { Flow } from "#src/memory/flow/flow.js"
import { Bell } from "#src/memory/wait/bell.js"
import { threadContext } from "#src/memory/thread/this-thread.js"
import { drive, SIGNALLED, type Steps, WaitList } from "#src/memory/flow/waiting.js"
import assert from "node:assert/strict"
import test, { type TestContext } from "node:test"
import { runProgram } from "../../support/child.ts"
import { eventually, turns } from "../../support/harness.ts"
import { Pools } from "../../support/pools.ts"

/** What is printed, instead of printing it. */
function printed(t: TestContext): unknown[][] {
  const lines: unknown[][] = []
  t.mock.method(console, "error", (...values: unknown[]) => lines.push(values))
  return lines
}

test("[UC4] a bell whose answer throws does not keep the next ones from ringing", (t) => {
  const lines = printed(t)
  const rung: string[] = []
  const wake = (bell: Bell): void => threadContext().wake(bell.token, bell.index)
  const second = new Bell(threadContext(), () => {
    rung.push("second")
    throw new Error("of the second")
  })
  const third = new Bell(threadContext(), () => rung.push("third"))
  const first = new Bell(threadContext(), () => {
    rung.push("first")
    wake(second)
    wake(third)
    throw new Error("of the first")
  })
  wake(first)
  for (const bell of [first, second, third]) bell.end()
  assert.deepEqual(rung, ["first", "second", "third"])
  assert.deepEqual(
    lines.map(([title, error]) => `${String(title)}: ${String(error)}`),
    ['Exception in thread "main": Error: of the first', 'Exception in thread "main": Error: of the second'],
  )
})

test("[UC4][UC8] a wait that finds no room fails, and those that are woken after it go on", async () => {
  const list = new WaitList()
  const full = Object.assign(new WaitList(), {
    append(): never {
      throw new RangeError("no room to wait")
    },
  })
  function* twice(): Steps<string> {
    yield list
    return (yield full) === SIGNALLED ? "went on" : "gave up"
  }
  function* once(): Steps<string> {
    yield list
    return "went on"
  }
  const outcomes: string[] = []
  const settle = {
    resolve: (value: string) => outcomes.push(value),
    reject: (error: unknown) => outcomes.push(String(error)),
  }
  drive(twice(), settle, new Flow(), Infinity)
  drive(once(), settle, new Flow(), Infinity)
  list.signalAll()
  assert.deepEqual(outcomes, ["RangeError: no room to wait", "went on"])
})

for (const kind of ["virtual", "platform"] as const) {
  const threads = kind === "virtual" ? virtualThreads : platformThreads

  test(`[UC5] a handler on ${kind} threads whose promise is rejected is printed`, async (t) => {
    const lines = printed(t)
    const uncaughtException = (): void => reject("the handler") as void
    await using pool = new ThreadPoolExecutor({
      corePoolSize: 1,
      maximumPoolSize: 1,
      threadFactory: threads({ uncaughtException }),
    })
    pool.execute(() => {
      throw new Error("the task")
    })
    assert.equal(await pool.submit(() => "goes on"), "goes on")
    await eventually(() => lines.length === 2)
    assert.deepEqual(
      lines.map(([, error]) => String(error)),
      ["Error: the task", "Error: the handler"],
    )
  })

  test(`[UC2] on ${kind} threads the rejected promises of hooks go to the handler`, async () => {
    const heard: string[] = []
    class AsyncHooks extends ThreadPoolExecutor {
      protected override beforeExecute(): void {
        return reject("beforeExecute") as void
      }

      protected override afterExecute(): void {
        return reject("afterExecute") as void
      }

      protected override terminated(): void {
        return reject("terminated") as void
      }
    }
    const uncaughtException = (_thread: Thread, error: unknown): void => void heard.push((error as Error).message)
    const pool = new AsyncHooks({ corePoolSize: 1, maximumPoolSize: 1, threadFactory: threads({ uncaughtException }) })
    assert.equal(await pool.submit(() => "runs"), "runs")
    await pool.close()
    await eventually(() => heard.length === 3)
    assert.deepEqual(heard.sort(), ["afterExecute", "beforeExecute", "terminated"])
  })

  test(`[UC2] a handler that refuses tasks of ${kind} threads may be asynchronous, and its promise rejected`, async (t) => {
    const lines = printed(t)
    const handler = (): void => reject("the handler of rejections") as void
    const pool = new ThreadPoolExecutor({ corePoolSize: 1, maximumPoolSize: 1, threadFactory: threads(), handler })
    await pool.close()
    pool.execute(() => "is refused")
    await eventually(() => lines.length === 1)
    assert.equal(
      lines.map(([title, error]) => `${String(title)}: ${String(error)}`)[0],
      'Exception in thread "main": Error: the handler of rejections',
    )
  })
}

test("[UC2] the rejected promise of an asynchronous done() goes to the handler of the current thread", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  class Asynchronous extends FutureTask<number> {
    protected override done(): void {
      return reject("done") as void
    }
  }
  const task = new Asynchronous(() => 1)
  pool.execute(task)
  assert.equal(await task, 1)
  await turns()
  assert.deepEqual(pools.takeUncaught().map(String), ["Error: done"])
})

test("[UC5] what cannot be printed is named by its class, and does not end the process", async () => {
  const { code, stdout, stderr } = await runProgram(`
    import { Executors, virtualThreads } from "corepool"
    const pool = Executors.newFixedThreadPool(1, virtualThreads({ name: "t" }))
    class Shy extends Error {
      get stack() { throw new Error("stack") }
      get name() { throw new Error("name") }
      get message() { throw new Error("message") }
    }
    pool.execute(() => { throw new Shy() })
    pool.execute(() => { throw Object.defineProperty(new Error("x"), "stack", { get() { throw new Error("stack") } }) })
    console.log(await pool.submit(() => "goes on"))
    await pool.close()
  `)
  assert.deepEqual([code, stdout], [0, "goes on\n"])
  assert.equal(stderr.split("Exception in thread").length, 3)
})

test("[UC6] an error of done() is told with the platform thread that ran the task, which lives on", async () => {
  const heard: string[] = []
  await using pool = new ThreadPoolExecutor({
    corePoolSize: 2,
    maximumPoolSize: 2,
    threadFactory: platformThreads({
      name: "w",
      uncaughtException: ({ name }, error) => heard.push(`${name}: ${(error as Error).message}`),
    }),
  })
  class Telling extends FutureTask<string> {
    protected override done(): void {
      throw new Error(`of done(), ${this.state}`)
    }
  }
  await pool.submit(() => 1)
  pool.execute(new Telling(() => "of the second")) // the second thread's first task
  await eventually(() => heard.length === 1)
  const failing = new Telling(() => {
    throw new Error("its own")
  })
  pool.execute(failing)
  await assert.rejects(failing.get(), /its own/)
  await eventually(() => heard.length === 2)
  assert.deepEqual([heard[0], heard[1]?.slice(4)], ["w-2: of done(), success", " of done(), failed"])
  assert.equal(pool.largestPoolSize, 2)
  assert.equal(pool.poolSize, 2)
  const names = new Set(await Promise.all([1, 2, 3, 4].map(() => pool.submit(() => 1))))
  assert.deepEqual([...names], [1])
})

test("[UC6] futures that are asked by turns settle though the done() of others throws", async () => {
  const heard: unknown[] = []
  await using pool = new ThreadPoolExecutor({
    corePoolSize: 2,
    maximumPoolSize: 2,
    threadFactory: platformThreads({ uncaughtException: (_thread, error) => heard.push(error) }),
  })
  class Telling extends FutureTask<number> {
    protected override done(): void {
      throw new Error("of done()")
    }
  }
  const plain = Array.from({ length: 100 }, (_, i) => {
    pool.execute(new Telling(() => 1))
    return pool.submit((n: number) => n, i)
  })
  const sum = plain.reduce((total, future) => total + future.getSync(), 0)
  assert.equal(sum, 4950)
  await eventually(() => heard.length === 100)
})

test("[UC7] a hook may block for a task of its pool", async () => {
  const calls: string[] = []
  class Blocking extends ThreadPoolExecutor {
    protected override beforeExecute(_thread: Thread, task: Runnable): void {
      calls.push(task === outer ? "outer" : "inner")
      if (task === outer) calls.push(this.submit(() => "result").getSync())
    }
  }
  await using pool = new Blocking({ corePoolSize: 2, maximumPoolSize: 2 })
  const outer = new FutureTask(() => "outer's own")
  pool.execute(outer)
  assert.equal(await outer, "outer's own")
  assert.deepEqual(calls, ["outer", "inner", "result"])
})

test("[TP31] if a dead platform thread cannot be replaced, its own error and the factory's are both told", async () => {
  await using pools = new Pools(platformThreads)
  let fails = false
  const pool = pools.create({
    corePoolSize: 1,
    maximumPoolSize: 1,
    threadFactory: {
      isVirtual: false,
      newThread: (target) => {
        if (fails) throw new Error("no more threads")
        return pools.factory.newThread(target)
      },
    },
  })
  await pool.submit(() => 1)
  fails = true
  pool.execute(() => {
    throw new Error("the task")
  })
  await eventually(() => pools.threads[0]?.isAlive === false && pool.poolSize === 0)
  const uncaught: { thread: Thread; error: unknown }[] = []
  await eventually(() => uncaught.push(...pools.takeUncaughtWithThreads()) >= 0 && uncaught.length === 2)
  assert.deepEqual(uncaught.map(({ error }) => String(error)).sort(), ["Error: no more threads", "Error: the task"])
  assert.deepEqual(new Set(uncaught.map(({ thread }) => thread)), new Set([pools.threads[0]]))
  assert.deepEqual([pool.activeCount, pool.completedTaskCount, pool.queue.size], [0, 2, 0])
  fails = false
  assert.equal(await pool.submit(() => "goes on"), "goes on")
})

test("[TP31] a platform thread that dies, and whose successor cannot be started, does not end the process", async () => {
  const { code, stdout, stderr } = await runProgram(`
    import { platformThreads, ThreadPoolExecutor } from "corepool"
    import { Worker } from "node:worker_threads"
    let fails = false
    const heard = []
    const pool = new ThreadPoolExecutor({
      corePoolSize: 1,
      maximumPoolSize: 1,
      threadFactory: platformThreads({
        name: "w",
        uncaughtException: ({ name }, error) => heard.push(name + ": " + error.message),
        workerFactory(options) {
          if (fails) throw new Error("no more workers")
          return new Worker(new URL(import.meta.resolve("corepool/worker")), options)
        },
      }),
    })
    await pool.submit(() => 1)
    fails = true
    const lost = await pool.submit(() => process.exit(1)).then(undefined, (error) => error.name)
    fails = false
    const next = await pool.submit(() => "goes on")
    await pool.close()
    console.log(lost, heard.join(), next, pool.completedTaskCount)
  `)
  assert.deepEqual([code, stderr], [0, ""])
  assert.equal(stdout, "ThreadDeathError w-1: no more workers goes on 3\n")
})

test("[UC1] what the rejection handler throws about a task of another thread is in the future of that task", async () => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  for (const thrown of [new Error("of the handler"), proxy as unknown]) {
    await using pools = new Pools(platformThreads)
    const pool = pools.create({
      corePoolSize: 1,
      maximumPoolSize: 1,
      workQueue: new ArrayBlockingQueue(1),
      handler: () => {
        throw thrown
      },
    })
    const outcomes = await pool.submit(async (it: ThreadPoolExecutor) => {
      const all = await Promise.allSettled([1, 2, 3].map((n) => it.submit((value: number) => value, n)))
      return all.map(({ status }) => status).join()
    }, pool)
    assert.equal(outcomes, "fulfilled,rejected,rejected")
    assert.equal(await pool.submit(() => "goes on"), "goes on")
  }
})

test("[UC1] what the factory throws for a task of another thread is told, and the task is refused", async () => {
  await using pools = new Pools(platformThreads)
  let fails = false
  const pool = pools.create({
    corePoolSize: 2,
    maximumPoolSize: 2,
    threadFactory: {
      isVirtual: false,
      newThread: (target) => {
        if (fails) throw new Error("no more threads")
        return pools.factory.newThread(target)
      },
    },
  })
  const outer = pool.submit(
    (it: ThreadPoolExecutor) => it.submit(() => 2).then(undefined, (error: unknown) => (error as Error).name),
    pool,
  )
  fails = true // the thread of that task is made
  assert.equal(await outer, "RejectedExecutionError")
  fails = false
  assert.deepEqual(pools.takeUncaught().map(String), ["Error: no more threads"])
  assert.equal(await pool.submit(() => "goes on"), "goes on")
})

test("[TP56] what terminated() throws is told with the platform thread that has ended the pool", async () => {
  const heard: string[] = []
  class Ending extends ThreadPoolExecutor {
    protected override terminated(): void {
      throw new Error("terminated")
    }
  }
  const threadFactory = platformThreads({
    name: "w",
    uncaughtException: ({ name }, error) => heard.push(`${name}: ${(error as Error).message}`),
  })
  const pool = new Ending({ corePoolSize: 1, maximumPoolSize: 1, threadFactory })
  await pool.submit(() => 1)
  await pool.close()
  assert.deepEqual(heard, ["w-1: terminated"])
})

/** What an asynchronous function returns that throws this. */
function reject(message: string): unknown {
  return Promise.reject(new Error(message))
}
