/** Tasks of these tests that run on both kinds of threads: what they do is written into words that all threads share. */
import {
  type AtomicInteger,
  type ScheduledExecutorService,
  type ScheduledThreadPoolExecutor,
  task,
  Thread,
} from "corepool"
import { note as write, words } from "../../support/shared-words.ts"

/** Writes the number into a SharedLog. */
export const note = task(import.meta.url, function note(log: number, base: number, id: number): number {
  write(log, base, id)
  return id
})

/** The same, and the call after which there are so many entries throws. */
export const noteUntil = task(import.meta.url, function noteUntil(log: number, base: number, id: number, last: number) {
  if (write(log, base, id) >= last) throw new RangeError(`run ${last}`)
})

/** Writes down when it starts, the number, and when it ends, its negative; and sleeps in between. */
export const noteBoth = task(
  import.meta.url,
  async function noteBoth(log: number, base: number, id: number, ms: number): Promise<void> {
    write(log, base, id)
    await Thread.sleep(ms)
    write(log, base, -id)
  },
)

/** Counts itself in and out, and the times at which somebody else was inside. */
export const alone = task(import.meta.url, async function alone(inside: number, clashes: number): Promise<void> {
  if (Atomics.add(words, inside, 1) !== 0) Atomics.add(words, clashes, 1)
  await new Promise((resolve) => setTimeout(resolve))
  Atomics.sub(words, inside, 1)
})

/** Stays until its gate is open or it is interrupted, which it then fails with. */
export const stay = task(import.meta.url, async function stay(gate: number): Promise<void> {
  Atomics.add(words, gate, 1)
  while (Atomics.load(words, gate + 1) === 0) await Thread.sleep(1)
})

/** Stays until its gate is open, whatever happens, and counts how often it began uninterrupted. */
export const stayOn = task(import.meta.url, async function stayOn(gate: number): Promise<string> {
  Atomics.add(words, gate, 1)
  while (Atomics.load(words, gate + 1) === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  return "stayed"
})

/** Blocks its thread until its gate is open. */
export const block = task(import.meta.url, function block(gate: number): void {
  Atomics.add(words, gate, 1)
  while (Atomics.load(words, gate + 1) === 0) Atomics.wait(words, gate + 1, 0)
})

/** Deaf to interrupts. */
export const spin = task(import.meta.url, function spin(count: number): void {
  for (;;) Atomics.add(words, count, 1)
})

export const count = task(import.meta.url, function count(index: number): number {
  return Atomics.add(words, index, 1) + 1
})

export const same = task(import.meta.url, function same<T>(value: T): T {
  return value
})

export const fail = task(import.meta.url, function fail(message: string): never {
  throw new RangeError(message)
})

/** Ends its thread in the run with this number. */
export const dieOn = task(import.meta.url, function dieOn(runs: number, last: number): void {
  if (Atomics.add(words, runs, 1) + 1 === last) process.exit(5)
})

export const threadName = task(import.meta.url, function threadName(): string {
  return Thread.currentThread().name
})

export const isInterrupted = task(import.meta.url, function isInterrupted(): boolean {
  return Thread.currentThread().isInterrupted
})

// ------------------------------------------------------------------ with the pool as an argument

/** Schedules, in the pool that it is given, a task and a series that ends itself; what becomes of them. */
export const scheduleMore = task(
  import.meta.url,
  async function scheduleMore(pool: ScheduledExecutorService, runs: number): Promise<unknown[]> {
    const once = pool.schedule(same, 2, "later")
    const series = pool.scheduleAtFixedRate(count, 0, 1, runs)
    const outcome = await once
    while (Atomics.load(words, runs) < 3) await Thread.sleep(1)
    const seen = [series.isPeriodic, series.cancel(), series.isCancelled]
    return [outcome, ...seen]
  },
)

/** Blocks for a task that is due later. */
export const getLater = task(
  import.meta.url,
  function getLater(pool: ScheduledExecutorService, log: number, base: number, delay: number): number {
    return pool.schedule(note, delay, log, base, 7).getSync()
  },
)

/** They stay in memory: a thread that has dropped an object gets another one for the same thing. */
const met = new Set<object>()

/** Counts its runs, and the objects that it had not met before. */
export const meet = task(
  import.meta.url,
  function meet(counter: AtomicInteger, bytes: SharedArrayBuffer, strangers: AtomicInteger): void {
    if (!met.has(counter)) strangers.incrementAndGet()
    met.add(counter)
    Atomics.add(new Int32Array(bytes), 0, 1)
    counter.incrementAndGet()
  },
)

/** Counts the keys that it is given. */
export const countKey = task(import.meta.url, function countKey(key: { readonly type: string }, total: number): void {
  if (key.type === "secret") Atomics.add(words, total, 1)
})

/** Schedules in the thread of the task, by a view that was sent there, and says what is listed there. */
export const scheduleThere = task(
  import.meta.url,
  function scheduleThere(view: ScheduledExecutorService, pool: ScheduledThreadPoolExecutor): (string | number)[] {
    const future = view.schedule(() => 1, 3_600_000)
    const before = pool.schedules().map(({ name }) => String(name))
    const cancelled = pool.cancelSchedules("sent")
    return [...before, cancelled, future.state]
  },
)
