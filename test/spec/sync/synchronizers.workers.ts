/** What worker threads do in the tests of semaphores, latches and barriers. */
import { CountDownLatch, CyclicBarrier, Semaphore, type Shared, Thread } from "corepool"
import { add, load, read, store, write } from "#src/memory/atomics.js"
import { threadContext } from "#src/memory/thread/this-thread.js"
import type { Voice } from "../../support/workers.ts"

/** How a wait ended: what it gave, or the name of its error. */
async function outcomeOf(wait: () => unknown): Promise<unknown> {
  try {
    return await wait()
  } catch (error) {
    return (error as Error).name
  }
}

// ------------------------------------------------------------------ semaphore

export function lookAtSemaphore(shared: Shared): unknown {
  const semaphore = Semaphore.from(shared)
  const { availablePermits, isFair, queueLength } = semaphore
  semaphore.release(2)
  return { before: availablePermits, isFair, queueLength }
}

/** Acquires in the way that is asked for, says so, and returns how that ended. */
export async function acquire(
  this: Voice,
  shared: Shared,
  form: "acquireSync" | "acquire" | "acquireUninterruptiblySync" | "tryAcquireSync",
  permits: number,
  ms = 60_000,
  priority = 0,
): Promise<unknown> {
  const semaphore = Semaphore.from(shared)
  this.say(threadContext().token)
  this.say("asking")
  const outcome = await outcomeOf(async () => {
    if (form === "tryAcquireSync") return semaphore.tryAcquireSync(permits, ms, { priority })
    await semaphore[form](permits, { priority })
    return "got"
  })
  this.say(outcome)
  return { outcome, isInterrupted: Thread.interrupted() }
}

/** Gives permits to those who wait as soon as somebody does. */
export async function releaseWhenAsked(this: Voice, shared: Shared, permits: number): Promise<void> {
  const semaphore = Semaphore.from(shared)
  this.say("ready")
  while (!semaphore.hasQueuedThreads) await Thread.sleep(1)
  semaphore.release(permits)
}

/** Goes in and out so often, blocking, awaiting or trying; the most that it has seen inside. */
export async function goInAndOut(shared: Shared, inside: Int32Array, rounds: number): Promise<number> {
  const semaphore = Semaphore.from(shared)
  let most = 0
  const visit = (permits: number): void => {
    most = Math.max(most, add(inside, 0, permits) + permits)
    add(inside, 0, -permits)
  }
  for (let round = 0; round < rounds; round++) {
    const permits = 1 + (round % 2)
    if (round % 3 === 0) {
      using _held = await semaphore.acquire(permits)
      visit(permits)
    } else if (round % 3 === 1) {
      using _held = semaphore.acquireSync(permits)
      visit(permits)
    } else if (semaphore.tryAcquireSync(permits, 0.01)) {
      visit(permits)
      semaphore.release(permits)
    }
  }
  return most
}

/** Takes permits and keeps them, until it is killed. */
export async function keepPermits(this: Voice, shared: Shared, permits: number): Promise<void> {
  await Semaphore.from(shared).acquire(permits)
  this.say("got")
  await Thread.sleep(600_000)
}

/** Takes a permit and gives it back, so often or until it is killed. */
export async function goRound(
  this: Voice,
  shared: Shared,
  rounds: number,
  blocks: boolean,
  urgent = false,
): Promise<string> {
  const semaphore = Semaphore.from(shared)
  for (let round = 0; round < rounds; round++) {
    const priority = urgent ? round % 3 : 0
    using _held = blocks ? semaphore.acquireSync(1, { priority }) : await semaphore.acquire(1, { priority })
    if (round === 10) this.say("under way")
  }
  return "done"
}

/** Ends its own thread while one of its flows waits. */
export function exitWhileWaiting(shared: Shared): void {
  void Semaphore.from(shared).acquire(1)
  process.exit(3)
}

// ------------------------------------------------------------------ latch

export async function awaitLatch(this: Voice, shared: Shared, blocks: boolean, ms = Infinity): Promise<unknown> {
  const latch = CountDownLatch.from(shared)
  this.say(threadContext().token)
  this.say("waiting")
  return await outcomeOf(() => (blocks ? latch.awaitSync(ms) : latch.await(ms)))
}

/** Writes a word, plainly, counts down, and waits for the other. */
export function writeAndCountDown(shared: { latch: Shared; words: Int32Array }, index: number): number {
  const latch = CountDownLatch.from(shared.latch)
  write(shared.words, index, 1 + index)
  latch.countDown()
  latch.awaitSync()
  return shared.words.reduce((sum, word) => sum + word, 0)
}

export function countDownTimes(shared: Shared, times: number): number {
  const latch = CountDownLatch.from(shared)
  for (let time = 0; time < times; time++) latch.countDown()
  return latch.count
}

// ------------------------------------------------------------------ barrier

export async function lookAtBarrier(shared: Shared): Promise<unknown> {
  const barrier = CyclicBarrier.from(shared)
  const { parties, numberWaiting, isBroken } = barrier
  return { parties, numberWaiting, isBroken, index: await outcomeOf(() => barrier.await(60_000)) }
}

export function openBarrier(shared: Shared, withAction: boolean): string {
  try {
    CyclicBarrier.from(shared, withAction ? () => undefined : undefined)
    return "opened"
  } catch (error) {
    return String(error)
  }
}

/** Comes so often, blocking or awaiting. After each time it looks whether all have written the number of the round. */
export async function meetOften(
  shared: Shared,
  seen: Int32Array,
  me: number,
  rounds: number,
  blocks: boolean,
): Promise<unknown> {
  const barrier = CyclicBarrier.from(shared)
  const indexes = new Set<number>()
  for (let round = 1; round <= rounds; round++) {
    write(seen, me, round)
    indexes.add(blocks ? barrier.awaitSync() : await barrier.await())
    for (let other = 0; other < seen.length; other++) {
      if (read(seen, other) < round) return `${other} had not written ${round}`
    }
    // So that nobody is ahead of who has not looked yet.
    if (blocks) barrier.awaitSync()
    else await barrier.await()
  }
  return Math.max(...indexes) < barrier.parties
}

/** Comes again and again, until the barrier is broken. */
export async function meetUntilBroken(this: Voice, shared: Shared, blocks: boolean): Promise<unknown> {
  const barrier = CyclicBarrier.from(shared, () => undefined)
  for (let round = 0; ; round++) {
    const outcome = await outcomeOf(() => (blocks ? barrier.awaitSync() : barrier.await()))
    if (typeof outcome !== "number") return outcome
    if (round === 10) this.say("under way")
  }
}

/** Comes once. Says so before, and returns how that ended. */
export async function meet(this: Voice, shared: Shared, blocks: boolean, ms = Infinity): Promise<unknown> {
  const barrier = CyclicBarrier.from(shared)
  this.say(threadContext().token)
  this.say("coming")
  const outcome = await outcomeOf(() => (blocks ? barrier.awaitSync(ms) : barrier.await(ms)))
  return { outcome, isInterrupted: Thread.interrupted() }
}

/** Comes once, with an action that counts its runs; whoever else comes. */
export async function meetWithAction(this: Voice, shared: Shared, runs: Int32Array, me: number): Promise<unknown> {
  const barrier = CyclicBarrier.from(shared, () => add(runs, me, 1))
  this.say("coming")
  return await barrier.await()
}

/** Comes last, with an action that never ends: blocking, or asynchronous. */
export async function dwell(this: Voice, shared: Shared, blocks: boolean): Promise<unknown> {
  const barrier = CyclicBarrier.from(shared, () => {
    this.say("acting")
    if (!blocks) return Thread.sleep(600_000)
    Thread.sleepSync(600_000)
    return undefined
  })
  return blocks ? barrier.awaitSync() : await barrier.await()
}

/** Has a flow that waits at the barrier, and looks at nothing else until it is told to. */
export async function lookLate(this: Voice, shared: Shared, gate: Int32Array): Promise<unknown> {
  const outcome = outcomeOf(() => CyclicBarrier.from(shared).await())
  store(gate, 0, 1)
  while (load(gate, 1) === 0); // no wait that anything could reach us in
  this.say("looking")
  return await outcome
}

export function exitAtBarrier(shared: Shared): void {
  void CyclicBarrier.from(shared).await()
  process.exit(3)
}
