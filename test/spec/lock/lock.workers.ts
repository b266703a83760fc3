/** What the worker threads of the lock tests do. */
import { ReentrantLock, type Shared, Thread } from "corepool"
import { block, load, read, write } from "#src/memory/atomics.js"
import { threadContext } from "#src/memory/thread/this-thread.js"
import { Worker } from "node:worker_threads"
import { exhaust } from "../../support/memory-limits.ts"
import type { Order, Voice } from "../../support/workers.ts"

/** Looks again and again until it is so. */
function until(condition: () => boolean): void {
  while (!condition()) block(1)
}

/** Locks so often, and unlocks when the gate, another lock, can be had. */
export function hold(this: Voice, shared: Shared, gate: Shared, times = 1): void {
  const lock = ReentrantLock.from(shared)
  for (let left = times; left > 0; left--) lock.lockSync()
  this.say("locked")
  ReentrantLock.from(gate).lockSync()
  for (let left = times; left > 0; left--) lock.unlock()
}

/** Locks, and unlocks after so many milliseconds. */
export async function holdFor(this: Voice, shared: Shared, ms: number): Promise<void> {
  using _ = await ReentrantLock.from(shared).lock()
  this.say("locked")
  await Thread.sleep(ms)
}

/** Locks, and unlocks when so many wait. */
export function holdUntilQueued(this: Voice, shared: Shared, count: number): void {
  const lock = ReentrantLock.from(shared)
  using _ = lock.lockSync()
  this.say("locked")
  until(() => lock.queueLength === count)
}

/** Locks both; unlocks the second when both are waited for, and the first when somebody has got the second. */
export function passOn(this: Voice, first: Shared, second: Shared): void {
  const [outer, inner] = [ReentrantLock.from(first), ReentrantLock.from(second)]
  outer.lockSync()
  inner.lockSync()
  this.say("locked")
  until(() => outer.queueLength === 1 && inner.queueLength === 1)
  inner.unlock()
  until(() => inner.isLocked)
  outer.unlock()
}

type Form = "lock" | "lockInterruptibly" | "lockSync" | "lockInterruptiblySync"

/** Locks and unlocks; what it saw while it had the lock. */
export async function lockOnce(this: Voice, shared: Shared, form: Form): Promise<unknown> {
  const lock = ReentrantLock.from(shared)
  this.say("locking")
  using _ = await lock[form]()
  this.say("locked")
  return { wasAbandoned: lock.wasAbandoned, holdCount: lock.holdCount }
}

/** What a lock looks like that another thread holds. */
export function look(this: Voice, shared: { lock: Shared }): unknown {
  const lock = ReentrantLock.from(shared.lock)
  let unlocked: unknown = "no error"
  try {
    lock.unlock()
  } catch (error) {
    unlocked = (error as Error).name
  }
  return {
    isFair: lock.isFair,
    isLocked: lock.isLocked,
    isHeldByCurrentThread: lock.isHeldByCurrentThread,
    holdCount: lock.holdCount,
    tryLock: lock.tryLock(),
    text: lock.toString().replace(/^.*@\d+/, ""),
    unlocked,
  }
}

/** Adds one so often, to a word that only the lock protects, and checks that it is alone. */
export async function increment(
  this: Voice,
  shared: Shared,
  words: Int32Array,
  rounds: number,
  form: Form,
): Promise<void> {
  const lock = ReentrantLock.from(shared)
  for (let round = 0; round < rounds; round++) {
    using _ = await lock[form]()
    if (read(words, 1) !== 0) throw new Error("Somebody else is inside")
    write(words, 1, 1)
    write(words, 0, read(words, 0) + 1)
    if (form === "lock") await Promise.resolve()
    write(words, 1, 0)
  }
}

/** Waits for the lock, and does not listen until the word says so. */
export async function stony(this: Voice, shared: Shared, word: Int32Array): Promise<void> {
  const lock = ReentrantLock.from(shared)
  const pending = lock.lock()
  this.say("waiting")
  until(() => load(word, 0) !== 0)
  const guard = await pending
  guard.unlock()
}

/** Waits for the lock in a way that may be interrupted; how that ended. Says by which token to interrupt it. */
export async function beInterrupted(
  this: Voice,
  shared: Shared,
  form: Form | "tryLock" | "tryLockSync",
): Promise<unknown> {
  const lock = ReentrantLock.from(shared)
  this.say(threadContext().token)
  let outcome = "locked"
  try {
    if (form === "tryLock") await lock.tryLock(100_000)
    else if (form === "tryLockSync") lock.tryLockSync(100_000)
    else await lock[form]()
  } catch (error) {
    outcome = (error as Error).name
  }
  return { outcome, raised: Thread.interrupted(), locked: lock.isHeldByCurrentThread }
}

export type Death = "killed" | "exit" | "error" | "memory" | "parent"

/** Locks so often, and dies when the word says so, or is killed. */
export async function dieHolding(
  this: Voice,
  shared: Shared,
  death: Death,
  times: number,
  word: Int32Array,
): Promise<void> {
  const lock = ReentrantLock.from(shared)
  for (let left = times; left > 0; left--) lock.lockSync()
  this.say("locked")
  if (death !== "killed") until(() => load(word, 0) !== 0)
  await die(death)
}

/** Waits for the lock for ever: to be killed, or to die by itself. */
export async function dieWaiting(this: Voice, shared: Shared, form: Form, death: Death): Promise<void> {
  const lock = ReentrantLock.from(shared)
  this.say("locking")
  const pending = lock[form]()
  await die(death)
  await pending
}

async function die(death: Death): Promise<void> {
  if (death === "exit") process.exit(0)
  if (death === "error") {
    queueMicrotask(() => {
      throw new Error("the end")
    })
  }
  if (death === "memory") setTimeout(exhaust)
  await new Promise(() => setInterval(() => undefined, 100_000)) // until it is killed
}

/** Starts a worker that locks and stays, and stays itself. */
export async function parent(this: Voice, entry: string, module: string, shared: Shared): Promise<void> {
  const order: Order = { module, name: "dieHolding", args: [shared, "killed", 1] }
  const child = new Worker(new URL(entry), { workerData: order })
  child.on("message", ({ said }: { said: unknown }) => this.say(said))
  await new Promise(() => undefined)
}
