/**
 * What a read-write lock should do, in the simplest way there is: one thread, plain objects, no waiting. Tasks are numbers.
 * Every call returns at once with an outcome, or leaves the task in line or waiting for a signal; then its outcome comes when
 * another task does something.
 */

/** How a call ended: what it gave, or the name of its error. */
export type Outcome = true | false | "InterruptedError" | "IllegalMonitorStateError" | "AbortError"

export type Mode = "read" | "write"

/** How to ask for a lock: until it comes, the same but so that interrupts count, for no time at all, or past the line. */
export type Manner = "lock" | "interruptibly" | "zero" | "barging"

interface Waiter {
  readonly task: number
  readonly mode: Mode
  readonly interruptible: boolean
  /** For one that was waiting for a signal: what it held, and how its wait ends once it holds that again. */
  readonly held?: { readonly writes: number; readonly reads: number }
  outcome: Outcome
}

export class ReadWriteModel {
  readonly fair: boolean
  writer: number | undefined
  writes = 0
  readonly reads = new Map<number, number>()
  line: Waiter[] = []
  /** Those who wait for a signal. */
  waiting: Waiter[] = []
  readonly raised = new Set<number>()
  readonly outcomes = new Map<number, Outcome>()

  constructor(fair: boolean) {
    this.fair = fair
  }

  isBusy(task: number): boolean {
    return [...this.line, ...this.waiting].some((waiter) => waiter.task === task)
  }

  readsOf(task: number): number {
    return this.reads.get(task) ?? 0
  }

  get readCount(): number {
    return [...this.reads.values()].reduce((sum, holds) => sum + holds, 0)
  }

  // ------------------------------------------------------------------ what tasks do

  ask(task: number, mode: Mode, manner: Manner): void {
    const interruptible = manner === "interruptibly" || manner === "zero"
    if (interruptible && this.raised.delete(task)) this.#end(task, "InterruptedError")
    else if (this.#mayHave(task, mode, manner === "barging")) {
      this.#take(task, mode)
      this.#end(task, true)
    } else if (manner === "zero" || manner === "barging") this.#end(task, false)
    else this.line.push({ task, mode, interruptible, outcome: true })
  }

  unlock(task: number, mode: Mode): void {
    const holds = mode === "read" ? this.readsOf(task) : this.writer === task ? this.writes : 0
    if (holds === 0) this.#end(task, "IllegalMonitorStateError")
    else {
      if (mode === "read") this.#setReads(task, holds - 1)
      else if (--this.writes === 0) this.writer = undefined
      this.#end(task, true)
      this.#serve()
    }
  }

  awaitSignal(task: number): void {
    if (this.raised.delete(task)) this.#end(task, "InterruptedError")
    else if (this.writer === task) this.#startWaiting(task)
    else this.#end(task, "IllegalMonitorStateError")
  }

  #startWaiting(task: number): void {
    const held = { writes: this.writes, reads: this.readsOf(task) }
    this.waiting.push({ task, mode: "write", interruptible: true, held, outcome: true })
    this.#setReads(task, 0)
    this.writer = undefined
    this.writes = 0
    this.#serve()
  }

  signal(task: number, all: boolean): void {
    if (this.writer === task) {
      for (const waiter of this.waiting.splice(0, all ? Infinity : 1)) {
        this.line.push({ ...waiter, interruptible: false })
      }
      this.#end(task, true)
    } else this.#end(task, "IllegalMonitorStateError")
  }

  interrupt(task: number): void {
    this.raised.add(task)
    const standing = this.line.find((waiter) => waiter.task === task && waiter.interruptible)
    if (standing !== undefined) this.#giveUp(standing, "InterruptedError")
    const signalless = this.waiting.find((waiter) => waiter.task === task)
    if (signalless !== undefined) this.#stopWaiting(signalless, "InterruptedError")
    if (standing !== undefined || signalless !== undefined) this.raised.delete(task)
  }

  /** The signal of its wait is aborted. Who was signalled before has to have its lock first, and then is told nothing. */
  abort(task: number): void {
    const standing = this.line.find((waiter) => waiter.task === task && waiter.held === undefined)
    if (standing !== undefined) this.#giveUp(standing, "AbortError")
    const signalless = this.waiting.find((waiter) => waiter.task === task)
    if (signalless !== undefined) this.#stopWaiting(signalless, "AbortError")
  }

  // ------------------------------------------------------------------ the rules

  #mayHave(task: number, mode: Mode, past: boolean): boolean {
    if (this.writer !== undefined) return this.writer === task
    if (mode === "write" && this.reads.size > 0) return false
    if (past || (mode === "read" && this.reads.has(task))) return true
    return this.fair ? this.line.length === 0 : mode === "write" || this.line[0]?.mode !== "write"
  }

  #take(task: number, mode: Mode): void {
    if (mode === "read") this.#setReads(task, this.readsOf(task) + 1)
    else {
      this.writer = task
      this.writes++
    }
  }

  /** Whoever stands first gets what it can have. */
  #serve(): void {
    for (let first = this.line[0]; first !== undefined; first = this.line[0]) {
      if (!this.#mayHave(first.task, first.mode, true)) return
      this.line.shift()
      if (first.held === undefined) this.#take(first.task, first.mode)
      else {
        this.writer = first.task
        this.writes = first.held.writes
        this.#setReads(first.task, first.held.reads)
      }
      this.#end(first.task, first.outcome)
    }
  }

  #giveUp(waiter: Waiter, outcome: Outcome): void {
    this.line = this.line.filter((other) => other !== waiter)
    this.#end(waiter.task, outcome)
    this.#serve()
  }

  #stopWaiting(waiter: Waiter, outcome: Outcome): void {
    this.waiting = this.waiting.filter((other) => other !== waiter)
    this.line.push({ ...waiter, interruptible: false, outcome })
    this.#serve()
  }

  #setReads(task: number, holds: number): void {
    if (holds > 0) this.reads.set(task, holds)
    else this.reads.delete(task)
  }

  #end(task: number, outcome: Outcome): void {
    this.outcomes.set(task, outcome)
  }
}
