import {
  CancellationError,
  CountDownLatch,
  Executors,
  ForkJoinPool,
  type Future,
  FutureTask,
  InterruptedError,
  RecursiveTask,
  Thread,
  virtualThreads,
} from "corepool"
import assert from "node:assert/strict"
import { AsyncLocalStorage } from "node:async_hooks"
import { test } from "node:test"
import { Gate, rejectionOf, turns } from "../../support/harness.ts"
import { runProgram } from "../../support/child.ts"
import { OpenTask } from "./open-task.ts"

/** Futures that are done, and one that is not yet. */
function futures(): {
  value: OpenTask<string>
  failed: OpenTask<string>
  cancelled: OpenTask<string>
  late: OpenTask<string>
} {
  const [value, failed, cancelled, late] = Array.from({ length: 4 }, () => new OpenTask<string>(() => "late"))
  assert.ok(value && failed && cancelled && late)
  value.set("value")
  failed.setException(new Error("in vain"))
  cancelled.cancel()
  return { value, failed, cancelled, late }
}

test("[FT40] await gives the value, the task's own error, or CancellationError", async () => {
  const { value, failed, cancelled, late } = futures()
  assert.equal(await value, "value")
  assert.equal(await rejectionOf(failed), failed.exceptionNow())
  assert.ok((await rejectionOf(cancelled)) instanceof CancellationError)
  queueMicrotask(() => void late.run())
  assert.equal(await late, "late")
})

test("[FT40] then calls the handler that fits, never inside the call, and passes its result on", async () => {
  const { value, failed } = futures()
  const calls: string[] = []
  const handle = (future: Future<string>): Promise<string> =>
    future.then(
      (result) => {
        calls.push(`fulfilled ${result}`)
        return "a"
      },
      (error: unknown) => {
        calls.push(`rejected ${String(error)}`)
        return "b"
      },
    )
  const handled = [handle(value), handle(failed)]
  assert.deepEqual(calls, [])
  assert.deepEqual(await Promise.all(handled), ["a", "b"])
  assert.deepEqual(calls, ["fulfilled value", "rejected Error: in vain"])
})

test("[FT40] without handlers the outcome passes through; an error of a handler is the new outcome", async () => {
  const { value, failed } = futures()
  // oxlint-disable-next-line promise/valid-params -- both handlers are optional
  assert.equal(await value.then(), "value")
  assert.equal(await value.then(null, null), "value")
  // oxlint-disable-next-line promise/valid-params -- both handlers are optional
  assert.equal(await rejectionOf(failed.then()), failed.exceptionNow())
  const error = new Error("handler")
  const throwing = (): never => {
    throw error
  }
  assert.equal(await rejectionOf(value.then(throwing)), error)
  assert.equal(await rejectionOf(failed.then(undefined, throwing)), error)
})

test("[FT41] Promise.all, allSettled, any, race and resolve take futures", async () => {
  const { value, failed, cancelled, late } = futures()
  const pending = new FutureTask(new Gate().body)
  queueMicrotask(() => void late.run())
  assert.deepEqual(await Promise.all([value, late, Promise.resolve("promise")]), ["value", "late", "promise"])
  assert.equal(await rejectionOf(Promise.all([pending, failed])), failed.exceptionNow())
  assert.equal(await Promise.any([failed, cancelled, pending, value]), "value")
  assert.equal(await Promise.race([pending, late]), "late")
  assert.equal(await Promise.resolve(value), "value")
  const settled = await Promise.allSettled([value, failed, cancelled])
  assert.deepEqual(
    settled.map(({ status }) => status),
    ["fulfilled", "rejected", "rejected"],
  )
  const aggregate = await rejectionOf(Promise.any([failed, cancelled]))
  assert.ok(aggregate instanceof AggregateError)
  assert.equal(aggregate.errors[0], failed.exceptionNow())
})

test("[FT41] Promise.all over failed futures leaves no rejection unhandled", async () => {
  const { code, stderr } = await runProgram(`
    import { FutureTask } from "corepool"
    const tasks = [1, 2, 3].map((n) => new FutureTask(() => { throw new Error("e" + n) }))
    const all = Promise.all(tasks).catch(() => {})
    for (const task of tasks) task.run()
    await all
    await Promise.race(tasks).catch(() => {})
  `)
  assert.deepEqual([code, stderr], [0, ""])
})

test("[FT42] futures that nobody looks at raise no unhandled rejection, however they end", async () => {
  const { code, stdout, stderr } = await runProgram(`
    import { Executors, FutureTask, virtualThreads } from "corepool"
    process.on("unhandledRejection", (reason) => console.log("unhandled", reason))
    const pool = Executors.newFixedThreadPool(2, virtualThreads())
    const fail = () => { throw new Error("in vain") }
    pool.submit(fail)
    pool.submit(async () => fail())
    pool.submit(() => new Promise(() => {})).cancel(true)
    new FutureTask(fail).run()
    new FutureTask(async () => fail()).run()
    new FutureTask(fail).cancel()
    const queued = [1, 2, 3, 4].map(() => pool.submit(() => 1))
    pool.shutdownNow()
    const perTask = Executors.newVirtualThreadPerTaskExecutor()
    perTask.submit(fail)
    await perTask.close()
    setTimeout(() => console.log("end", queued.map((future) => future.state).join()), 10)
  `)
  assert.deepEqual([code, stderr], [0, ""])
  assert.match(stdout, /^end \w+,/)
})

/** Runs it alone, and then beside many other waits: a wait then goes another way, which takes less memory. */
function everywhere(body: () => Promise<void>): () => Promise<void> {
  return async () => {
    await body()
    const other = new OpenTask(() => "other")
    const crowd = Array.from({ length: 100 }, () => other.get())
    await body()
    void other.run()
    assert.deepEqual(new Set(await Promise.all(crowd)), new Set(["other"]))
  }
}

test(
  "[FT60] handlers of any kind are called later, in the context of the call, and their results passed on",
  everywhere(async () => {
    const store = new AsyncLocalStorage<string>()
    const seen: unknown[] = []
    const double = (text: string): string => {
      seen.push(store.getStore())
      return text + text
    }
    const fail = (error: unknown): never => {
      throw error
    }
    const bound = double.bind(null)
    const handlers = [double, bound, new Proxy((text: string) => double(text), {}), new Proxy(bound, {})]
    for (const handler of handlers) {
      const { value, late } = futures()
      for (const future of [value, late]) {
        const promise = store.run("caller", () => future.then(handler, new Proxy(fail, {})))
        assert.ok(promise instanceof Promise)
        assert.deepEqual(seen, [])
        store.run("runner", () => void late.run())
        assert.deepEqual(seen, [])
        assert.match(await promise, /^(value){2}$|^(late){2}$/)
        assert.deepEqual(seen.splice(0), ["caller"])
      }
    }
  }),
)

test(
  "[FT60] [FT41] functions that settle another promise can be handlers",
  everywhere(async () => {
    const { value, failed, cancelled, late } = futures()
    const results: PromiseLike<unknown>[] = []
    const outcomes = [value, failed, cancelled, late].map(
      (future) => new Promise<string>((resolve, reject) => results.push(future.then(resolve, reject))),
    )
    const settling = Promise.allSettled(outcomes)
    const calls: string[] = []
    const end = results[3] as Promise<void>
    const ends = [
      end.then((result: unknown) => calls.push(`then ${String(result)}`)),
      end.finally(() => calls.push("finally")),
      end.catch(() => calls.push("catch")),
      (async () => calls.push(`await ${String(await (end as Promise<unknown>))}`))(),
    ]
    await turns()
    assert.deepEqual(calls, [])
    void late.run()
    await Promise.all(ends)
    assert.deepEqual(new Set(calls), new Set(["await undefined", "finally", "then undefined"]))
    assert.deepEqual(
      await Promise.all([...results, end.catch(() => undefined), end.finally(null)]),
      Array(6).fill(undefined),
    )
    const settled = await settling
    assert.deepEqual(
      settled.map(({ status }) => status),
      ["fulfilled", "rejected", "rejected", "fulfilled"],
    )
    assert.deepEqual(await Promise.allSettled([value, failed, late]), [settled[0], settled[1], settled[3]])
  }),
)

test(
  "[FT60] an interrupt that is pending is the outcome of such a call",
  everywhere(async () => {
    await using pool = Executors.newVirtualThreadPerTaskExecutor()
    const { late } = futures()
    await pool.submit(async () => {
      Thread.currentThread().interrupt()
      const outcome = new Promise<string>((resolve, reject) => void late.then(resolve, reject))
      assert.ok((await rejectionOf(outcome)) instanceof InterruptedError)
      assert.equal(Thread.currentThread().isInterrupted, false)
    })
  }),
)

test(
  "[FT61] flows that wait for one future go on in the order in which they came; an interrupted one leaves",
  everywhere(async () => {
    const ways: ((future: Future<string>) => PromiseLike<string>)[] = [
      async (future) => await future,
      (future) => future.get(),
      (future) => future.then((text) => text),
      (future) => future.get(60_000),
    ]
    for (const interrupted of ways.keys()) {
      const task = new OpenTask(() => "value")
      const order: string[] = []
      await using pool = Executors.newVirtualThreadPerTaskExecutor()
      const waiting = new CountDownLatch(ways.length)
      const isOut = new CountDownLatch(1)
      const waits = ways.map((wait, i) =>
        pool.submit(async () => {
          const promise = wait(task)
          await Promise.resolve() // the engine calls `then` of what is awaited a little later
          await Promise.resolve()
          waiting.countDown()
          try {
            order.push(`${i} ${await promise}`)
          } catch (error) {
            order.push(`${i} ${(error as Error).name}`)
            isOut.countDown()
          }
        }),
      )
      await waiting.await()
      waits[interrupted]?.cancel(true)
      await isOut.await()
      assert.deepEqual(order, [`${interrupted} InterruptedError`])
      void task.run()
      await pool.close()
      assert.equal(order.length, ways.length)
      assert.deepEqual(
        order.slice(1).map((line) => line.slice(2)),
        ["value", "value", "value"],
      )
    }
  }),
)

test("[FT61] the callbacks of one future are called in the order in which they were given", async () => {
  for (const n of [1, 2, 3]) {
    const task = new OpenTask(() => "value")
    const order: number[] = []
    const all = Array.from({ length: n }, (_, i) => task.get(i === 1 ? 60_000 : undefined).then(() => order.push(i)))
    void task.run()
    await Promise.all(all)
    assert.deepEqual(order, [0, 1, 2].slice(0, n))
  }
})

test("[FT42] a failure that was awaited is no unhandled rejection", async () => {
  const { code, stdout, stderr } = await runProgram(`
    import { FutureTask } from "corepool"
    const task = new FutureTask(async () => { throw new Error("in vain") })
    const waits = [task.get(), task.get(1000), task.then(() => {})]
    task.run()
    for (const result of await Promise.allSettled(waits)) console.log(result.status)
    try { await task } catch (error) { console.log(error.message) }
    try { await task.get() } catch (error) { console.log(error.message) }
  `)
  assert.deepEqual([code, stderr], [0, ""])
  assert.equal(stdout, "rejected\nrejected\nrejected\nin vain\nin vain\n")
})

test("[FT43] a promise of get() that nobody handles is an unhandled rejection", async () => {
  for (const get of ["task.run(); task.get()", "task.get(); task.run()", "task.get(1000); task.run()"]) {
    const { code, stderr } = await runProgram(`
      import { FutureTask } from "corepool"
      const task = new FutureTask(() => { throw new Error("in vain") })
      ${get}
    `)
    assert.equal(code, 1)
    assert.match(stderr, /[Ee]rror: in vain/)
  }
})

/** Fulfilled and rejected futures of every class. */
async function ofEveryClass(run: (value: Future<string>, failed: Future<string>) => Promise<void>): Promise<void> {
  const give = (): string => "value"
  const fail = (): string => {
    throw new Error("in vain")
  }
  const { value, failed } = futures()
  await run(value, failed)
  await using virtual = Executors.newScheduledThreadPool(1, virtualThreads())
  await using platform = Executors.newScheduledThreadPool(1)
  await using forks = new ForkJoinPool({ parallelism: 1 })
  for (const pool of [virtual, platform]) {
    await run(pool.submit(give), pool.submit(fail))
    await run(pool.schedule(give, 1), pool.schedule(fail, 1))
    await run(pool.with({ timeout: 60_000 }).submit(give), pool.with({ timeout: 60_000 }).submit(fail))
  }
  await run(forks.submit(give), forks.submit(fail))
  const [given, broken] = [new Made(give), new Made(fail)]
  for (const task of [given, broken]) task.quietlyInvoke()
  await run(given, broken)
}

function messageOf(error: Error): string {
  return error.message
}

class Made extends RecursiveTask<string> {
  readonly #body: () => string
  constructor(body: () => string) {
    super()
    this.#body = body
  }
  protected override compute(): string {
    return this.#body()
  }
}

test("[FT55] catch and finally of every future are those of a promise", async () => {
  await ofEveryClass(async (value, failed) => {
    assert.equal(await value.catch(() => "caught"), "value")
    assert.equal(await failed.catch(messageOf), "in vain")
    assert.equal(((await rejectionOf(failed.catch(undefined))) as Error).message, "in vain")
    const calls: unknown[][] = []
    const note = (...args: unknown[]): number => calls.push(args)
    assert.equal(await value.finally(note), "value")
    assert.equal(await value.finally(undefined), "value")
    assert.equal(((await rejectionOf(failed.finally(note))) as Error).message, "in vain")
    assert.deepEqual(calls, [[], []])
    const late = new RangeError("in finally")
    const fail = (): never => {
      throw late
    }
    const rejecting: () => unknown = () => Promise.reject(late)
    assert.equal(await rejectionOf(value.finally(fail)), late)
    assert.equal(await rejectionOf(failed.finally(rejecting)), late)
  })
})

test("[FT55] finally of a cancelled future passes the CancellationError on, and a series ends by it", async () => {
  await using pool = Executors.newScheduledThreadPool(1, virtualThreads())
  const series: Future<void>[] = [
    pool.scheduleAtFixedRate(() => {}, 60_000, 60_000),
    pool.scheduleCron(() => {}, "0 0 * * *"),
  ]
  for (const future of series) {
    const ends = Promise.allSettled([future.catch((error: unknown) => error), future.finally(() => undefined)])
    future.cancel()
    const [caught, passed] = await ends
    assert.ok(caught?.status === "fulfilled" && caught.value instanceof CancellationError)
    assert.equal(passed?.status, "rejected")
  }
})

test("[FT56] a promise of then, catch or finally that nobody handles is an unhandled rejection", async () => {
  const chains = ["then(() => 1)", "finally(() => 1)", "catch((error) => { throw error })", "catch()"]
  for (const chain of chains) {
    const { code, stderr } = await runProgram(`
      import { FutureTask } from "corepool"
      const task = new FutureTask(() => { throw new Error("in vain") })
      task.run()
      task.${chain}
    `)
    assert.equal(code, 1, chain)
    assert.match(stderr, /[Ee]rror: in vain/)
  }
})

test("[FT57] every future is an [object Future] that is no Promise", async () => {
  await ofEveryClass(async (value, failed) => {
    assert.equal(Object.prototype.toString.call(value), "[object Future]")
    assert.ok(!(value instanceof Promise))
    const takesPromise = (promise: Promise<string>): Promise<string> => promise
    assert.equal(await takesPromise(value), "value")
    await rejectionOf(failed)
  })
})

test("[FT44] an async function awaits the future it returns; in an object it is handed on", async () => {
  const { value, failed } = futures()
  assert.equal(await (async () => value)(), "value")
  const handed = await (async () => ({ future: failed }))()
  assert.equal(handed.future, failed)
})
