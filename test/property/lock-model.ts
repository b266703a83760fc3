/**
 * A re-entrant lock with conditions, as simple as can be: what several tasks do with it, one after the other, and what
 * comes of it. There are no threads and no waiting in here, only lists.
 */

/** What came of a call: its value, or the name of its error. */
export type Outcome = boolean | string

interface Waiter {
  readonly task: number
  /** How often it will hold the lock. */
  readonly holds: number
  /** Whether an interrupt still ends the wait. */
  interruptible: boolean
  /** Whether anything else does. */
  limited: boolean
  /** What will come of it when it has the lock. */
  outcome: Outcome
  /** It was interrupted after it was signalled. */
  late: boolean
}

export class LockModel {
  owner: number | undefined
  holds = 0
  readonly queue: Waiter[] = []
  readonly conditions: readonly Waiter[][]
  /** The interrupt flags. */
  readonly raised: boolean[]
  /** What came of the last call of each task; undefined while it waits. */
  readonly outcomes: (Outcome | undefined)[]

  readonly #fair: boolean

  constructor(tasks: number, conditions: number, fair: boolean) {
    this.#fair = fair
    this.raised = Array.from({ length: tasks }, () => false)
    this.outcomes = Array.from({ length: tasks }, () => true)
    this.conditions = Array.from({ length: conditions }, () => [])
  }

  isWaiting(task: number): boolean {
    return this.outcomes[task] === undefined
  }

  lock(task: number): void {
    this.#acquire(task, false)
  }

  lockInterruptibly(task: number): void {
    if (!this.#isInterrupted(task)) this.#acquire(task, true)
  }

  tryLock(task: number): void {
    this.outcomes[task] = this.#take(task)
  }

  tryLockWithin0(task: number): void {
    if (!this.#isInterrupted(task)) this.tryLock(task)
  }

  unlock(task: number): void {
    if (!this.#isMine(task)) return
    this.outcomes[task] = true
    if (--this.holds === 0) this.#free()
  }

  await(task: number, condition: number, interruptible: boolean): void {
    const waiter = this.#giveUp(task, interruptible)
    if (waiter === undefined) return
    this.conditions[condition]?.push(waiter)
    this.#free()
  }

  await0(task: number): void {
    const waiter = this.#giveUp(task, true)
    if (waiter === undefined) return
    if (this.#fair) {
      this.#free()
      this.#lockAgain(waiter, false)
    } else this.outcomes[task] = false
  }

  signal(task: number, condition: number, all: boolean): void {
    if (!this.#isMine(task)) return
    this.outcomes[task] = true
    const waiting = this.conditions[condition] ?? []
    // It still can be interrupted, or aborted, but that comes too late.
    this.queue.push(...waiting.splice(0, all ? waiting.length : 1))
  }

  interrupt(task: number): void {
    this.#breakOff(task, "InterruptedError", ({ interruptible }) => interruptible)
  }

  abort(task: number): void {
    this.#breakOff(task, "AbortError", ({ limited }) => limited)
  }

  // ------------------------------------------------------------------ inside

  #breakOff(task: number, outcome: string, concerns: (waiter: Waiter) => boolean): void {
    const isInterrupt = outcome === "InterruptedError"
    const waiting = this.conditions.find((list) => list.some((waiter) => waiter.task === task))
    const list = waiting ?? this.queue
    const waiter = list.find((each) => each.task === task)
    if (waiter === undefined || !concerns(waiter)) {
      if (isInterrupt) this.raised[task] = true
    } else if (waiting !== undefined) {
      list.splice(list.indexOf(waiter), 1)
      this.#lockAgain(waiter, outcome)
    } else if (waiter.outcome === true) {
      // It has been signalled.
      waiter.late = isInterrupt
      waiter.interruptible = waiter.limited = false
    } else {
      list.splice(list.indexOf(waiter), 1)
      this.outcomes[task] = outcome
    }
  }

  #lockAgain(waiter: Waiter, outcome: Outcome): void {
    Object.assign(waiter, { interruptible: false, limited: false, outcome })
    this.queue.push(waiter)
    this.#grant()
  }

  #acquire(task: number, interruptible: boolean): void {
    this.outcomes[task] = undefined
    if (this.#take(task)) this.outcomes[task] = "locked"
    else this.queue.push({ task, holds: 1, interruptible, limited: true, outcome: "locked", late: false })
  }

  #take(task: number): boolean {
    if (this.owner !== undefined && this.owner !== task) return false
    this.owner = task
    this.holds++
    return true
  }

  #giveUp(task: number, interruptible: boolean): Waiter | undefined {
    if (interruptible && this.#isInterrupted(task)) return undefined
    if (!this.#isMine(task)) return undefined
    this.outcomes[task] = undefined
    return { task, holds: this.holds, interruptible, limited: true, outcome: true, late: false }
  }

  #free(): void {
    this.owner = undefined
    this.holds = 0
    this.#grant()
  }

  #grant(): void {
    if (this.owner !== undefined) return
    const first = this.queue.shift()
    if (first === undefined) return
    this.owner = first.task
    this.holds = first.holds
    this.outcomes[first.task] = first.outcome
    if (first.late) this.raised[first.task] = true
  }

  #isInterrupted(task: number): boolean {
    if (this.raised[task] !== true) return false
    this.raised[task] = false
    this.outcomes[task] = "InterruptedError"
    return true
  }

  #isMine(task: number): boolean {
    if (this.owner === task) return true
    this.outcomes[task] = "IllegalMonitorStateError"
    return false
  }
}
