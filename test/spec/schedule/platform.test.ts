/** What is particular to scheduled pools of platform threads. Ids such as [SP1] refer to docs/spec/schedule.md. */
import {
  AtomicInteger,
  CancellationError,
  Executors,
  platformThreads,
  type Runnable,
  ScheduledThreadPoolExecutor,
  type Thread,
  ThreadDeathError,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf } from "../../support/harness.ts"
import { canSeeThreads, threadNumbers, untilAsleep } from "../../support/sleeping-threads.ts"
import { requireTermination } from "../../support/termination.ts"
import { SharedCount, SharedLog } from "../../support/shared-words.ts"
import { OpenSchedule } from "./support.ts"
import * as tasks from "./tasks.ts"

const HOUR = 3_600_000

/** Computes until the condition holds, and gives the event loop no turn. */
function computeUntil(condition: () => boolean): void {
  const end = performance.now() + 20_000
  while (!condition()) if (performance.now() > end) throw new Error(`Never came true: ${String(condition)}`)
}

test("[SP1] runs start while the thread that scheduled them computes", async () => {
  await using pool = new OpenSchedule("platform", 2)
  await Promise.all([pool.submit(tasks.same, 1), pool.submit(tasks.same, 2)])
  const log = new SharedLog()
  const counter = new SharedCount()
  const once = pool.schedule(tasks.note, 5, log.index, log.base, 1)
  const series = pool.scheduleAtFixedRate(tasks.count, 1, 1, counter.index)
  computeUntil(() => once.isDone && counter.value >= 5) // not log.length: the task notes it before it is over
  series.cancel()
  assert.deepEqual([once.resultNow(), log.ids], [1, [1]])
})

test("[SP1] and while it blocks, also if that is what it started its threads for", async () => {
  await using pool = new OpenSchedule("platform")
  const counter = new SharedCount()
  const series = pool.scheduleAtFixedRate(tasks.count, 0, 1, counter.index)
  assert.equal(pool.schedule(tasks.same, 10, "blocked for").getSync(), "blocked for")
  assert.ok(counter.value > 0)
  series.cancel()
})

for (const isWrapped of [false, true]) {
  test(`[SP2] a task schedules in the pool that it is given${isWrapped ? ", wrapped" : ""}`, async () => {
    await using pool = new OpenSchedule("platform", 2)
    const counter = new SharedCount()
    const given = isWrapped ? Executors.unconfigurableScheduledExecutorService(pool) : pool
    const seen = await pool.submit(tasks.scheduleMore, given, counter.index)
    assert.deepEqual(seen, ["later", true, true, true])
    await eventually(() => pool.activeCount === 0)
    const runs = counter.value
    assert.equal(await pool.schedule(tasks.same, 5, 1), 1)
    assert.equal(counter.value, runs)
  })
}

test("[SP3] a task of the only thread may block for one that is due later, and runs it then", async () => {
  await using pool = new OpenSchedule("platform")
  const log = new SharedLog()
  const due = log.now + 20
  assert.equal(await pool.submit(tasks.getLater, pool, log.index, log.base, 20), 7)
  assert.ok((log.times[0] as number) >= due)
  assert.equal(pool.largestPoolSize, 1)
})

test("[SP4] a thread that dies in a run ends that series, and no other", async () => {
  await using pool = new OpenSchedule("platform", 2)
  const [runs, others] = [new SharedCount(), new SharedCount()]
  const doomed = pool.scheduleAtFixedRate(tasks.dieOn, 0, 1, runs.index, 3)
  const other = pool.scheduleAtFixedRate(tasks.count, 0, 1, others.index)
  const error = await rejectionOf(doomed)
  assert.ok(error instanceof ThreadDeathError)
  assert.match(error.message, /exit code 5/)
  const before = others.value
  await eventually(() => others.value > before + 5 && pool.poolSize === 2)
  other.cancel()
  assert.deepEqual([runs.value, doomed.isCancelled, doomed.nextRunAt], [3, false, undefined])
})

test("[SP4] one that dies while it waits for the time of the first task costs nothing", async () => {
  await using pool = new OpenSchedule("platform")
  const name = await pool.submit(tasks.threadName)
  const far = pool.schedule(tasks.same, HOUR, "far")
  await pool.submit(() => void setTimeout(() => process.exit(3)))
  let next = name
  while (next === name) next = await pool.schedule(tasks.threadName, 20) // until the thread has died, whenever it gets round to that
  assert.deepEqual([pool.queue.toArray(), pool.poolSize], [[far], 1])
})

test("[SP5] a run that does not stop when it is cancelled is ended with its thread, and others go on", async () => {
  await requireTermination()
  await using pool = new OpenSchedule("platform", 1, { threadFactory: platformThreads({ terminateAfter: 5 }) })
  const [spins, others] = [new SharedCount(), new SharedCount()]
  const other = pool.scheduleAtFixedRate(tasks.count, 0, 1, others.index)
  const deaf = pool.scheduleWithFixedDelay(tasks.spin, 0, 1, spins.index)
  await eventually(() => spins.value > 0)
  assert.equal(deaf.cancel(true), true)
  const before = others.value
  await eventually(() => others.value > before + 3)
  other.cancel()
  const last = spins.value
  assert.equal(await pool.submit(tasks.same, 1), 1)
  assert.deepEqual([spins.value, deaf.isCancelled, pool.poolSize], [last, true, 1])
})

class Hooked extends ScheduledThreadPoolExecutor {
  readonly calls: string[] = []
  readonly tasks = new Set<Runnable>()
  throws: "before" | "after" | undefined

  protected override beforeExecute(thread: Thread, task: Runnable): void {
    this.#called("before", task)
    assert.equal(thread.isVirtual, false)
  }

  protected override afterExecute(task: Runnable, error?: unknown): void {
    assert.ok(error === undefined || this.throws === "after")
    this.#called("after", task)
  }

  #called(hook: "before" | "after", task: Runnable): void {
    this.calls.push(hook)
    this.tasks.add(task)
    if (this.throws === hook) throw new RangeError(hook)
  }
}

function hooked(): { pool: Hooked; uncaught: string[] } {
  const uncaught: string[] = []
  const threadFactory = platformThreads({ uncaughtException: (_, error) => uncaught.push((error as Error).message) })
  return { pool: new Hooked({ corePoolSize: 1, threadFactory }), uncaught }
}

test("[SC44][SP6] the hooks are called by the owner around every run, with its future", async () => {
  const { pool } = hooked()
  const log = new SharedLog()
  const series = pool.scheduleAtFixedRate(tasks.noteUntil, 0, 1, log.index, log.base, 1, 3)
  assert.match(String(await rejectionOf(series)), /run 3/)
  await pool.close()
  assert.deepEqual(pool.calls, ["before", "after", "before", "after", "before", "after"])
  assert.deepEqual([...pool.tasks], [series])
})

test("[SP6] they are called for a task too that another one runs, because it waits for it", async () => {
  const { pool } = hooked()
  const log = new SharedLog()
  assert.equal(await pool.submit(tasks.getLater, pool, log.index, log.base, 5), 7)
  await pool.close()
  assert.deepEqual(pool.calls, ["before", "before", "after", "after"])
})

test("[SC44][SP6] if beforeExecute throws the series fails; if afterExecute does it goes on, on another thread", async () => {
  const { pool, uncaught } = hooked()
  const counter = new SharedCount()
  const series = pool.scheduleAtFixedRate(tasks.count, 0, 1, counter.index)
  await eventually(() => counter.value >= 2)
  pool.throws = "after"
  await eventually(() => uncaught.includes("after"))
  pool.throws = undefined
  const before = counter.value
  await eventually(() => counter.value > before + 2)
  pool.throws = "before"
  assert.match(String(await rejectionOf(series)), /RangeError: before/)
  pool.throws = undefined
  assert.equal(await pool.submit(tasks.same, "works"), "works")
  await pool.close()
})

test("[SP6] afterExecute may cancel the series it is called for", async () => {
  const { pool } = hooked()
  const counter = new SharedCount()
  const series = pool.scheduleAtFixedRate(tasks.count, 0, 1, counter.index)
  const tasksAdd = pool.tasks.add.bind(pool.tasks)
  pool.tasks.add = (task) => {
    if (counter.value === 2 && pool.calls.at(-1) === "after") series.cancel(true)
    return tasksAdd(task)
  }
  assert.ok((await rejectionOf(series)) instanceof CancellationError)
  assert.equal(await pool.submit(tasks.isInterrupted), false)
  assert.equal(counter.value, 2)
  await pool.close()
})

test("[SP7] shared things are the same in every run of a series, whatever thread it is on", async () => {
  await using pool = new OpenSchedule("platform", 2)
  const [counter, strangers] = [new AtomicInteger(), new AtomicInteger()]
  const bytes = new SharedArrayBuffer(4)
  const series = pool.scheduleAtFixedRate(tasks.meet, 0, 1, counter, bytes, strangers)
  await eventually(() => counter.get() >= 20)
  series.cancel()
  await eventually(() => pool.activeCount === 0)
  assert.equal(new Int32Array(bytes)[0], counter.get())
  assert.ok(strangers.get() >= 1 && strangers.get() <= 2, "one object for each thread")
})

test("[SP7] what has to be posted is posted for every run", async () => {
  await using pool = new OpenSchedule("platform", 2)
  const total = new SharedCount()
  // Only the runtime can copy it.
  const key = await crypto.subtle.generateKey({ name: "AES-GCM", length: 128 }, true, ["encrypt"])
  await pool.schedule(tasks.countKey, 0, key, total.index)
  assert.equal(total.value, 1)
  const series = pool.scheduleAtFixedRate(tasks.countKey, 0, 1, key, total.index)
  await eventually(() => total.value >= 5 || series.isDone)
  assert.equal(series.isDone, false)
  series.cancel()
})

test("[SP8] the threads of a pool whose next run is an hour away sleep", async (t) => {
  if (!canSeeThreads(t)) return
  const earlier = threadNumbers()
  await using pool = new OpenSchedule("platform", 2, { threadFactory: platformThreads({ terminateAfter: 1 }) })
  for (const hours of [1, 2, 3]) pool.schedule(tasks.same, hours * HOUR, 1)
  pool.scheduleAtFixedRate(tasks.same, 0, HOUR, 1)
  await eventually(() => pool.completedTaskCount === 1 && pool.activeCount === 0)
  await untilAsleep(earlier)
})

test("[SP9] a hundred thousand tasks wait, and are taken in order", async () => {
  await using pool = new OpenSchedule("platform")
  const futures = Array.from({ length: 100_000 }, (_, i) => pool.schedule(tasks.same, HOUR + ((i * 7919) % 100_000), i))
  assert.equal(pool.queue.size, 100_000)
  assert.equal(pool.queue.peek(), futures[0])
  assert.equal(await pool.schedule(tasks.same, 1, "soon"), "soon")
  const handedBack = pool.shutdownNow()
  assert.equal(handedBack.length, 100_000)
  assert.ok(futures.every(({ isCancelled }) => isCancelled))
})
