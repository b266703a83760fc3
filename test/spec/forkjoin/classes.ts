/** Tasks as objects. */
import { CountedCompleter, fork, type ForkJoinTask, invokeAll, RecursiveAction, RecursiveTask, task } from "corepool"
import { words } from "../../support/shared-words.ts"
import { sequentialFib, waitAt } from "./tasks.ts"

export class Fib extends RecursiveTask<number> {
  static {
    task(import.meta.url, this)
  }

  readonly n: number

  constructor(n: number) {
    super()
    this.n = n
  }

  protected compute(): number {
    if (this.n < 4) return sequentialFib(this.n)
    const other = new Fib(this.n - 1).fork()
    return new Fib(this.n - 2).invoke() + other.join()
  }
}

/** Leaves its result in a field. */
export class FibAction extends RecursiveAction {
  static {
    task(import.meta.url, this)
  }

  readonly n: number
  result = -1

  constructor(n: number) {
    super()
    this.n = n
  }

  protected compute(): void {
    if (this.n < 4) {
      this.result = sequentialFib(this.n)
      return
    }
    const left = new FibAction(this.n - 1)
    const right = new FibAction(this.n - 2)
    invokeAll(left, right)
    this.result = left.result + right.result
  }
}

export class FibCompleter extends CountedCompleter<number> {
  static {
    task(import.meta.url, this)
  }

  readonly n: number
  result = 0
  left: FibCompleter | undefined
  right: FibCompleter | undefined

  constructor(completer: FibCompleter | undefined, n: number) {
    super(completer, n < 4 ? 0 : 2)
    this.n = n
  }

  compute(): void {
    if (this.n < 4) this.result = sequentialFib(this.n)
    else {
      this.left = new FibCompleter(this, this.n - 1).fork()
      this.right = new FibCompleter(this, this.n - 2).fork()
    }
    this.tryComplete()
  }

  override onCompletion(): void {
    if (this.left !== undefined && this.right !== undefined) this.result = this.left.result + this.right.result
  }

  override get rawResult(): number {
    return this.result
  }
}

/** A part that somebody steals; its fields come back. */
export class Traveller extends RecursiveAction {
  static {
    task(import.meta.url, this)
  }

  readonly gate: number
  readonly list = [1]
  where: string | undefined
  readonly #secret = 7
  other: ForkJoinTask<unknown> | undefined

  constructor(gate: number) {
    super()
    this.gate = gate
  }

  protected compute(): void {
    Atomics.add(words, this.gate, 1)
    this.list.push(2) // of the copy
    this.where = this.other === this ? "here" : "there"
  }

  get secret(): number {
    return this.#secret
  }
}

export const sendTraveller = task(import.meta.url, function sendTraveller(gate: number): unknown[] {
  const traveller = new Traveller(gate)
  traveller.other = traveller
  traveller.fork()
  waitAt(gate, 1)
  traveller.join()
  return [traveller.where, traveller.list, traveller.secret, traveller.isCompletedNormally]
})

/** Not told to anybody. */
export class Homebody extends RecursiveTask<number> {
  protected compute(): number {
    return 1
  }
}

export class Failing extends CountedCompleter {
  static {
    task(import.meta.url, this)
  }

  readonly depth: number
  seen = 0

  constructor(completer: Failing | undefined, depth: number) {
    super(completer, depth === 0 ? 0 : 1)
    this.depth = depth
  }

  compute(): void {
    if (this.depth === 0) throw new RangeError("at the bottom")
    new Failing(this, this.depth - 1).fork()
    this.tryComplete()
  }

  override onExceptionalCompletion(): boolean {
    this.seen++
    return true
  }
}

/** What becomes of a tree whose last leaf fails. */
export const failAtTheBottom = task(import.meta.url, function failAtTheBottom(depth: number): unknown[] {
  const root = new Failing(undefined, depth)
  try {
    root.invoke()
    return []
  } catch (error) {
    return [(error as Error).message, root.seen, root.isCompletedAbnormally]
  }
})

/** The methods of a completer, one after the other. */
export const countingMethods = task(import.meta.url, function countingMethods(): unknown[] {
  const log: unknown[] = []
  class Part extends CountedCompleter<string> {
    readonly name: string

    constructor(name: string, completer?: Part, pending?: number) {
      super(completer, pending)
      this.name = name
    }

    compute(): void {}

    override onCompletion(caller: Part): void {
      log.push(`${this.name} by ${caller.name}`)
    }

    override get rawResult(): string {
      return `result of ${this.name}`
    }
  }
  const root = new Part("root", undefined, 1)
  const child = new Part("child", root)
  log.push(child.completer === root, child.root === root, root.pendingCount)
  root.addToPendingCount(1)
  child.tryComplete()
  log.push(root.pendingCount, root.isDone)
  child.propagateCompletion()
  log.push(root.pendingCount, root.decrementPendingCountUnlessZero())
  log.push(child.firstComplete() === child, child.nextComplete() === root, root.nextComplete())
  log.push(root.isDone, root.join())
  const second = new Part("second", undefined, 3)
  const leaf = new Part("leaf", second)
  leaf.complete("done")
  log.push(second.pendingCount, leaf.join())
  leaf.quietlyCompleteRoot()
  log.push(second.isDone)
  return log
})

/** The methods of a task, one after the other. */
export const taskMethods = task(import.meta.url, function taskMethods(): unknown[] {
  const log: unknown[] = []
  const attempt = (what: () => unknown): void => {
    try {
      log.push(what())
    } catch (error) {
      log.push((error as Error).name)
    }
  }
  const one = new Fib(10)
  attempt(() => one.join())
  one.fork()
  attempt(() => one.fork())
  log.push(one.tryUnfork(), one.tryUnfork(), one.state)
  log.push(one.invoke(), one.state, one.isDone, one.isCompletedNormally, one.cancel(), one.resultNow())
  attempt(() => one.exceptionNow())
  one.reinitialize()
  attempt(() => one.reinitialize())
  one.complete(5)
  one.complete(6)
  log.push(one.join())
  const two = new Fib(3)
  two.completeExceptionally(new RangeError("by hand"))
  attempt(() => two.join())
  two.quietlyJoin()
  two.quietlyInvoke()
  log.push(two.isCompletedAbnormally, (two.exceptionNow() as Error).message, two.state)
  const three = new Fib(3).fork()
  log.push(three.cancel(), three.cancel(true), three.isCancelled)
  attempt(() => three.join())
  attempt(() => three.resultNow())
  log.push(fork(sequential, 10).getSync(), fork(sequential, 10).getSync(600_000))
  return log
})

const sequential = task(import.meta.url, function sequential(n: number): number {
  return sequentialFib(n)
})
