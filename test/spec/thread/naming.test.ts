import { Executors, type Runnable, Thread, type ThreadFactory, ThreadPoolExecutor, virtualThreads } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { create } from "./threads.ts"

const target = (): void => undefined

test("[TH1] pool-N-thread-M: N counts the factories, M the threads of each", () => {
  const names = [virtualThreads(), virtualThreads()].map((factory) => [1, 2, 3].map(() => create(factory, target).name))
  const pool = Number(/^pool-(\d+)-thread-1$/.exec(names[0]?.[0] ?? "")?.[1])
  assert.ok(pool >= 1)
  assert.deepEqual(names, [
    [`pool-${pool}-thread-1`, `pool-${pool}-thread-2`, `pool-${pool}-thread-3`],
    [`pool-${pool + 1}-thread-1`, `pool-${pool + 1}-thread-2`, `pool-${pool + 1}-thread-3`],
  ])
})

test("[TH2] a string is a prefix, a function makes the name", () => {
  const prefixed = virtualThreads({ name: "io" })
  const made = virtualThreads({ name: (n) => `worker ${n} of 2` })
  assert.deepEqual(
    [1, 2].map(() => create(prefixed, target).name),
    ["io-1", "io-2"],
  )
  assert.deepEqual(
    [1, 2].map(() => create(made, target).name),
    ["worker 1 of 2", "worker 2 of 2"],
  )
})

test("[TH2] a factory with names of its own takes no number of the others", () => {
  const numberOf = (factory: ThreadFactory): number => Number(/^pool-(\d+)-/.exec(create(factory, target).name)?.[1])
  const before = numberOf(virtualThreads())
  virtualThreads({ name: "io" })
  virtualThreads({ name: () => "" })
  assert.equal(numberOf(virtualThreads()), before + 1)
})

test("[TH3] a thread that is never started has its number all the same", () => {
  const factory = virtualThreads({ name: "t" })
  create(factory, target)
  const second = create(factory, target)
  assert.deepEqual([second.name, second.isAlive], ["t-2", false])
})

test("[TH4] wrong options are refused", () => {
  const options = (value: unknown): Parameters<typeof virtualThreads>[0] => value as object
  for (const wrong of [null, 1, "io"]) {
    assert.throws(() => virtualThreads(options(wrong)), {
      name: "TypeError",
      message: /^Expected `options` to be an object/,
    })
  }
  for (const name of [null, 1, {}, Symbol("s")]) {
    assert.throws(() => virtualThreads(options({ name })), {
      name: "TypeError",
      message: /^Expected `name` to be a string or a/,
    })
  }
  for (const uncaughtException of [null, "log", {}]) {
    assert.throws(() => virtualThreads(options({ uncaughtException })), {
      name: "TypeError",
      message: /^Expected `uncaughtException` to be a function/,
    })
  }
})

test("[TH4] a name function that gives no string, and a target that cannot be run, are refused", () => {
  const nameless = virtualThreads({ name: ((n: number) => n) as unknown as (n: number) => string })
  assert.throws(() => nameless.newThread(target), {
    name: "TypeError",
    message: "Expected `name` to be a string, got 1",
  })
  for (const wrong of [undefined, null, 1, {}, { run: 1 }]) {
    assert.throws(() => virtualThreads().newThread(wrong as () => unknown), {
      name: "TypeError",
      message: /^Expected `target` to be a function or an object with a run\(\) method, got/,
    })
  }
})

test("[TH4] a target may be an object with a run method", async () => {
  let ran = 0
  const runnable: Runnable = { run: () => ran++ }
  const thread = create(virtualThreads(), runnable)
  thread.start()
  await thread.join()
  assert.equal(ran, 1)
})

test("[TH5] ids grow in the order in which threads are made, over all factories", () => {
  const [one, other] = [virtualThreads(), virtualThreads()]
  const ids = [one, other, one].map((factory) => create(factory, target).id)
  assert.deepEqual(
    ids,
    ids.toSorted((a, b) => a - b),
  )
  assert.equal(new Set(ids).size, 3)
  assert.ok((ids[0] ?? 0) > 1)
})

test("[TH5] main has the id 1 and is not virtual; the threads of a virtual factory are", () => {
  assert.equal(Thread.currentThread().id, 1)
  assert.equal(Thread.currentThread().isVirtual, false)
  const factory = virtualThreads()
  assert.deepEqual([factory.isVirtual, create(factory, target).isVirtual], [true, true])
})

test("[TH6] toString() shows id and name", () => {
  assert.equal(String(Thread.currentThread()), "Thread[#1,main]")
  const thread = create(virtualThreads({ name: "io" }), target)
  assert.equal(String(thread), `Thread[#${thread.id},io-1]`)
})

test("[TH7] an executor refuses what is no factory", () => {
  const wrong = [
    null,
    1,
    {},
    () => undefined,
    { newThread: () => undefined },
    { isVirtual: true },
    { isVirtual: 1, newThread: target },
  ]
  for (const value of wrong) {
    const factory = value as ThreadFactory
    const options = { corePoolSize: 1, maximumPoolSize: 1, threadFactory: factory }
    for (const make of [
      () => new ThreadPoolExecutor(options),
      () => Executors.newFixedThreadPool(1, factory),
      () => Executors.newThreadPerTaskExecutor(factory),
    ]) {
      assert.throws(make, { name: "TypeError", message: /to be a ThreadFactory such as virtualThreads\(\), got / })
    }
  }
})

test("[TH8] newVirtualThreadPerTaskExecutor leaves its threads without a name", async () => {
  const executor = Executors.newVirtualThreadPerTaskExecutor()
  assert.equal(await executor.submit(() => Thread.currentThread().name), "")
  await executor.close()
})

test("[TH39] new Thread(fn) says how to run a function", () => {
  const Made = Thread as unknown as new (...args: unknown[]) => Thread
  class Own extends (Thread as unknown as typeof Made) {}
  for (const make of [
    () => new Made(target),
    () => new Made(),
    () => new Made(target, "name"),
    () => new Own(target),
  ]) {
    assert.throws(make, {
      name: "TypeError",
      message: /^A Thread cannot be made by `new Thread\(…\)`\. Submit the function to an executor: .*newThread\(fn\)/,
    })
  }
})
