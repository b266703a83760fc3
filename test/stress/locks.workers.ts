/** What the threads of locks.test.ts do. */
import { AbstractQueuedSynchronizer, ReentrantLock, ReentrantReadWriteLock, Semaphore, type Shared } from "corepool"
import { Dice } from "../support/stress.ts"
import type { Voice } from "../support/workers.ts"

export type Kind = "unfair" | "fair" | "write" | "semaphore" | "own synchronizer"

/** A lock that anybody may unlock. */
export class Mutex extends AbstractQueuedSynchronizer {
  protected override tryAcquire(): boolean {
    return this.compareAndSetState(0, 1)
  }

  protected override tryRelease(): boolean {
    this.state = 0
    return true
  }
}

/** One of the ways to have a lock for oneself. */
interface Exclusion {
  enterSync(): void
  enter(): Promise<unknown>
  tryEnter(ms: number): boolean
  exit(): void
  readonly wasAbandoned?: boolean
}

function exclusionOf(kind: Kind, shared: Shared): Exclusion {
  if (kind === "semaphore") {
    const semaphore = Semaphore.from(shared)
    return {
      enterSync: () => void semaphore.acquireSync(),
      enter: () => semaphore.acquire(),
      tryEnter: (ms) => semaphore.tryAcquireSync(1, ms),
      exit: () => semaphore.release(),
    }
  }
  if (kind === "own synchronizer") {
    const mutex = new Mutex(shared)
    return {
      enterSync: () => mutex.acquireSync(1),
      enter: () => mutex.acquire(1),
      tryEnter: (ms) => mutex.tryAcquireWithinSync(1, ms),
      exit: () => void mutex.release(1),
    }
  }
  const lock = kind === "write" ? ReentrantReadWriteLock.from(shared).writeLock : ReentrantLock.from(shared)
  return {
    enterSync: () => void lock.lockSync(),
    enter: () => lock.lock(),
    tryEnter: (ms) => lock.tryLockSync(ms),
    exit: () => lock.unlock(),
    get wasAbandoned() {
      return lock.wasAbandoned
    },
  }
}

/** Waits until all are there: a thread may be done sooner than the next one is started. */
function begin(words: Int32Array, index: number, threads: number): void {
  Atomics.add(words, index, 1)
  Atomics.notify(words, index)
  for (let there = 0; there < threads; there = Atomics.load(words, index)) Atomics.wait(words, index, there)
}

/** Adds 1 so many times, each time in a way that the dice choose. */
export async function increment(
  kind: Kind,
  shared: Shared,
  counter: Int32Array,
  threads: number,
  turns: number,
  seed: number,
): Promise<void> {
  const lock = exclusionOf(kind, shared)
  const dice = new Dice(seed)
  begin(counter, 1, threads)
  for (let turn = 0; turn < turns;) {
    const way = dice.roll(1000)
    // Awaiting costs a turn of the event loop now and then: enough to have both colours meet.
    if (way < 5) await lock.enter()
    else if (way > 10) lock.enterSync()
    else if (!lock.tryEnter(1)) continue
    counter[0] = (counter[0] ?? 0) + 1
    lock.exit()
    turn++
  }
}

/** Reads a record of two words while others write it: the words must agree. */
export function readRecord(shared: Shared, record: Int32Array, threads: number, turns: number): void {
  const { readLock } = ReentrantReadWriteLock.from(shared)
  begin(record, 2, threads)
  for (let turn = 0; turn < turns; turn++) {
    readLock.lockSync()
    const [first, second] = record
    readLock.unlock()
    if (first !== second) throw new Error(`A half-written record: ${first}, ${second}`)
  }
}

export function writeRecord(shared: Shared, record: Int32Array, threads: number, turns: number): void {
  const { writeLock } = ReentrantReadWriteLock.from(shared)
  begin(record, 2, threads)
  for (let turn = 0; turn < turns; turn++) {
    writeLock.lockSync()
    record[0] = (record[0] ?? 0) + 1
    record[1] = (record[1] ?? 0) + 1
    writeLock.unlock()
  }
}

/** Changes a record under a lock until told to stop, or killed. Whoever follows a dead one makes the record whole again. */
export async function live(
  this: Voice,
  kind: Kind,
  shared: Shared,
  record: Int32Array,
  control: Int32Array,
  seed: number,
): Promise<void> {
  const lock = exclusionOf(kind, shared)
  const dice = new Dice(seed)
  this.say("alive")
  while (Atomics.load(control, 0) === 0) {
    const way = dice.roll(100)
    if (way < 5) await lock.enter()
    else if (way > 10) lock.enterSync()
    else if (!lock.tryEnter(1)) continue
    if (lock.wasAbandoned === true) record[1] = record[0] ?? 0
    if (record[0] !== record[1]) throw new Error(`A half-written record: ${record[0]}, ${record[1]}`)
    record[0] = (record[0] ?? 0) + 1
    if (dice.roll(50) === 0) Atomics.add(control, 1, 1)
    record[1] = (record[1] ?? 0) + 1
    lock.exit()
    // A thread that never returns to its event loop hears of no death but by corepool's own means, which is what is tested.
    if (dice.roll(200) === 0) await new Promise((resolve) => setImmediate(resolve))
  }
}
