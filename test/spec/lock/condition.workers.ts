/**
 * What the worker threads of the tests of conditions do. They say what came of it, and stay: the end of a thread ends the waits of
 * all others.
 */
import { type Condition, ReentrantLock, type Shared, Thread } from "corepool"
import { block, read, write } from "#src/memory/atomics.js"
import { threadContext } from "#src/memory/thread/this-thread.js"
import type { Voice } from "../../support/workers.ts"

/** A lock and a condition of it, as they arrive. */
interface Pair {
  readonly lock: Shared
  readonly condition: Shared
}

function open({ lock, condition }: Pair): { lock: ReentrantLock; condition: Condition } {
  const opened = ReentrantLock.from(lock)
  return { lock: opened, condition: opened.conditionFrom(condition) }
}

/** Until the test is over. */
function stay(): Promise<never> {
  return new Promise(() => setInterval(() => undefined, 100_000))
}

export type Wait = "await" | "awaitSync" | "awaitUninterruptibly" | "awaitUninterruptiblySync"

/** Waits, with three holds. Says by which token to interrupt it, and how the wait ended. */
export async function waitOnce(this: Voice, pair: Pair, form: Wait, ms = Infinity): Promise<void> {
  const { lock, condition } = open(pair)
  for (let hold = 0; hold < 3; hold++) lock.lockSync()
  this.say(threadContext().token)
  let outcome: unknown
  try {
    if (form === "awaitUninterruptiblySync") condition.awaitUninterruptiblySync()
    else outcome = await condition[form](ms)
  } catch (error) {
    outcome = (error as Error).name
  }
  const { holdCount, wasAbandoned } = lock
  while (lock.isHeldByCurrentThread) lock.unlock()
  this.say({ outcome, raised: Thread.interrupted(), holdCount, wasAbandoned })
  await stay()
}

/** Waits until so many wait for a signal, and signals one or all of them. */
export async function signalWhen(this: Voice, pair: Pair, waiting: number, all: boolean): Promise<void> {
  const { lock, condition } = open(pair)
  lock.lockSync()
  while (condition.waitQueueLength !== waiting) {
    lock.unlock()
    block(1)
    lock.lockSync()
  }
  if (all) condition.signalAll()
  else condition.signal()
  lock.unlock()
  await stay()
}

/** Signals and dies, or is to be killed, with the lock. */
export async function signalAndStay(this: Voice, pair: Pair): Promise<void> {
  const { lock, condition } = open(pair)
  lock.lockSync()
  condition.signalAll()
  this.say("signalled")
  await new Promise(() => setInterval(() => undefined, 100_000)) // in the event loop, where Deno can end it
}

/** Whether conditions of other locks are refused. */
export function openWrong(this: Voice, lock: Shared, others: readonly Shared[]): string[] {
  const opened = ReentrantLock.from(lock)
  return others.map((other) => {
    try {
      opened.conditionFrom(other)
      return "no error"
    } catch (error) {
      return (error as Error).name
    }
  })
}

/** The words of a buffer for one number. */
const FULL = 0
const VALUE = 1

export interface Buffer extends Pair {
  readonly notFull: Shared
  readonly words: Int32Array
}

/** Puts the numbers from 1 on into the buffer, one after the other; awaiting or blocking. */
export async function produce(this: Voice, buffer: Buffer, count: number, blocking: boolean): Promise<void> {
  const { lock, condition: notEmpty } = open(buffer)
  const notFull = lock.conditionFrom(buffer.notFull)
  for (let value = 1; value <= count; value++) {
    using _ = blocking ? lock.lockSync() : await lock.lock()
    while (read(buffer.words, FULL) !== 0) {
      if (blocking) notFull.awaitSync()
      else await notFull.await()
    }
    write(buffer.words, VALUE, value)
    write(buffer.words, FULL, 1)
    notEmpty.signal()
  }
}

/** Takes so many numbers out; their sum. */
export async function consume(this: Voice, buffer: Buffer, count: number, blocking: boolean): Promise<number> {
  const { lock, condition: notEmpty } = open(buffer)
  const notFull = lock.conditionFrom(buffer.notFull)
  let sum = 0
  for (let left = count; left > 0; left--) {
    using _ = blocking ? lock.lockSync() : await lock.lock()
    while (read(buffer.words, FULL) === 0) {
      if (blocking) notEmpty.awaitSync()
      else await notEmpty.await()
    }
    sum += read(buffer.words, VALUE)
    write(buffer.words, FULL, 0)
    notFull.signal()
  }
  return sum
}
