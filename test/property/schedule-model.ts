/**
 * What a scheduled executor does, in the simplest of words: a list of what waits, sorted by time and age, and a list of what
 * runs, with the times at which that ends. It knows no promises, timers or threads but their number.
 */
import type { Plan, Policy, Step } from "./schedule-plan.ts"

export type State = "running" | "success" | "failed" | "cancelled"

export interface ModelTask {
  readonly name: number
  readonly plan: Plan
  state: State
  /** When it is due; undefined if it does not wait. */
  time: number | undefined
  /** When it was due last. */
  due: number
  runs: number
}

export class ScheduleModel {
  now = 0
  readonly tasks: ModelTask[] = []
  /** `name@time`, for each run that began. */
  readonly starts: string[] = []
  completed = 0
  phase: "open" | "shut down" | "stopped" = "open"
  readonly policies: Record<Policy, boolean> = {
    continueExistingPeriodicTasksAfterShutdown: false,
    executeExistingDelayedTasksAfterShutdown: true,
    removeOnCancel: false,
  }
  /** In the order in which they began. */
  #running: { readonly task: ModelTask; readonly ends: number }[] = []
  readonly #threads: number

  constructor(threads: number) {
    this.#threads = threads
  }

  get waiting(): ModelTask[] {
    return this.tasks
      .filter(({ time }) => time !== undefined)
      .sort((a, b) => (a.time ?? 0) - (b.time ?? 0) || a.name - b.name)
  }

  get active(): number {
    return this.#running.length
  }

  perform(step: Step): void {
    switch (step.do) {
      case "schedule":
        if (this.phase === "open") this.#schedule(step.plan)
        break
      case "cancel":
        this.#cancelByUser(this.#task(step.task), step.interrupt)
        break
      case "remove":
        this.#remove(this.#task(step.task))
        break
      case "set":
        this.policies[step.policy] = step.value
        if (step.policy !== "removeOnCancel" && !step.value && this.phase !== "open") this.#dropUnwanted()
        break
      case "advance":
        this.#advance(this.now + step.ms)
        break
      case "purge":
        for (const task of this.waiting) if (task.state === "cancelled") task.time = undefined
        break
      case "shutdown":
        if (this.phase === "open") this.phase = "shut down"
        this.#dropUnwanted()
        break
      case "shutdownNow":
        this.#stop()
        break
    }
    this.#dispatch()
  }

  #task(number: number): ModelTask | undefined {
    return this.tasks[number % Math.max(1, this.tasks.length)]
  }

  #schedule(plan: Plan): void {
    const time = plan.kind === "cron" ? this.#nextMultiple(plan) : this.now + Math.max(0, plan.delay)
    this.tasks.push({ name: this.tasks.length, plan, state: "running", time, due: time, runs: 0 })
  }

  /** The wall clock begins with a full day. */
  #nextMultiple({ seconds }: Plan): number {
    // Steps of a field begin anew with each minute.
    const minute = Math.floor(this.now / 60_000) * 60_000
    const passed = Math.floor((this.now - minute) / (seconds * 1000))
    return Math.min(minute + (passed + 1) * seconds * 1000, minute + 60_000)
  }

  #cancelByUser(task: ModelTask | undefined, interrupt: boolean): void {
    if (task?.state !== "running") return
    task.state = "cancelled"
    if (this.policies.removeOnCancel) task.time = undefined
    if (interrupt) this.#interrupt((other) => other === task)
  }

  #remove(task: ModelTask | undefined): void {
    if (task !== undefined) task.time = undefined
  }

  /** Runs that last sleep, and so end when they are interrupted: with an error, which only counts if it is the first word. */
  #interrupt(which: (task: ModelTask) => boolean): void {
    const ended = this.#running.filter(({ task }) => which(task))
    this.#running = this.#running.filter(({ task }) => !which(task))
    for (const { task } of ended) {
      this.completed++
      if (task.state === "running") task.state = "failed"
    }
  }

  #mayRun({ plan, due }: ModelTask): boolean {
    if (this.phase === "open") return true
    if (this.phase === "stopped") return false
    if (plan.kind !== "once") return this.policies.continueExistingPeriodicTasksAfterShutdown
    return this.policies.executeExistingDelayedTasksAfterShutdown || due <= this.now
  }

  #dropUnwanted(): void {
    for (const task of this.waiting) {
      if (this.#mayRun(task) && task.state === "running") continue
      task.time = undefined
      task.state = "cancelled"
    }
  }

  #stop(): void {
    this.phase = "stopped"
    for (const task of this.waiting) {
      task.time = undefined
      task.state = "cancelled"
    }
    this.#interrupt(() => true)
  }

  #advance(end: number): void {
    for (;;) {
      const next = this.#nextMoment()
      if (next > end) break
      this.now = next
      const over = this.#running.filter(({ ends }) => ends <= this.now)
      this.#running = this.#running.filter(({ ends }) => ends > this.now)
      for (const { task } of over) this.#end(task)
      this.#dispatch()
    }
    this.now = end
  }

  #nextMoment(): number {
    const isFree = this.#running.length < this.#threads
    const due = isFree ? (this.waiting[0]?.time ?? Infinity) : Infinity
    return Math.min(due, ...this.#running.map(({ ends }) => ends))
  }

  #dispatch(): void {
    while (this.#running.length < this.#threads) {
      const [task] = this.waiting
      if (task?.time === undefined || task.time > this.now) return
      task.time = undefined
      this.#begin(task)
    }
  }

  #begin(task: ModelTask): void {
    if (task.state === "running" && !this.#mayRun(task)) task.state = "cancelled"
    if (task.state !== "running") {
      this.completed++
      return
    }
    this.starts.push(`${task.name}@${this.now}`)
    task.runs++
    if (task.plan.lasts === 0) this.#end(task)
    else this.#running.push({ task, ends: this.now + task.plan.lasts })
  }

  #end(task: ModelTask): void {
    this.completed++
    const { plan } = task
    if (task.state !== "running") return
    if (task.runs === plan.failsOn) task.state = "failed"
    else if (plan.kind === "once") task.state = "success"
    else this.#goOn(task)
  }

  #goOn(task: ModelTask): void {
    const { kind, period } = task.plan
    if (kind === "cron") task.due = this.#nextMultiple(task.plan)
    else task.due = kind === "rate" ? task.due + period : this.now + period
    if (this.#mayRun(task)) task.time = task.due
    else task.state = "cancelled"
  }
}
