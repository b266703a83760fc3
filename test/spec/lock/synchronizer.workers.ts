/** What the worker threads of the tests of synchronizers do. */
import { ReentrantLock, type Shared } from "corepool"
import { block, load, read, write } from "#src/memory/atomics.js"
import { Flow } from "#src/memory/flow/flow.js"
import type { Voice } from "../../support/workers.ts"
import { BooleanLatch, FairMutex, Mutex } from "./synchronizers.ts"

/** Acquires, blocking or awaiting, and stays. */
export async function acquire(this: Voice, shared: Shared, state: number, blocking: boolean): Promise<void> {
  const mutex = new Mutex(shared)
  this.say("acquiring")
  if (blocking) mutex.acquireSync(state)
  else await mutex.acquire(state)
  this.say(mutex.value)
  await new Promise(() => setInterval(() => undefined, 100_000))
}

/** Waits for a latch; says when it is open. */
export async function pass(this: Voice, shared: Shared, blocking: boolean): Promise<boolean> {
  const latch = new BooleanLatch(shared)
  if (blocking) latch.acquireSharedSync(1)
  else await latch.acquireShared(1)
  return latch.isOpen
}

export function openLatch(shared: Shared): void {
  new BooleanLatch(shared).releaseShared(1)
}

/** Waits on a condition of a mutex, with this state; the state with which it went on. */
export function waitForSignal(this: Voice, shared: Shared, condition: Shared, state: number): number {
  const mutex = new Mutex(shared)
  const opened = mutex.conditionFrom(condition)
  mutex.acquireSync(state)
  opened.awaitSync()
  const { value } = mutex
  mutex.release(value)
  return value
}

/** Waits for the mutex, and does not listen until the word says so. */
export async function stony(this: Voice, shared: Shared, word: Int32Array): Promise<void> {
  const mutex = new FairMutex(shared)
  const pending = mutex.acquire(1)
  this.say("waiting")
  while (load(word, 0) === 0) block(1)
  await pending
  mutex.release(1)
}

/** Many tasks that want the lock, but not for long; how often they got it. The word counts, inside the lock, how often all did. */
export async function hurry(this: Voice, shared: Shared, word: Int32Array, rounds: number): Promise<number> {
  const lock = ReentrantLock.from(shared)
  let got = 0
  const impatient = async (): Promise<void> => {
    for (let round = 0; round < rounds; round++) {
      if (!(await lock.tryLock(round % 3))) continue
      write(word, 0, read(word, 0) + 1)
      got++
      if (round % 2 === 0) await Promise.resolve()
      lock.unlock()
    }
  }
  await Promise.all(Array.from({ length: 8 }, () => new Flow().run(impatient)))
  return got
}
