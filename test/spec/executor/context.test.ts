/** What tasks see of the asynchronous context of those who submit them. */
import {
  CallerRunsPolicy,
  ExecutorCompletionService,
  Executors,
  FutureTask,
  InterruptedError,
  ReentrantLock,
  ScheduledThreadPoolExecutor,
  SynchronousQueue,
  Thread,
  ThreadPoolExecutor,
  virtualThreads,
} from "corepool"
import { ManualClock } from "corepool/testing"
import assert from "node:assert/strict"
import { AsyncLocalStorage, AsyncResource } from "node:async_hooks"
import test from "node:test"
import { collectGarbage } from "../../support/garbage.ts"
import { eventually, Gate, rejectionOf, turns } from "../../support/harness.ts"
import { all, InlineExecutor, Lab } from "./support.ts"

const byText = (a: string, b: string): number => a.localeCompare(b)

const noop = (): void => undefined

const request = new AsyncLocalStorage<string>()

const seen = async (): Promise<(string | undefined)[]> => {
  const before = request.getStore()
  await turns(1)
  return [before, request.getStore()]
}

const REQUEST = ["request", "request"]

test("[CX1] [CX4] a task on a virtual thread sees the stores of its submitter, and no others", async () => {
  await using lab = new Lab()
  const executors = [
    lab.fixed(1),
    lab.keep(Executors.newCachedThreadPool(lab.factory)),
    lab.keep(Executors.newThreadPerTaskExecutor(lab.factory)),
    lab.keep(Executors.newSingleThreadExecutor(lab.factory).with({ timeout: 1_000_000 })),
    lab.keep(Executors.newScheduledThreadPool(1, lab.factory)),
  ]
  for (const executor of executors) {
    await request.run("request", async () => {
      assert.deepEqual(await executor.submit(seen), REQUEST)
      const [future] = await executor.invokeAll([seen])
      assert.deepEqual(future?.resultNow(), REQUEST)
      assert.deepEqual(await executor.invokeAny([seen]), REQUEST)
      assert.deepEqual(await all(executor.map(seen, [1, 2, 3], { window: 1 })), [REQUEST, REQUEST, REQUEST])
      const byHand = new FutureTask(seen)
      executor.execute(byHand)
      assert.deepEqual(await byHand, REQUEST)
      const service = new ExecutorCompletionService<unknown>(executor)
      service.submit(seen)
      assert.deepEqual((await service.take()).future.resultNow(), REQUEST)
      const executed = await new Promise((resolve) => {
        executor.execute(() => resolve(request.getStore()))
      })
      assert.equal(executed, "request")
      assert.equal(request.getStore(), "request")
    })
    const inner = lab.fixed(1)
    assert.deepEqual(await request.run("outer", () => executor.submit(() => inner.submit(seen))), ["outer", "outer"])
    assert.deepEqual(await executor.submit(seen), [undefined, undefined])
    assert.deepEqual(await request.run("other", () => executor.submit(seen)), ["other", "other"])
  }
})

test("[CX1] the store is that of the moment of submission, whatever the submitter does next", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const futures = await request.run("first", async () => {
    const first = pool.submit(seen)
    await turns(1)
    request.enterWith("second")
    return [first, pool.submit(seen), request.run(undefined as never, () => pool.submit(seen))]
  })
  assert.deepEqual(await Promise.all(futures), [
    ["first", "first"],
    ["second", "second"],
    [undefined, undefined],
  ])
})

test("[CX1] a task that is submitted inside of exit() sees no store", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const future = request.run("request", () => request.exit(() => pool.submit(seen)))
  assert.deepEqual(await future, [undefined, undefined])
})

test("[CX1] a task that its caller runs, because the pool is full, sees the caller's stores", async () => {
  await using lab = new Lab()
  const pool = lab.keep(
    new ThreadPoolExecutor({
      threadFactory: lab.factory,
      corePoolSize: 1,
      maximumPoolSize: 1,
      workQueue: new SynchronousQueue(),
      handler: CallerRunsPolicy,
    }),
  )
  const gate = new Gate()
  const busy = pool.submit(gate.body)
  assert.deepEqual(await request.run("request", () => pool.submit(seen)), REQUEST)
  gate.open()
  await busy
})

test("[CX2] each run of a periodic task sees the stores with which it was scheduled", async () => {
  await using lab = new Lab()
  const clock = new ManualClock()
  const pool = lab.keep(new ScheduledThreadPoolExecutor({ corePoolSize: 1, threadFactory: lab.factory, clock }))
  const stores: unknown[] = []
  const note = (name: string) => () => void stores.push(`${name} ${request.getStore()}`)
  const futures = request.run("request", () => [
    pool.schedule(note("once"), 10),
    pool.scheduleAtFixedRate(note("rate"), 20, 1000),
    pool.scheduleWithFixedDelay(note("delay"), 30, 1000),
    pool.scheduleCron(note("cron"), "* * * * * *"),
  ])
  await request.run("another", () => clock.advance(2100))
  for (const future of futures) future.cancel()
  const expected = ["once", "rate", "rate", "rate", "delay", "delay", "delay", "cron", "cron"]
  assert.deepEqual(stores.map(String).sort(byText), expected.map((name) => `${name} request`).sort(byText))
})

test("[CX3] a function that is executed several times sees the stores of each call in turn", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const gate = new Gate()
  const stores: unknown[] = []
  const command = (): void => void stores.push(request.getStore())
  const busy = pool.submit(gate.body)
  for (const name of ["a", "b"]) request.run(name, () => pool.execute(command))
  pool.execute(command)
  request.run("c", () => pool.execute(command))
  request.run("removed", () => pool.execute(noop))
  assert.ok(pool.remove(noop))
  gate.open()
  await busy
  request.run("d", () => pool.execute(noop))
  await pool.submit(() => undefined)
  assert.deepEqual(stores, ["a", "b", undefined, "c"])
})

test("[CX4] a store that a task has entered and not left is not seen by the next task", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const enter = async (): Promise<unknown> => {
    request.enterWith("entered")
    await turns(1)
    return request.getStore()
  }
  assert.equal(await pool.submit(enter), "entered")
  assert.deepEqual(await pool.submit(seen), [undefined, undefined])
  assert.equal(await request.run("request", () => pool.submit(enter)), "entered")
  assert.deepEqual(await pool.submit(seen), [undefined, undefined])
  pool.execute(() => request.enterWith("entered"))
  assert.deepEqual(await pool.submit(seen), [undefined, undefined])
})

test("[CX6] with stores, too, the current thread and the locks are those of the task", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(2)
  const lock = new ReentrantLock()
  const guarded = async (): Promise<unknown[]> => {
    using _guard = await lock.lock()
    await turns(1)
    return [Thread.currentThread(), lock.isHeldByCurrentThread, lock.holdCount]
  }
  const [one, other] = await request.run("request", () => Promise.all([pool.submit(guarded), pool.submit(guarded)]))
  assert.notEqual(one[0], other[0])
  assert.deepEqual([...one.slice(1), ...other.slice(1)], [true, 1, true, 1])
})

test("[CX6] an interrupt reaches a task with stores, also in run, exit, bind and snapshot inside of it", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  type Body = () => Promise<unknown>
  const around: ((body: Body) => Promise<unknown>)[] = [
    (body) => body(),
    (body) => request.run("inner", body),
    (body) => request.exit(body),
    (body) => AsyncLocalStorage.snapshot()(body),
    (body) => AsyncLocalStorage.bind(body)(),
  ]
  for (const call of around) {
    let isAsleep = false
    let outcome: unknown
    const body = async (): Promise<void> => {
      await turns(1)
      const asleep = rejectionOf(Thread.sleep(1_000_000))
      isAsleep = true
      outcome = await asleep
    }
    const sleeper = request.run("request", () => pool.submit(() => call(body)))
    await eventually(() => isAsleep)
    sleeper.cancel(true)
    await eventually(() => outcome !== undefined)
    assert.ok(outcome instanceof InterruptedError)
  }
})

test("[CX5] when its tasks are over, a store can be collected, though the futures and the pools are kept", async () => {
  await using lab = new Lab()
  const clock = new ManualClock()
  const pool = lab.fixed(2)
  const timed = lab.keep(new ScheduledThreadPoolExecutor({ corePoolSize: 1, threadFactory: lab.factory, clock }))
  const storage = new AsyncLocalStorage<object>()
  const look = (): number => Object.keys(storage.getStore() ?? {}).length
  const kept: unknown[] = []
  const use = async (): Promise<WeakRef<object>> => {
    const store = { a: 1 }
    await storage.run(store, async () => {
      const cron = timed.scheduleCron(look, "* * * * * *")
      const once = timed.schedule(look, 10)
      kept.push(
        pool.submit(look),
        pool.submit(() => Thread.currentThread()),
        once,
        cron,
      )
      pool.execute(look)
      await clock.advance(1000)
      assert.equal(await once, 1)
      cron.cancel()
      await Promise.allSettled(kept)
    })
    return new WeakRef(store)
  }
  const ref = await use()
  await eventually(() => {
    collectGarbage()
    return ref.deref() === undefined
  })
  assert.equal(kept.length, 4)
})

test("[ES41] a task that enters a store itself keeps it to itself", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const carried = request.run("request", () => {
    const store = request.getStore() as string
    return pool.submit(() => request.run(store, async () => [...(await seen()), Thread.currentThread()]))
  })
  assert.deepEqual(await carried, ["request", "request", lab.threads[0]])
  assert.deepEqual(await pool.submit(seen), [undefined, undefined])
  assert.equal(lab.threads.length, 1)
})

test("[ES42] AsyncResource.bind and AsyncLocalStorage.bind carry the whole context, the submitting thread included", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const whoAndWhere = async (): Promise<unknown[]> => [...(await seen()), Thread.currentThread()]
  for (const bind of [
    (fn: typeof whoAndWhere) => AsyncResource.bind(fn),
    (fn: typeof whoAndWhere) => AsyncLocalStorage.bind(fn),
  ]) {
    const future = request.run("request", () => pool.submit(bind(whoAndWhere)))
    assert.deepEqual(await future, ["request", "request", Thread.currentThread()])
  }
})

test("[ES43] where a task runs in the caller it sees the caller's context", async () => {
  const future = request.run("caller", () => new InlineExecutor().submit(() => request.getStore()))
  assert.equal(await future, "caller")
})

test("[ES44] the source of map is read in the context of the consumer", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(2)
  const stores = new Set<unknown>()
  async function* source(): AsyncGenerator<number> {
    for (let n = 0; n < 10; n++) {
      stores.add(request.getStore())
      stores.add(Thread.currentThread().name)
      if (n % 3 === 0) await turns(1)
      yield n
    }
  }
  await request.run("consumer", () => all(pool.map((n) => turns(n % 2), source(), { window: 2 })))
  assert.deepEqual([...stores], ["consumer", "main"])
})

test("[ES45] inside a task the context is that of its thread, also after an await and in a timer", async () => {
  await using lab = new Lab()
  const executor = lab.keep(Executors.newThreadPerTaskExecutor(virtualThreads({ name: "flow" })))
  const names = await executor.submit(async () => {
    const found = [Thread.currentThread().name]
    await turns(1)
    found.push(Thread.currentThread().name)
    await new Promise<void>((resolve) => {
      setTimeout(() => {
        found.push(Thread.currentThread().name)
        resolve()
      }, 1)
    })
    return found
  })
  assert.deepEqual(names, ["flow-1", "flow-1", "flow-1"])
})
