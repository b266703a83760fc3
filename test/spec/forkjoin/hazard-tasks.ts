/** Tasks that do what should not be done. */
import { CountedCompleter, fork, type ForkJoinPool, type ForkJoinTask, RecursiveTask, task } from "corepool"
import { words } from "../../support/shared-words.ts"
import { waitAt } from "./tasks.ts"

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : "nothing")

/** What a call throws, or what it gives. */
async function outcomeOf(call: () => unknown): Promise<unknown> {
  try {
    return await call()
  } catch (error) {
    return `${nameOf(error)}: ${(error as Error).message}`
  }
}

// ------------------------------------------------------------------ promises that nobody has announced

/** Not declared asynchronous, but it is. */
export const promiseOf = task(import.meta.url, function promiseOf(gate: number, value: number): Promise<number> {
  Atomics.add(words, gate, 1)
  return Promise.resolve(value)
})

/** Forks what its own joiner is going to steal, which then cannot await it. */
const forkPromise = task(import.meta.url, async function forkPromise(gate: number, helped: number): Promise<unknown> {
  Atomics.add(words, gate, 1)
  const part = fork(promiseOf, helped, 7)
  waitAt(helped, 1) // by the one who waits for this task
  return await outcomeOf(() => part)
})

export const helpWithPromise = task(import.meta.url, function helpWithPromise(gate: number, helped: number): unknown {
  const part = fork(forkPromise, gate, helped)
  waitAt(gate, 1)
  return part.join()
})

/** An asynchronous one as an object; declared, so that whoever cannot await it leaves it alone. */
export class Later extends RecursiveTask<number> {
  static {
    task(import.meta.url, this)
  }

  readonly value: number

  constructor(value: number) {
    super()
    this.value = value
  }

  protected override async compute(): Promise<number> {
    await Promise.resolve()
    return this.value
  }
}

const forkLater = task(import.meta.url, async function forkLater(gate: number, value: number): Promise<number> {
  Atomics.add(words, gate, 1)
  return await new Later(value).fork()
})

/** Joins an object whose part is asynchronous, while it might help with that. */
export const helpWithLater = task(import.meta.url, function helpWithLater(gate: number): unknown {
  const part = fork(forkLater, gate, 7)
  waitAt(gate, 1)
  return part.join()
})

export const laterInPlace = task(import.meta.url, async function laterInPlace(): Promise<unknown[]> {
  const one = new Later(5).fork()
  return [await outcomeOf(() => one.join()), await one]
})

// ------------------------------------------------------------------ joins that cannot be

/** A join after an `await`, of what was forked before and after it. */
export const joinAfterAwait = task(import.meta.url, async function joinAfterAwait(n: number): Promise<number> {
  const before = fork(double, n)
  await Promise.resolve()
  const after = fork(double, before.join())
  await new Promise((resolve) => setTimeout(resolve, 1))
  return after.join()
})

const double = task(import.meta.url, function double(n: number): number {
  return 2 * n
})

/**
 * A task, its part, the part of that and so on, each stolen by another thread, the last of which joins the first, if it is run by
 * the thread that knows it.
 */
let first: ForkJoinTask<unknown> | undefined

export const circle = task(import.meta.url, async function circle(gate: number, depth: number): Promise<unknown> {
  first = fork(arc, gate, depth, 1)
  waitAt(gate, 1)
  return await outcomeOf(() => (first as ForkJoinTask<unknown>).join())
})

const arc = task(import.meta.url, function arc(gate: number, depth: number, at: number): unknown {
  Atomics.add(words, gate, 1)
  if (at === depth) return first === undefined ? "nobody" : first.join()
  const part = fork(arc, gate, depth, at + 1)
  waitAt(gate, at + 1)
  return part.join()
})

/** The task of another thread cannot even be got hold of. */
export const forkWithTask = task(import.meta.url, async function forkWithTask(): Promise<unknown> {
  const other = fork(double, 1)
  const outcome = await outcomeOf(() => fork(same, other))
  other.join()
  return outcome
})

const same = task(import.meta.url, function same(value: unknown): unknown {
  return value
})

// ------------------------------------------------------------------ completers

/** Joins a part when it is told that it is over. */
export class JoiningCompleter extends CountedCompleter<number> {
  static {
    task(import.meta.url, this)
  }

  readonly depth: number
  parts: JoiningCompleter[] = []
  sum = 0

  constructor(completer: JoiningCompleter | undefined, depth: number) {
    super(completer, depth === 0 ? 0 : 2)
    this.depth = depth
  }

  compute(): void {
    if (this.depth > 0) {
      for (let i = 0; i < 2; i++) this.parts.push(new JoiningCompleter(this, this.depth - 1).fork())
    }
    this.tryComplete()
  }

  override onCompletion(): void {
    const extra = fork(double, 1)
    this.sum = this.parts.reduce((sum, part) => sum + part.sum, extra.join())
  }

  override get rawResult(): number {
    return this.sum
  }
}

/** Never says that it is complete. */
export class Forgetful extends CountedCompleter {
  static {
    task(import.meta.url, this)
  }

  compute(): void {}
}

export const joinForgetful = task(import.meta.url, async function joinForgetful(): Promise<unknown> {
  return await outcomeOf(() => new Forgetful().invoke())
})

// ------------------------------------------------------------------ depth

export const descend = task(import.meta.url, function descend(depth: number): number {
  return depth === 0 ? 0 : 1 + fork(descend, depth - 1).join()
})

export const invokeDeep = task(import.meta.url, function invokeDeep(pool: ForkJoinPool, depth: number): number {
  return depth === 0 ? 0 : 1 + pool.invokeSync(invokeDeep, pool, depth - 1)
})

export const forkInPool = task(import.meta.url, function forkInPool(n: number): number {
  return fork(double, n).join() + fork(double, n).getSync()
})

// ------------------------------------------------------------------ what a dead thread has left

/** Leaves these in the list of its thread, and ends it. */
export const leaveBehind = task(import.meta.url, function leaveBehind(index: number, n: number): void {
  for (let i = 0; i < n; i++) fork(countUp, index)
  fork(findThem, index)
  process.exit(3)
})

const countUp = task(import.meta.url, function countUp(index: number): void {
  Atomics.add(words, index, 1)
})

/** Runs all that lies in the list, since what it waits for is not going to happen. */
const findThem = task(import.meta.url, function findThem(index: number): void {
  try {
    new Forgetful().invoke()
  } catch (error) {
    if (nameOf(error) === "IllegalStateError") Atomics.add(words, index, 100)
  }
})
