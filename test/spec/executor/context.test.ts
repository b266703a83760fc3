/** What tasks see of the asynchronous context of those who submit them. */
import { Executors, Thread, virtualThreads } from "corepool"
import assert from "node:assert/strict"
import { AsyncLocalStorage, AsyncResource } from "node:async_hooks"
import test from "node:test"
import { turns } from "../../support/harness.ts"
import { all, InlineExecutor, Lab } from "./support.ts"

const request = new AsyncLocalStorage<string>()

const seen = async (): Promise<(string | undefined)[]> => {
  const before = request.getStore()
  await turns(1)
  return [before, request.getStore()]
}

test("[ES40] a task does not see the submitter's AsyncLocalStorage, whoever made the thread it runs on", async () => {
  await using lab = new Lab()
  const executors = [
    lab.fixed(1),
    lab.keep(Executors.newCachedThreadPool(lab.factory)),
    lab.keep(Executors.newThreadPerTaskExecutor(lab.factory)),
    lab.keep(Executors.newSingleThreadExecutor(lab.factory).with({ timeout: 1_000_000 })),
  ]
  for (const executor of executors) {
    await request.run("request", async () => {
      assert.deepEqual(await executor.submit(seen), [undefined, undefined])
      assert.deepEqual(await executor.submit(seen), [undefined, undefined])
      const [future] = await executor.invokeAll([seen])
      assert.deepEqual(future?.resultNow(), [undefined, undefined])
      assert.deepEqual(await executor.invokeAny([seen]), [undefined, undefined])
      assert.deepEqual(await all(executor.map(seen, [1])), [[undefined, undefined]])
      assert.equal(request.getStore(), "request")
    })
  }
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
