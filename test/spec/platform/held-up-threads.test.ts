/** Threads that are held up in corepool's own code between two tasks, and when their owner ends them. */
import assert from "node:assert/strict"
import test from "node:test"
import {
  Executors,
  type ExecutorService,
  ForkJoinPool,
  type Future,
  platformThreads,
  tasksOf,
  ThreadDeathError,
  ThreadPoolExecutor,
} from "corepool"
import { PoolMemory } from "#src/platform/memory/pool-memory.js"
import { BEFORE, BY_ARRIVAL, DONE, WORKER } from "#src/platform/memory/layout.js"
import type { SharedWorker } from "#src/platform/memory/workers/shared-worker.js"
import { entryOf, RUNNING } from "#src/platform/memory/workers/worker-line.js"
import { HeldUpThreads } from "#src/platform/owner/held-up-threads.js"
import type { WorkerBody } from "#src/platform/start/thread-body.js"
import { Bell } from "#src/memory/wait/bell.js"
import { eventually } from "../../support/harness.ts"

const { ownCode } = tasksOf<typeof import("./held-up-tasks.ts")>(new URL("held-up-tasks.js", import.meta.url))

/** Each is called by the code of corepool between two tasks, and no earlier task of these tests needs it. */
const BUILT_INS: readonly string[] = [
  "Map.prototype.get",
  "Map.prototype.delete",
  "Set.prototype.delete",
  "Array.prototype.reverse",
  "Array.prototype.splice",
]

/** Is sent to the thread as source: from now on the method does not return. */
function holdUp(path: string, words: Int32Array): void {
  const steps = path.split(".")
  const last = steps.pop() as string
  let owner: unknown = globalThis
  for (const step of steps) owner = (owner as Record<string, unknown>)[step]
  const { wait } = Atomics
  const endless = (): never => {
    for (;;) wait(words, 0, 0)
  }
  Object.defineProperty(owner, last, { value: endless, configurable: true, writable: true })
}

const POOLS: Readonly<Record<string, (uncaught: unknown[]) => ExecutorService>> = {
  fixed: (uncaught) => Executors.newFixedThreadPool(1, threads(uncaught)),
  scheduled: (uncaught) => Executors.newScheduledThreadPool(1, threads(uncaught)),
  "fork/join": (uncaught) => new ForkJoinPool({ parallelism: 1, threadFactory: threads(uncaught) }),
}

function threads(uncaught: unknown[]) {
  return platformThreads({ uncaughtException: (_thread, error) => void uncaught.push(error) })
}

for (const [kind, open] of Object.entries(POOLS)) {
  test(`[PL68][PL49] a thread that a built-in method holds up between tasks is replaced, and all tasks settle: ${kind}`, async () => {
    const ends = BUILT_INS.map(async (path) => {
      const uncaught: unknown[] = []
      await using pool = open(uncaught)
      const futures: Future<unknown>[] = [
        pool.submit(holdUp, path, new Int32Array(new SharedArrayBuffer(4))),
        pool.submit((n: number) => n + 1, 1),
        pool.submit(async (n: number) => n, 2),
      ]
      for (const result of await Promise.allSettled(futures)) {
        if (result.status === "rejected") assert.ok(result.reason instanceof ThreadDeathError, path)
      }
      pool.shutdown()
      assert.equal(await pool.awaitTermination(), true, path)
      for (const error of uncaught) assert.ok(error instanceof ThreadDeathError, path)
      if (pool instanceof ThreadPoolExecutor) assert.equal(pool.completedTaskCount, futures.length, path)
    })
    await Promise.all(ends)
  })
}

test("[PL68] the owner ends such a thread also while it blocks for a task behind it", async () => {
  await using pool = Executors.newFixedThreadPool(1, threads([]))
  const held = pool.submit(holdUp, "Map.prototype.get", new Int32Array(new SharedArrayBuffer(4)))
  const next = pool.submit((n: number) => n + 1, 1)
  assert.equal(next.getSync(), 2)
  await Promise.allSettled([held])
})

test("[PL68] neither a task nor the code that it has left behind in its thread counts as code of corepool", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const words = new Int32Array(new SharedArrayBuffer(12))
  await pool.submit(ownCode, words)
  await eventually(() => Atomics.load(words, 2) === 1)
  assert.deepEqual([...words], [0, 0, 1])
})

// ------------------------------------------------------------------ what the owner makes of what it sees

/** The watch over one worker, all of whose words can be set. */
class Scene {
  readonly memory = PoolMemory.create(-1, BY_ARRIVAL, 1)
  readonly bell = new Bell(this.memory.threadContext, () => undefined)
  readonly worker = {
    number: 1,
    status: RUNNING,
    token: this.memory.threadContext.token,
    asked: 0,
    markHeldUp: () => true,
  }
  ended = 0
  readonly watch: HeldUpThreads

  constructor(terminateAfter?: number) {
    const body = { options: { terminateAfter }, endHeldUp: () => this.ended++ } as unknown as WorkerBody
    const workers = [this.worker as unknown as SharedWorker]
    this.watch = new HeldUpThreads(this.memory, workers, () => body, this.bell)
    this.bell.hold()
  }

  /** As the timer would, which does not go off while the test does not return to the event loop. */
  look(times: number, before: () => void = () => undefined): void {
    for (let i = 0; i < times; i++) {
      before()
      this.watch.run()
    }
  }

  [Symbol.dispose](): void {
    this.watch.stop()
    this.memory.threadContext.stretch(false)
    this.bell.letGo()
    this.bell.end()
  }
}

/** More looks than it takes to end a thread. */
const MANY = 40

test("[PL68] a thread is ended after some seconds in the same stretch of corepool's own code, and not before", () => {
  using scene = new Scene()
  scene.memory.threadContext.stretch(true)
  scene.look(5)
  assert.equal(scene.ended, 0)
  scene.look(2)
  assert.equal(scene.ended, 1)
})

test("[PL68] a thread that gets on is not ended, however often it is seen in corepool's own code", () => {
  using scene = new Scene()
  scene.look(MANY, () => scene.memory.threadContext.stretch(true))
  assert.equal(scene.ended, 0)
})

test("[PL68] a thread is not ended that sleeps, waits for a hook, or is in user code, nor if the pool is paused", () => {
  using scene = new Scene()
  const { memory, worker } = scene
  scene.look(MANY)
  memory.threadContext.stretch(true)
  worker.asked = BEFORE
  scene.look(MANY)
  worker.asked = DONE
  memory.words[entryOf(1) + WORKER.PHASE] = worker.token
  scene.look(MANY)
  memory.words[entryOf(1) + WORKER.PHASE] = 0
  memory.state.control.setPaused(true)
  scene.look(MANY)
  assert.equal(scene.ended, 0)
  memory.state.control.setPaused(false)
  scene.look(MANY)
  assert.ok(scene.ended > 0)
})

test("[PL68] with a `terminateAfter` of Infinity no thread is ended", () => {
  using scene = new Scene(Infinity)
  scene.memory.threadContext.stretch(true)
  scene.look(MANY)
  assert.equal(scene.ended, 0)
})

test("[PL68] the owner looks only while tasks are pending", (t) => {
  using scene = new Scene()
  const { chores } = scene.memory.threadContext
  const begin = t.mock.method(chores, "add")
  const end = t.mock.method(chores, "delete")
  scene.look(2)
  assert.deepEqual([begin.mock.callCount(), end.mock.callCount()], [0, 0]) // it goes on as it has begun
  scene.bell.letGo()
  scene.look(1)
  assert.deepEqual(end.mock.calls[0]?.arguments, [scene.watch])
  scene.bell.hold()
  assert.deepEqual(begin.mock.calls[0]?.arguments, [scene.watch])
})
