/** What other threads do with a read-write lock in the tests. */
import { ReentrantLock, ReentrantReadWriteLock, type Shared } from "#src/lock/index.js"
import { block } from "#src/memory/atomics.js"
import { exhaust } from "../../support/memory-limits.ts"
import type { Voice } from "../../support/workers.ts"

/** What can be done to a lock, in one word. */
const ACTS = {
  read: (lock: ReentrantReadWriteLock) => lock.readLock.lockSync(),
  write: (lock: ReentrantReadWriteLock) => lock.writeLock.lockSync(),
  readInterruptibly: (lock: ReentrantReadWriteLock) => lock.readLock.lockInterruptiblySync(),
  writeInterruptibly: (lock: ReentrantReadWriteLock) => lock.writeLock.lockInterruptiblySync(),
  readWithin: (lock: ReentrantReadWriteLock) => lock.readLock.tryLockSync(100_000),
  writeWithin: (lock: ReentrantReadWriteLock) => lock.writeLock.tryLockSync(100_000),
  endRead: (lock: ReentrantReadWriteLock) => lock.readLock.unlock(),
  endWrite: (lock: ReentrantReadWriteLock) => lock.writeLock.unlock(),
}

export type Act = keyof typeof ACTS

/** Does all this, says so, and stays until the gate opens. Then it has what it has; what it gives tells that. */
export function doThis(this: Voice, shared: Shared, acts: Act[], gate: Shared): unknown {
  const lock = ReentrantReadWriteLock.from(shared)
  for (const act of acts) ACTS[act](lock)
  this.say("done")
  ReentrantLock.from(gate).lockSync().unlock()
  return { reads: lock.readHoldCount, writes: lock.writeHoldCount, abandoned: isAbandoned(lock) }
}

function isAbandoned({ readLock, writeLock }: ReentrantReadWriteLock): boolean {
  return readLock.wasAbandoned || writeLock.wasAbandoned
}

/** Does all this, says so when the gate has opened, and unlocks what it holds in the end. */
export function doAndUndo(this: Voice, shared: Shared, acts: Act[], gate: Shared): void {
  doThis.call(this, shared, acts, gate)
  const lock = ReentrantReadWriteLock.from(shared)
  while (lock.readHoldCount > 0) lock.readLock.unlock()
  while (lock.writeHoldCount > 0) lock.writeLock.unlock()
}

export function doAndExit(this: Voice, shared: Shared, acts: Act[]): void {
  const lock = ReentrantReadWriteLock.from(shared)
  for (const act of acts) ACTS[act](lock)
  this.say("done")
  process.exit(3)
}

export async function doAndExhaust(this: Voice, shared: Shared, acts: Act[]): Promise<void> {
  const lock = ReentrantReadWriteLock.from(shared)
  for (const act of acts) ACTS[act](lock)
  this.say("done")
  setTimeout(exhaust)
  await new Promise(() => undefined)
}

/** Writes, and lets go when so many others wait. */
export function writeUntilAwaited(this: Voice, shared: Shared, waiters: number): void {
  const lock = ReentrantReadWriteLock.from(shared)
  lock.writeLock.lockSync()
  this.say("done")
  while (lock.queueLength < waiters) block(1)
  lock.writeLock.unlock()
}

/** Waits for a signal of the condition, as the writer. */
export function awaitSignal(this: Voice, shared: Shared, condition: Shared): unknown {
  const lock = ReentrantReadWriteLock.from(shared)
  const received = lock.writeLock.conditionFrom(condition)
  lock.writeLock.lockSync()
  lock.readLock.lockSync()
  this.say("waiting")
  received.awaitSync()
  return { reads: lock.readHoldCount, writes: lock.writeHoldCount }
}

/** Reads and writes records: all words of one are the same, except while somebody writes it. How often it was not so. */
export function readAndWrite(shared: Shared, memory: SharedArrayBuffer, rounds: number, seed: number): unknown {
  const { readLock, writeLock } = ReentrantReadWriteLock.from(shared)
  const record = new Int32Array(memory)
  let [torn, written, random] = [0, 0, seed]
  for (let round = 0; round < rounds; round++) {
    random = (Math.imul(random, 1_103_515_245) + 12_345) | 0
    const choice = (random >>> 16) & 7
    if (choice === 0) {
      using _ = writeLock.lockSync()
      for (let index = 0; index < record.length; index++) record[index] = (record[index] ?? 0) + 1
      if ((random & 1) === 0) readLock.lockSync().unlock()
      written++
    } else {
      if (choice === 1 && !readLock.tryLock()) continue
      if (choice !== 1) readLock.lockSync()
      for (const word of record) if (word !== record[0]) torn++
      readLock.unlock()
    }
  }
  return { torn, written }
}

/** Locks and unlocks in all ways, until it is killed. */
export async function lockForEver(this: Voice, shared: Shared, seed: number): Promise<void> {
  const { readLock, writeLock } = ReentrantReadWriteLock.from(shared)
  this.say("going")
  for (let random = seed; ;) {
    random = (Math.imul(random, 1_103_515_245) + 12_345) | 0
    const choice = (random >>> 16) & 15
    const lock = (choice & 3) === 0 ? writeLock : readLock
    if (choice < 8) {
      lock.lockSync()
      if (lock === writeLock && choice === 4) {
        readLock.lockSync()
        writeLock.unlock()
        readLock.unlock()
      } else lock.unlock()
    } else if (choice < 12) {
      if (lock.tryLock()) lock.unlock()
    } else if (choice < 14) {
      if (lock.tryLockSync(0.1)) lock.unlock()
    } else {
      // Three waits at once. Each hold is given back when it comes and not when all are there: another thread's writer may
      // stand between two of them, and wait for the first to be given back.
      await Promise.all([
        readLock.lock().then((guard) => guard.unlock()),
        readLock.lockInterruptibly().then((guard) => guard.unlock()),
        lock.tryLock(1).then((locked) => locked && lock.unlock()),
      ])
    }
  }
}
