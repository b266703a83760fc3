/**
 * A task that is over when others are, of which it knows only how many: its pending count. Nobody waits for anybody. Whoever
 * comes to an end says `tryComplete`, which takes one off the count of its completer, or, if that is 0, calls `onCompletion` of
 * that one and goes on with its completer in turn, up to the root.
 *
 *     export class Sum extends CountedCompleter<number> {
 *       static {
 *         task(import.meta.url, this)
 *       }
 *       sum = 0
 *       parts: Sum[] = []
 *       constructor(completer: Sum | undefined, readonly numbers: Float64Array, readonly from: number, readonly to: number) {
 *         super(completer)
 *       }
 *       compute(): void {
 *         …
 *         this.addToPendingCount(1)
 *         this.left = new Sum(this, numbers, from, middle)
 *         this.left.fork()
 *         …
 *         this.tryComplete()
 *       }
 *       override onCompletion(): void {
 *         this.sum = this.left.sum + this.right.sum
 *       }
 *     }
 *
 * Each of them belongs to the thread that has made it. A thread that steals one has a copy, see RecursiveTask, which is a root
 * there; when the tree of the copy has completed, its fields come back, and the original counts as complete and goes on with
 * its completer. So counts, `onCompletion` and everything that a completer and its parts know of each other stay in one thread, and need no
 * locks. (The JDK lets whichever thread comes last run `onCompletion`. There all threads see the same objects.)
 */
import { requireInteger } from "../checks.ts"
import { ForkJoinTask } from "./fork-join-task.ts"
import { EXCEPTIONAL, NORMAL, UNFINISHED } from "./life.ts"
import { ObjectTask } from "./recursive-task.ts"
import { thisThread } from "./this-thread.ts"

/** What each has besides its fields. A copy that was made without its constructor has none of it until somebody asks. */
interface Completion {
  completer: CountedCompleter<unknown> | undefined
  pending: number
}

const completions = new WeakMap<object, Completion>()

function completionOf(task: object): Completion {
  let completion = completions.get(task)
  if (completion === undefined) completions.set(task, (completion = { completer: undefined, pending: 0 }))
  return completion
}

export abstract class CountedCompleter<T = void> extends ObjectTask<T> {
  constructor(completer?: CountedCompleter<unknown>, initialPendingCount = 0) {
    super()
    requireInteger("initialPendingCount", initialPendingCount, 0)
    completions.set(this, { completer, pending: initialPendingCount })
  }

  /** What the task does. It ends with `tryComplete`, or something else that completes it. */
  abstract compute(): void

  /** All it waited for is complete; `caller` was the last, or is the task itself. */
  onCompletion(_caller: CountedCompleter<unknown>): void {}

  /** Something below has failed, or it itself; true if its completer is to fail, too. */
  onExceptionalCompletion(_error: unknown, _caller: CountedCompleter<unknown>): boolean {
    return true
  }

  /** What is the result when it completes as a root. */
  get rawResult(): T | undefined {
    return undefined
  }

  // ------------------------------------------------------------------ counting

  get completer(): CountedCompleter<unknown> | undefined {
    return completionOf(this).completer
  }

  get root(): CountedCompleter<unknown> {
    let root = this.completer
    while (root?.completer !== undefined) root = root.completer
    return root ?? this
  }

  /** How many it waits for. */
  get pendingCount(): number {
    return completionOf(this).pending
  }

  set pendingCount(count: number) {
    completionOf(this).pending = requireInteger("pendingCount", count, 0)
  }

  addToPendingCount(delta: number): void {
    this.pendingCount += delta
  }

  /** What the count was. */
  decrementPendingCountUnlessZero(): number {
    const { pendingCount } = this
    if (pendingCount > 0) this.pendingCount = pendingCount - 1
    return pendingCount
  }

  // ------------------------------------------------------------------ completing

  /** Takes one off the pending count, or, if that is 0, completes it and goes on with its completer. */
  tryComplete(): void {
    climb(this, this)
  }

  /** The same without `onCompletion`. */
  propagateCompletion(): void {
    climb(this, this, true)
  }

  /** Completes it whatever its count, with this result, and then takes one off the count of its completer. */
  override complete(value: T): void {
    if (!this.completeAs(NORMAL, value)) return
    this.onCompletion(this)
    this.completer?.tryComplete()
  }

  /** Itself, if its pending count is 0; otherwise takes one off, and undefined. */
  firstComplete(): CountedCompleter<unknown> | undefined {
    return this.decrementPendingCountUnlessZero() === 0 ? this : undefined
  }

  /** Its completer, if that has nothing else to wait for; completes the root, if this is it. */
  nextComplete(): CountedCompleter<unknown> | undefined {
    const { completer } = this
    if (completer !== undefined) return completer.firstComplete()
    this.finish()
    return undefined
  }

  quietlyCompleteRoot(): void {
    this.root.finish()
  }

  /** Completes it with `rawResult`, whatever its count, and tells nothing to its completer. */
  override quietlyComplete(): void {
    this.finish()
  }

  /** @internal Completes it as a root. */
  finish(): void {
    if (!this.isDone) this.completeAs(NORMAL, this.rawResult)
  }

  override completeExceptionally(error: unknown): void {
    if (this.completeAs(EXCEPTIONAL, error)) passOn(error, this)
  }

  /** @internal */
  failAlone(error: unknown): void {
    this.completeAs(EXCEPTIONAL, error)
  }

  // ------------------------------------------------------------------ running

  protected override exec(): unknown {
    try {
      this.compute()
    } catch (error) {
      this.completeExceptionally(error)
    }
    return UNFINISHED
  }

  /** @internal */
  override get canBeJoined(): boolean {
    return thisThread.forks !== undefined
  }

  /** Outside of a ForkJoinPool there is nobody in this thread who could run its parts: then the common pool does it. */
  override invoke(): T {
    if (thisThread.forks === undefined && this.isFresh) this.fork()
    return super.invoke()
  }

  override quietlyInvoke(): void {
    if (thisThread.forks === undefined && this.isFresh) this.fork()
    super.quietlyInvoke()
  }

  /** @internal */
  protected override computeAll(): unknown {
    return ForkJoinTask.prototype.invoke.call(this)
  }

  /** @internal */
  protected override get hidden(): number {
    return this.pendingCount
  }

  /** @internal */
  protected override restore(pendingCount: unknown): void {
    this.pendingCount = pendingCount as number
  }

  /** @internal A thief has completed the copy. */
  override comeBack(state: "success" | "failed" | "cancelled", outcome: unknown): void {
    if (this.isSettled) return
    super.comeBack(state, outcome)
    goOn(this)
  }

  /** @internal The same, if it was submitted. */
  override arrived(): void {
    if (this.isSettled) return
    super.arrived()
    goOn(this)
  }
}

/** The task has come to its end in another thread. */
function goOn(task: CountedCompleter<unknown>): void {
  const { state, completer } = task
  try {
    if (state === "failed") passOn(task.exceptionNow(), task)
    else if (state === "success" && completer !== undefined) climb(completer, task)
  } catch (error) {
    // A hook of the user's has thrown, and no compute() is beneath that could: all who wait for it are told.
    for (let next = completer; next !== undefined; next = next.completer) next.failAlone(error)
  }
}

/** Takes one off the count of the task, or, if that is 0, tells it so and goes on with its completer. */
function climb(from: CountedCompleter<unknown>, by: CountedCompleter<unknown>, isQuiet = false): void {
  let caller = by
  for (let task: CountedCompleter<unknown> | undefined = from; task !== undefined; task = task.completer) {
    if (task.decrementPendingCountUnlessZero() > 0) return
    if (!isQuiet) task.onCompletion(caller)
    caller = task
  }
  caller.finish()
}

/** The task has failed: so do its completers, as long as they are told to. */
function passOn(error: unknown, by: CountedCompleter<unknown>): void {
  let caller = by
  let task = by
  while (task.onExceptionalCompletion(error, caller)) {
    const next = task.completer
    if (next === undefined || next.isDone) return
    caller = task
    task = next
    task.failAlone(error)
  }
}
