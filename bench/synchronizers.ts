/** Locks, semaphores, latches and barriers: alone, and between two worker threads. */
import { type Bout, type Contender, type Contest, type Pair, requireEqual } from "./contest.ts"
import { corepool } from "./corepool.ts"
import { isJavaPresent, jdk } from "./jdk.ts"
import { multithreading } from "./rivals.ts"
import { TwoWorkers } from "./two-workers.ts"

/** Within three times of the JDK when nobody else wants it, and ahead of the rival when somebody does. */
const AGAINST_JDK = 0.33
const AGAINST_RIVAL = 1

let team: TwoWorkers | undefined

function together(work: string, shared: Record<string, unknown>, turns: number): Promise<void> {
  team ??= new TwoWorkers(new URL("synchronizers-worker.js", import.meta.url))
  return team.run({ work, shared, turns })
}

function counter(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(4))
}

// ------------------------------------------------------------------ corepool

const lockAlone: Contender = {
  name: "ReentrantLock",
  async run(n) {
    const { ReentrantLock } = await corepool()
    const lock = new ReentrantLock()
    const count = counter()
    for (let i = 0; i < n; i++) {
      lock.lockSync()
      count[0] = (count[0] ?? 0) + 1
      lock.unlock()
    }
    requireEqual("the counter", count[0] ?? 0, n)
  },
}

const semaphoreAlone: Contender = {
  name: "Semaphore",
  async run(n) {
    const { Semaphore } = await corepool()
    const semaphore = new Semaphore(1)
    const count = counter()
    for (let i = 0; i < n; i++) {
      semaphore.acquireSync()
      count[0] = (count[0] ?? 0) + 1
      semaphore.release()
    }
    requireEqual("the counter", count[0] ?? 0, n)
  },
}

const lockBetween: Contender = {
  name: "ReentrantLock",
  async run(n) {
    const { ReentrantLock } = await corepool()
    const count = counter()
    await together("lock", { lock: new ReentrantLock(), counter: count }, n / 2)
    requireEqual("the counter", count[0] ?? 0, n)
  },
}

const semaphoreBetween: Contender = {
  name: "Semaphore",
  async run(n) {
    const { Semaphore } = await corepool()
    const count = counter()
    await together("semaphore", { semaphore: new Semaphore(1), counter: count }, n / 2)
    requireEqual("the counter", count[0] ?? 0, n)
  },
}

const barrierBetween: Contender = {
  name: "CyclicBarrier",
  async run(n) {
    const { CyclicBarrier } = await corepool()
    await together("barrier", { barrier: new CyclicBarrier(2) }, n)
  },
}

const latchBetween: Contender = {
  name: "CountDownLatch",
  async run(n) {
    const { CountDownLatch } = await corepool()
    await together("latch", { latches: Array.from({ length: 2 * n }, () => new CountDownLatch(1)) }, n)
  },
}

// ------------------------------------------------------------------ multithreading

const rivalLockAlone: Contender = {
  name: "multithreading Mutex",
  async run(n) {
    const { Mutex } = await multithreading()
    const mutex = new Mutex(counter())
    let count = 0
    for (let i = 0; i < n; i++) {
      const guard = mutex.blockingLock()
      count = guard.value[0] = (guard.value[0] ?? 0) + 1
      guard.dispose()
    }
    requireEqual("the counter", count, n)
  },
}

const rivalSemaphoreAlone: Contender = {
  name: "multithreading Semaphore",
  async run(n) {
    const { Semaphore } = await multithreading()
    const semaphore = new Semaphore(1)
    const count = counter()
    for (let i = 0; i < n; i++) {
      const guard = semaphore.blockingAcquire()
      count[0] = (count[0] ?? 0) + 1
      guard.dispose()
    }
    requireEqual("the counter", count[0] ?? 0, n)
  },
}

const rivalLockBetween: Contender = {
  name: "multithreading Mutex",
  async run(n) {
    const { Mutex, move, spawn } = await multithreading()
    const mutex = new Mutex(counter())
    // Sent as source: it must not refer to anything out here.
    const job = (shared: typeof mutex, turns: number): number => {
      let count = 0
      for (let i = 0; i < turns; i++) {
        const guard = shared.blockingLock()
        count = guard.value[0] = (guard.value[0] ?? 0) + 1
        guard.dispose()
      }
      return count
    }
    const results = await Promise.all([0, 1].map(() => spawn(move(mutex, n / 2), job).join()))
    requireEqual("the counter", Math.max(...results.map(({ value }) => value ?? 0)), n)
  },
}

const rivalSemaphoreBetween: Contender = {
  name: "multithreading Semaphore",
  async run(n) {
    const { Semaphore, move, spawn } = await multithreading()
    const semaphore = new Semaphore(1)
    const job = (shared: typeof semaphore, turns: number): number => {
      for (let i = 0; i < turns; i++) shared.blockingAcquire().dispose()
      return turns
    }
    const results = await Promise.all([0, 1].map(() => spawn(move(semaphore, n / 2), job).join()))
    for (const { value } of results) requireEqual("the turns", value ?? 0, n / 2)
  },
}

const rivalBarrierBetween: Contender = {
  name: "multithreading Barrier",
  async run(n) {
    const { Barrier, move, spawn } = await multithreading()
    const barrier = new Barrier(2)
    const job = (shared: typeof barrier, turns: number): number => {
      for (let i = 0; i < turns; i++) shared.blockingWait()
      return turns
    }
    const results = await Promise.all([0, 1].map(() => spawn(move(barrier, n), job).join()))
    for (const { value } of results) requireEqual("the turns", value ?? 0, n)
  },
}

// ------------------------------------------------------------------ bouts

/** The JDK's contender, if there is a JDK. */
function against(ours: Contender, name: string, work: string, target?: number): Pair[] {
  if (!isJavaPresent()) return []
  const rival = jdk(name, "Synchronizers", work)
  return [target === undefined ? { ours, rival } : { ours, rival, target }]
}

const bouts: Bout[] = [
  {
    title: "times lock and unlock, nobody else wants it",
    n: 2_000_000,
    pairs: [{ ours: lockAlone, rival: rivalLockAlone }, ...against(lockAlone, "ReentrantLock", "lock", AGAINST_JDK)],
  },
  {
    title: "times acquire and release, nobody else wants it",
    n: 2_000_000,
    pairs: [
      { ours: semaphoreAlone, rival: rivalSemaphoreAlone },
      ...against(semaphoreAlone, "Semaphore", "semaphore", AGAINST_JDK),
    ],
  },
  {
    title: "times lock and unlock, by two threads at once",
    n: 1_000_000,
    pairs: [
      { ours: lockBetween, rival: rivalLockBetween, target: AGAINST_RIVAL },
      ...against(lockBetween, "ReentrantLock", "contended-lock"),
    ],
  },
  {
    title: "times acquire and release of one permit, by two threads at once",
    n: 1_000_000,
    pairs: [
      { ours: semaphoreBetween, rival: rivalSemaphoreBetween, target: AGAINST_RIVAL },
      ...against(semaphoreBetween, "Semaphore", "contended-semaphore"),
    ],
  },
  {
    title: "meetings of two threads at a barrier",
    n: 20_000,
    pairs: [
      { ours: barrierBetween, rival: rivalBarrierBetween, target: AGAINST_RIVAL },
      ...against(barrierBetween, "CyclicBarrier", "barrier"),
    ],
  },
  {
    title: "round trips over two latches",
    n: 10_000,
    pairs: against(latchBetween, "CountDownLatch", "latch"),
  },
]

export const synchronizers: Contest = {
  name: "synchronizers",
  measures: "time",
  bouts: bouts.filter(({ pairs }) => pairs.length > 0),
}
