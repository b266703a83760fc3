import { COME_BACK, IS_SETTLED } from "../../future/internals.ts"
// prettier-ignore
import {
  ARRIVED, CAN_BE_JOINED, COMPLETE_AS, COMPUTE_ALL, DIFFERS, ENDING_OF, FINISH, HIDDEN, IS_FRESH, IS_PART_OF,
  MISUSED, RECEIVED, REMEMBER, RESTORE, RUN_HERE,
} from "./internals.ts"
import { isPromiseLike, requireInteger } from "../../checks.ts"
import { IllegalStateError } from "../../errors.ts"
import {
  above,
  begin,
  beginStolen,
  belongsHome,
  climbsByHand,
  completionOf,
  ENDING,
  holdsTasks,
  requireOwn,
  topOf,
} from "./completion.ts"
import { hasChanged, isSame, snapshotOf } from "./in-place.ts"
import { EXCEPTIONAL, NORMAL, UNFINISHED } from "./life.ts"
import { outOfReach } from "./out-of-reach.ts"
import { type Ending, type Fields, ObjectTask, type Sent } from "./recursive-task.ts"
import { thisThread } from "./this-thread.ts"

/** The completers whose `compute` has returned a promise. */
const pending = new WeakMap<object, Promise<void>>()

/**
 * A task that completes when its parts have; it knows only how many are pending. No thread waits. A task that ends
 * calls `tryComplete`. That takes one off the pending count of its completer; if the count is 0, it calls
 * `onCompletion` of the completer and goes on with the completer's completer, up to the root.
 *
 *     export class Sum extends CountedCompleter<number> {
 *       static {
 *         task(import.meta.url, this)
 *       }
 *       …
 *       compute(): void {
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
 * Each belongs to the thread that has made it, with its pending count. A thread that steals one has a copy, see
 * RecursiveTask. When the tree of the copy has completed, its fields come back, and the original counts as complete and
 * goes on with its completer. So no two threads ever use the same object, and no locks are needed. (In the JDK, where
 * all threads see the same objects, the thread that comes last runs `onCompletion`.)
 *
 * In the thread of the thief there is nothing above the stolen part: using `completer` or `root` there throws
 * `IllegalStateError`, and fails the part and all above it. `onCompletion` of the stolen part is called in its own
 * thread, with its completer, or in that of the thief, if it uses its parts, which are there.
 *
 * **Memory effects.** As for `ForkJoinTask`.
 */
export abstract class CountedCompleter<T = void> extends ObjectTask<T> {
  /** A part of `completer`, if that is given; `initialPendingCount` parts of its own are pending. */
  constructor(completer?: CountedCompleter<unknown>, initialPendingCount = 0) {
    super()
    requireInteger("initialPendingCount", initialPendingCount, 0)
    begin(this, completer, initialPendingCount)
  }

  /** The work. It ends with `tryComplete`, or another call that completes the task. */
  abstract compute(): void | PromiseLike<void>

  /** Called when all its parts are complete; `caller` was the last one, or is the task itself. */
  onCompletion(_caller: CountedCompleter<unknown>): void {}

  /** Called when it or a part of it has failed; true if its completer is to fail, too. */
  onExceptionalCompletion(_error: unknown, _caller: CountedCompleter<unknown>): boolean {
    return true
  }

  /** The result when it completes as a root. */
  get rawResult(): T | undefined {
    return undefined
  }

  // ------------------------------------------------------------------ counting

  /** In the thread of a thief a placeholder that throws when it is used. */
  get completer(): CountedCompleter<unknown> | undefined {
    const { completer, stolen } = completionOf(this)
    return completer ?? (stolen?.far as CountedCompleter<unknown> | undefined)
  }

  /** In the thread of a thief the same placeholder. */
  get root(): CountedCompleter<unknown> {
    const top = topOf(this)
    const { stolen } = completionOf(top)
    return stolen === undefined ? top : (stolen.far as CountedCompleter<unknown>)
  }

  /** How many parts are pending. */
  get pendingCount(): number {
    return completionOf(this).pending
  }

  set pendingCount(count: number) {
    completionOf(this).pending = requireInteger("pendingCount", count, 0)
  }

  /** Adds to the pending count. */
  addToPendingCount(delta: number): void {
    this.pendingCount += delta
  }

  /** Takes one off, unless it is 0. Returns the count before. */
  decrementPendingCountUnlessZero(): number {
    const { pendingCount } = this
    if (pendingCount > 0) this.pendingCount = pendingCount - 1
    return pendingCount
  }

  // ------------------------------------------------------------------ completing

  /** Takes one off the pending count, or, if that is 0, completes the task and goes on with its completer. */
  tryComplete(): void {
    climb(this, this)
  }

  /** The same without `onCompletion`. */
  propagateCompletion(): void {
    climb(this, this, true)
  }

  /** Completes it with this result, whatever its count, and then takes one off the count of its completer. */
  override complete(value: T): void {
    if (completionOf(this).stolen !== undefined) {
      if (!this.isDone) endStolen(this, this, ENDING.VALUE, value)
      return
    }
    if (!this[COMPLETE_AS](NORMAL, value)) return
    this.onCompletion(this)
    above(this)?.tryComplete()
  }

  /** The task itself, if its pending count is 0; otherwise takes one off and returns undefined. */
  firstComplete(): CountedCompleter<unknown> | undefined {
    return this.decrementPendingCountUnlessZero() === 0 ? this : undefined
  }

  /**
   * The completer, if nothing else of it is pending; completes the root, if this is it. A class that calls this keeps
   * all its parts in one thread: they run at once when they are forked.
   */
  nextComplete(): CountedCompleter<unknown> | undefined {
    const { completer, stolen } = completionOf(this)
    if (stolen !== undefined) {
      throw new IllegalStateError(
        "This part was stolen, and its completer is in another thread: use tryComplete() and onCompletion(), or let the class itself call nextComplete(), and not a helper: then its parts are not stolen",
      )
    }
    if (completer !== undefined) return completer.firstComplete()
    this[FINISH]()
    return undefined
  }

  /** Completes the root of the tree, without calling `onCompletion`. */
  quietlyCompleteRoot(): void {
    const top = topOf(this)
    const completion = completionOf(top)
    if (completion.stolen === undefined) top[FINISH]()
    else if (!top.isDone) {
      completion.ending = ENDING.ROOT
      top[COMPLETE_AS](NORMAL, undefined)
    }
  }

  /** Completes it with `rawResult`, whatever its count, without notice to its completer. */
  override quietlyComplete(): void {
    this[FINISH]()
  }

  /** @internal Completes it as a root. */
  [FINISH](): void {
    if (!this.isDone) this[COMPLETE_AS](NORMAL, this.rawResult)
  }

  override completeExceptionally(error: unknown): void {
    if (this[COMPLETE_AS](EXCEPTIONAL, error)) passOn(error, this)
  }

  // ------------------------------------------------------------------ running

  override fork(): this {
    const { forks } = thisThread
    const { completer, hasParts } = completionOf(this)
    // This thread is going to use its count, or that of its completer.
    const stays = hasParts || (completer !== undefined && climbsByHand(this.constructor))
    if (forks === undefined || !this[IS_FRESH] || !stays) return super.fork()
    forks.throwIfStopped()
    this[RUN_HERE]()
    return this
  }

  protected override exec(): unknown {
    try {
      const value = this.compute()
      if (isPromiseLike(value)) pending.set(this, failWith(value, this))
    } catch (error) {
      this.completeExceptionally(error)
    }
    return UNFINISHED
  }

  /** @internal */
  override get [CAN_BE_JOINED](): boolean {
    return thisThread.forks !== undefined
  }

  /** @internal */
  override [IS_PART_OF](task: unknown): boolean {
    let next = above(this)
    while (next !== undefined && next !== task) next = above(next)
    return next !== undefined
  }

  /** Outside of a ForkJoinPool no code of this thread could run its parts: then the common pool does. */
  override invoke(): T {
    if (thisThread.forks === undefined && this[IS_FRESH]) this.fork()
    return super.invoke()
  }

  override quietlyInvoke(): void {
    if (thisThread.forks === undefined && this[IS_FRESH]) this.fork()
    super.quietlyInvoke()
  }

  // ------------------------------------------------------------------ in the thread of a thief

  /** @internal */
  protected override [COMPUTE_ALL](): unknown {
    this[RUN_HERE]()
    const computing = pending.get(this)
    return computing === undefined ? this.join() : computing.then(() => this.join())
  }

  /** @internal The pending count; less than 0 if it has a completer. */
  protected override get [HIDDEN](): number {
    const { completer, pending: count } = completionOf(this)
    return completer === undefined ? count : -1 - count
  }

  /** @internal */
  protected override [RESTORE](hidden: unknown): void {
    const count = hidden as number
    if (count < 0) beginStolen(this, -1 - count)
    else begin(this, undefined, count)
  }

  /** @internal */
  protected override [MISUSED](error: unknown): void {
    const { stolen } = completionOf(this)
    if (stolen !== undefined) stolen.misuse = error
  }

  /** @internal A deep snapshot: parts may have changed the objects in the fields. */
  protected override [REMEMBER](fields: Fields): Fields {
    const seen = new Map<object, unknown>()
    return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, snapshotOf(field, seen)]))
  }

  /** @internal */
  protected override [DIFFERS](field: unknown, before: unknown): boolean {
    return hasChanged(field, before)
  }

  /** @internal */
  protected override [ENDING_OF](names: readonly string[], before: Fields): Ending | undefined {
    const { stolen, ending } = completionOf(this)
    const fields = this as unknown as Fields
    const left = names.filter((name) => holdsTasks(fields[name]))
    if (stolen === undefined && left.length === 0) return undefined
    const inPlace = names.filter((name) => !left.includes(name) && isSame(fields[name], before[name]))
    return { how: ending, left, inPlace }
  }

  // ------------------------------------------------------------------ back in its own thread

  /** @internal */
  override [RECEIVED](outcome: unknown): unknown {
    const completion = completionOf(this)
    const ending = (completion.ending = (outcome as Sent)[2]?.how ?? 0)
    const { left = [], inPlace = [] } = (outcome as Sent)[2] ?? {}
    requireOwn(this, inPlace)
    const value = super[RECEIVED](outcome)
    for (const name of left) {
      ;(this as unknown as Fields)[name] = outOfReach(`What is in field \`${name}\` of a stolen task`, () => undefined)
    }
    if ((ending & ENDING.CALL) !== 0) this.onCompletion((ending & ENDING.BY_ITSELF) === 0 ? partElsewhere() : this)
    return completion.completer === undefined || (ending & ENDING.VALUE) !== 0 ? value : this.rawResult
  }

  /** @internal A thief has completed the copy, and its outcome has come. */
  override [COME_BACK](state: "success" | "failed" | "cancelled", outcome: unknown): void {
    if (this[IS_SETTLED]) return
    super[COME_BACK](state, outcome)
    goOn(this)
  }

  /** @internal The same, if the task was submitted. */
  override [ARRIVED](): void {
    if (this[IS_SETTLED]) return
    super[ARRIVED]()
    goOn(this)
  }
}

/** An error of an asynchronous `compute` fails the task, as one of a synchronous `compute` does. */
async function failWith(computing: PromiseLike<unknown>, task: CountedCompleter<unknown>): Promise<void> {
  try {
    await computing
  } catch (error) {
    task.completeExceptionally(error)
  }
}

function partElsewhere(): CountedCompleter<unknown> {
  return outOfReach("The part that came last", () => undefined) as CountedCompleter<unknown>
}

/** Goes on with the completer of a task that has ended in another thread. */
function goOn(task: CountedCompleter<unknown>): void {
  const { ending, completer } = completionOf(task)
  const { state } = task
  try {
    if (state === "failed") passOn(task.exceptionNow(), task)
    else if (state !== "success" || completer === undefined) return
    else if ((ending & ENDING.ROOT) !== 0) completer.quietlyCompleteRoot()
    else if ((ending & ENDING.VALUE) !== 0) completer.tryComplete()
    else climb(completer, task, (ending & ENDING.QUIET) !== 0)
  } catch (error) {
    // A hook of the user has thrown, and there is no compute() on the stack to fail: fail all completers.
    for (let next = completer; next !== undefined; next = above(next)) next[COMPLETE_AS](EXCEPTIONAL, error)
  }
}

/** Takes one off the count of the task; if that is 0, calls `onCompletion` and goes on with its completer. */
function climb(from: CountedCompleter<unknown>, by: CountedCompleter<unknown>, isQuiet = false): void {
  let caller = by
  for (let task: CountedCompleter<unknown> | undefined = from; task !== undefined; task = above(task)) {
    if (task.decrementPendingCountUnlessZero() > 0) return
    if (completionOf(task).stolen !== undefined) {
      if (!task.isDone) endStolen(task, caller, isQuiet ? ENDING.QUIET : 0)
      return
    }
    if (!isQuiet) task.onCompletion(caller)
    caller = task
  }
  caller[FINISH]()
}

/** Ends the copy of a stolen completer: its completer goes on in its own thread, after this one has sent the fields. */
function endStolen(
  task: CountedCompleter<unknown>,
  caller: CountedCompleter<unknown>,
  how: number,
  value?: unknown,
): void {
  const completion = completionOf(task)
  const stolen = completion.stolen as NonNullable<typeof completion.stolen>
  let ending = how
  if (stolen.misuse === undefined && (how & ENDING.QUIET) === 0) {
    if (belongsHome(task)) ending |= ENDING.CALL | (caller === task ? ENDING.BY_ITSELF : 0)
    else task.onCompletion(caller)
  }
  if (stolen.misuse !== undefined) throw stolen.misuse as Error
  completion.ending = ending
  task[COMPLETE_AS](NORMAL, value)
}

/**
 * Fails the completers of a failed task while `onExceptionalCompletion` says so. That of a stolen task runs at home.
 */
function passOn(error: unknown, by: CountedCompleter<unknown>): void {
  let caller = by
  let task = by
  while (completionOf(task).stolen === undefined && task.onExceptionalCompletion(error, caller)) {
    const next = above(task)
    if (next === undefined || next.isDone) return
    caller = task
    task = next
    task[COMPLETE_AS](EXCEPTIONAL, error)
  }
}
