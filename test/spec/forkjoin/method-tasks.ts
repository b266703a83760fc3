/** What the methods of tasks do, in threads of a pool. */
import { fork, ForkJoinTask, invokeAll, task, Thread } from "corepool"
import { Failing, Fib } from "./classes.ts"
import { fail, pass, passValue, waitAt } from "./tasks.ts"

function attempt(call: () => unknown): unknown {
  try {
    return call()
  } catch (error) {
    return (error as Error).name
  }
}

/** Interrupts itself before it joins what others have stolen: a value, an error, and something that was cancelled. */
export const joinInterrupted = task(import.meta.url, function joinInterrupted(gates: readonly number[]): unknown[] {
  const [good, bad, held] = gates as [number, number, number]
  const log: unknown[] = []
  const value = fork(passValue, good, "value")
  waitAt(good, 1)
  Thread.currentThread().interrupt()
  log.push(value.join(), Thread.interrupted())
  const failing = fork(fail, bad, "no")
  waitAt(bad, 1)
  Thread.currentThread().interrupt()
  log.push(
    attempt(() => failing.join()),
    Thread.interrupted(),
  )
  Thread.currentThread().interrupt()
  failing.quietlyJoin()
  log.push(failing.state, Thread.interrupted())
  const cancelled = fork(pass, held)
  waitAt(held, 1)
  cancelled.cancel()
  Thread.currentThread().interrupt()
  log.push(
    attempt(() => cancelled.join()),
    Thread.interrupted(),
  )
  return log
})

/** How long it waits for a part that is held by somebody else. */
export const waitLimited = task(import.meta.url, async function waitLimited(gate: number): Promise<unknown[]> {
  const part = fork(pass, gate)
  waitAt(gate, 1)
  const log: unknown[] = [attempt(() => part.getSync(1))]
  try {
    await part.get(1)
  } catch (error) {
    log.push((error as Error).name)
  }
  Thread.currentThread().interrupt()
  log.push(
    attempt(() => part.getSync()),
    Thread.interrupted(),
    part.isDone,
  )
  part.cancel()
  return log
})

/** How many tasks wait in the list of the only thread: before, with three, after one was joined, and in the end. */
export const countOwn = task(import.meta.url, function countOwn(): number[][] {
  const counts = (): number[] => [ForkJoinTask.queuedTaskCount, ForkJoinTask.surplusQueuedTaskCount]
  const log = [counts()]
  const parts = [5, 6, 7].map((n) => new Fib(n).fork())
  log.push(counts())
  parts[2]?.join()
  log.push(counts())
  parts[1]?.join()
  parts[0]?.join()
  log.push(counts())
  return log
})

/** Tasks that are used again, or were completed before anybody has run them. */
export const useAgain = task(import.meta.url, function useAgain(): unknown[] {
  const log: unknown[] = [ForkJoinTask.inForkJoinPool]
  const done = new Fib(10)
  done.complete(-1)
  log.push(done.invoke(), done.fork === undefined)
  done.reinitialize()
  log.push(done.invoke())
  const failed = new Fib(10)
  failed.completeExceptionally(new RangeError("no"))
  log.push(attempt(() => failed.invoke()))
  failed.reinitialize()
  log.push(failed.fork().join())
  const cancelled = new Fib(10)
  cancelled.cancel()
  log.push(
    attempt(() => cancelled.invoke()),
    attempt(() => cancelled.getSync()),
    cancelled.isCompletedAbnormally,
  )
  return log
})

export const failByHand = task(import.meta.url, function failByHand(): unknown[] {
  const root = new Failing(undefined, 2)
  const child = new Failing(root, 1)
  child.completeExceptionally(new RangeError("by hand"))
  return [child.state, root.state, (root.exceptionNow() as Error).message, root.seen, child.seen]
})

export const invokeNothing = task(import.meta.url, function invokeNothing(): unknown[] {
  const other = new Fib(5)
  const outcome = attempt(() => invokeAll(other, null as never))
  return [outcome, other.state, invokeAll(new Fib(6)), invokeAll(new Fib(5), new Fib(6), new Fib(7))]
})
