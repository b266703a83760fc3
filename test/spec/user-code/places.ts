/**
 * The places where a pool calls code of the user's, and where an error of that code goes. docs/design/user-code.md has the same table,
 * with the places that need no pool.
 */
import { DiscardOldestPolicy, type Future, FutureTask } from "corepool"
import assert from "node:assert/strict"
import { eventually } from "../../support/harness.ts"
import type { Kind, World } from "./world.ts"

/** Misbehaves; `otherwise` is what the code is to return if it does nothing worse than calling back. */
export type Act = (otherwise?: unknown) => unknown

/** Who gets an error, and how often. */
export interface Receivers {
  /** The call of the user's that led to it. */
  readonly caller?: number
  /** The uncaughtException handler of the factory. */
  readonly uncaught?: number
  /** The handler of a thread that has none: the error is printed. */
  readonly printed?: number
  /** The future of the task that it is about. */
  readonly future?: number
}

export interface Place {
  readonly name: string
  readonly kinds?: readonly Kind[]
  /** Whether the pool needs a class with hooks around tasks. */
  readonly hooks?: boolean
  readonly workerFactory?: boolean
  /** Whether what the code returns is awaited: then a promise that never settles is the code's own affair. */
  readonly awaited?: boolean
  /** Whether the runtime, which calls the code, gets what it throws: as an uncaught error of the process. */
  readonly calledByRuntime?: boolean
  /** Whether there must be no thread yet. */
  readonly fresh?: boolean
  readonly errors: Receivers | ((kind: Kind) => Receivers)
  /** Has the code called. What it gives is the future that it is about, if that is to fail. */
  readonly visit: (world: World, act: Act) => Promise<About | void> | void
}

/** A future in a box: an asynchronous function would not return it, but wait for it. */
interface About {
  readonly task: Future<unknown>
}

/** A future that tells of its end. */
class Telling extends FutureTask<unknown> {
  readonly #done: () => unknown
  calls = 0

  constructor(body: () => unknown, done: () => unknown) {
    super(body)
    this.#done = done
  }

  protected override done(): void {
    this.calls++
    return this.#done() as void
  }
}

/** Runs it to its end; it is the future that the code is about. */
async function run(world: World, task: FutureTask<unknown>): Promise<About> {
  world.pool.execute(task)
  world.watch(task)
  await eventually(() => task.isDone)
  return { task }
}

async function complete(world: World, body: () => unknown, act: Act): Promise<void> {
  const task = new Telling(body, act)
  world.pool.execute(task)
  world.watch(task)
  await eventually(() => task.calls === 1)
}

export const places: readonly Place[] = [
  {
    name: "a submitted function",
    kinds: ["virtual"], // other threads cannot call a function of this one
    awaited: true,
    errors: { future: 1 },
    visit: (world, act) => run(world, new FutureTask(act)),
  },
  {
    name: "a command",
    kinds: ["virtual"],
    awaited: true,
    errors: { uncaught: 1 },
    async visit(world, act) {
      let calls = 0
      world.accepted++
      world.pool.execute(() => {
        calls++
        return act()
      })
      await eventually(() => calls === 1)
    },
  },
  {
    name: "then() of what a task returns",
    kinds: ["virtual"],
    awaited: true,
    errors: { future: 1 },
    visit: (world, act) =>
      run(
        world,
        new FutureTask(() => ({
          // oxlint-disable-next-line unicorn/no-thenable -- that is what is tested
          then(resolve: (value: unknown) => void) {
            resolve(act())
          },
        })),
      ),
  },
  {
    name: "newTaskFor()",
    errors: { caller: 1 },
    visit(world, act) {
      world.code.newTask = (callable) => {
        act()
        return new FutureTask(callable)
      }
      const future = world.call(() => world.pool.submit(() => 1))
      world.code.newTask = undefined
      if (future?.isDone === false) world.watch(future)
    },
  },
  {
    name: "toString() of a pool that is stopped",
    errors: {}, // it is called for a message, in which the pool is named otherwise then
    async visit(world, act) {
      await world.occupy()
      world.submitMore()
      let calls = 0
      Object.assign(world.pool, { toString: () => (calls++ === 0 ? act("pool") : "pool") })
      world.stop()
      assert.ok(calls > 0)
    },
  },
  {
    name: "done() of a task that succeeds",
    errors: { uncaught: 1 },
    visit: (world, act) => complete(world, () => 1, act),
  },
  {
    name: "done() of a task that fails",
    errors: { uncaught: 1 },
    visit: (world, act) => complete(world, () => Promise.reject(new Error("its own")), act),
  },
  {
    name: "done() of a task around which there are hooks",
    hooks: true,
    errors: { uncaught: 1 },
    visit: (world, act) => complete(world, () => 1, act),
  },
  {
    name: "done() of a task that is cancelled",
    errors: { caller: 1 },
    async visit(world, act) {
      const release = await world.occupy()
      const task = new Telling(() => 1, act)
      world.pool.execute(task)
      world.watch(task)
      world.call(() => task.cancel())
      release()
    },
  },
  {
    name: "done() of a task that shutdownNow() hands back",
    errors: { printed: 1 }, // with the thread that calls it
    async visit(world, act) {
      await world.occupy()
      const task = new Telling(() => 1, act)
      world.pool.execute(task)
      world.watch(task)
      world.stop()
    },
  },
  {
    name: "done() of a task that waits for longer than it may",
    errors: (kind) => (kind === "virtual" ? { printed: 1 } : { uncaught: 1 }),
    async visit(world, act) {
      const release = await world.occupy()
      const task = new Telling(() => 1, act)
      world.watchWithdrawn(task)
      world.pool.with({ queueTimeout: 1 }).execute(task)
      await eventually(() => task.calls === 1)
      release()
    },
  },
  {
    name: "done() of a task whose signal is aborted",
    errors: (kind) => (kind === "virtual" ? { printed: 1 } : { uncaught: 1 }),
    async visit(world, act) {
      const release = await world.occupy()
      const task = new Telling(() => 1, act)
      const controller = new AbortController()
      world.watchWithdrawn(task)
      world.pool.with({ signal: controller.signal }).execute(task)
      world.call(() => controller.abort())
      release()
    },
  },
  {
    name: "done() of a task that a policy drops",
    errors: { printed: 1 },
    async visit(world, act) {
      const release = await world.occupy()
      const task = new Telling(() => 1, act)
      const next = new FutureTask(() => 2)
      world.watchWithdrawn(task)
      world.pool.execute(task)
      world.code.reject = () => next.cancel() // if the pool is stopped meanwhile
      DiscardOldestPolicy(next, world.pool)
      world.code.reject = undefined
      if (next.isCancelled) world.await(next)
      else world.watch(next)
      release()
    },
  },
  {
    name: "done() of a task that invokeAll() cancels",
    errors: { printed: 1 },
    async visit(world, act) {
      const release = await world.occupy()
      let made = 0
      world.code.newTask = (callable) => new Telling(callable, made++ === 0 ? act : () => undefined)
      function* source(): Generator<() => number> {
        yield () => 1
        world.accepted++
        yield () => 2
        world.accepted++
        throw new RangeError("of the source")
      }
      await assert.rejects(world.pool.invokeAll(source()), RangeError)
      world.code.newTask = undefined
      release()
    },
  },
  {
    name: "beforeExecute()",
    hooks: true,
    errors: { uncaught: 1, future: 1 },
    async visit(world, act) {
      const task = new FutureTask<unknown>(() => 1)
      world.code.before = (it) => (it === task ? act() : undefined)
      world.pool.execute(task)
      world.watch(task)
      await eventually(() => task.isDone)
      return { task }
    },
  },
  {
    name: "afterExecute()",
    hooks: true,
    errors: { uncaught: 1 },
    async visit(world, act) {
      const task = new FutureTask<unknown>(() => 1)
      let calls = 0
      world.code.after = (it) => {
        if (it !== task) return undefined
        calls++
        return act()
      }
      world.pool.execute(task)
      world.watch(task)
      await eventually(() => calls > 0)
    },
  },
  {
    name: "terminated(), of a pool that shutdown() ends",
    fresh: true,
    errors: { caller: 1 },
    visit(world, act) {
      world.code.terminated = act
      world.call(() => world.pool.shutdown())
    },
  },
  {
    name: "terminated(), of a pool that its last thread ends",
    errors: { uncaught: 1 },
    async visit(world, act) {
      world.code.terminated = act
      const release = await world.occupy()
      world.pool.shutdown()
      release()
      await eventually(() => world.pool.isTerminated)
    },
  },
  {
    name: "the rejection handler",
    errors: { caller: 1 },
    visit(world, act) {
      world.pool.shutdown()
      world.code.reject = act
      world.call(() => world.pool.execute(() => 1))
    },
  },
  {
    name: "the thread factory, for a task",
    errors: { caller: 1 },
    visit: (world, act) => needThread(world, "factory", () => act(null)),
  },
  {
    name: "the name function of the factory",
    errors: { caller: 1 },
    visit: (world, act) => needThread(world, "threadName", () => act("name")),
  },
  {
    name: "workerFactory, for a task",
    kinds: ["platform"],
    workerFactory: true,
    errors: { caller: 1 },
    visit: (world, act) => needThread(world, "workerFactory", act),
  },
  {
    name: "the thread factory, for a thread that replaces another one",
    errors: { uncaught: 1 },
    visit: (world, act) => needReplacement(world, "factory", () => act(null)),
  },
  {
    name: "workerFactory, for a thread that replaces another one",
    kinds: ["platform"],
    workerFactory: true,
    errors: { uncaught: 1 },
    visit: (world, act) => needReplacement(world, "workerFactory", act),
  },
  {
    name: "the uncaughtException handler",
    errors: { printed: 1 },
    async visit(world, act) {
      world.code.uncaught = () => {
        world.code.uncaught = undefined
        return act()
      }
      await world.endThread()
    },
  },
  {
    name: "the test of queue.removeIf()",
    errors: { caller: 1 },
    async visit(world, act) {
      const release = await world.occupy()
      world.submitMore()
      let calls = 0 // once: what it submits is looked at too
      world.call(() => world.pool.queue.removeIf(() => calls++ === 0 && act(false) === true))
      release()
    },
  },
  {
    name: "the tasks that invokeAll() is given",
    errors: { caller: 1 },
    async visit(world, act) {
      const next = (): IteratorResult<() => unknown> =>
        act({ done: true, value: undefined }) as IteratorResult<() => unknown>
      await world.callAsync(() => world.pool.invokeAll({ [Symbol.iterator]: () => ({ next }) }))
    },
  },
]

/** Submits a task for which the pool has to make a thread. */
function needThread(world: World, code: "factory" | "threadName" | "workerFactory", act: Act): void {
  world.code[code] = act
  const task = new FutureTask<unknown>(() => 1)
  const isTaken = world.call(() => {
    world.pool.execute(task)
    return true
  })
  world.code[code] = undefined
  if (isTaken === true) world.watch(task)
}

async function needReplacement(world: World, code: "factory" | "workerFactory", act: Act): Promise<void> {
  let calls = 0
  world.submitMore()
  world.code[code] = () => {
    calls++
    return act()
  }
  await world.endThread()
  await eventually(() => calls > 0)
  world.code[code] = undefined
}
