/** Ways to run something later, behind one small interface. The rivals' types are as much of them as is used here. */
import { corepool } from "./corepool.ts"
import { installed } from "./tasks/packages.ts"
import { clock, late, nothing } from "./tasks/work.ts"

type Work = typeof import("./tasks/work.ts")

export interface Timers {
  /** Starts a timer for something that does nothing, and returns what it can be cancelled with. */
  set(delay: number): unknown
  clear(timer: unknown): void
  /** Runs something after `delay` ms that reports, in ms, how late it is; negative if it is early. */
  tell(delay: number, report: (lateness: number) => void): void
}

export interface Kind {
  readonly name: string
  /** Nobody closes them: the process that has them is killed at the end. */
  open(): Promise<Timers>
}

function timersOf<H>(
  set: (task: () => void, delay: number) => H,
  clear: (timer: H) => void,
  dueAfter: (delay: number) => number = (delay) => clock() + delay,
): Timers {
  return {
    set: (delay) => set(nothing, delay),
    clear: (timer) => clear(timer as H),
    tell(delay, report) {
      const due = dueAfter(delay)
      set(() => report(late(due)), delay)
    },
  }
}

export const virtual: Kind = {
  name: "virtual threads",
  async open() {
    const { Executors, virtualThreads } = await corepool()
    const pool = Executors.newScheduledThreadPool(1, virtualThreads())
    pool.removeOnCancel = true
    return timersOf(
      (task, delay) => pool.schedule(task, delay),
      (future) => future.cancel(),
    )
  },
}

/** One thread: the others of a pool that is not overloaded would stand in line behind it. */
export const platform: Kind = {
  name: "platform threads",
  async open() {
    const { Executors, tasksOf } = await corepool()
    const pool = Executors.newScheduledThreadPool(1)
    pool.removeOnCancel = true
    const work = tasksOf<Work>(new URL("tasks/work.js", import.meta.url))
    await pool.schedule(work.nothing, 0)
    return {
      set: (delay) => pool.schedule(work.nothing, delay),
      clear: (future) => void (future as ReturnType<typeof pool.schedule>).cancel(),
      tell: (delay, report) => void pool.schedule(work.late, delay, clock() + delay).then(report),
    }
  },
}

export const timeouts: Kind = {
  name: "setTimeout",
  async open() {
    return timersOf((task, delay) => setTimeout(task, delay), clearTimeout)
  },
}

interface NodeSchedule {
  readonly default: { scheduleJob(date: Date, task: () => void): { cancel(): boolean } }
}

/** Takes a date, of whole milliseconds by the wall clock. */
export const nodeSchedule: Kind = {
  name: "node-schedule",
  async open() {
    const { default: library } = await installed<NodeSchedule>("node-schedule")
    return timersOf(
      (task, delay) => library.scheduleJob(new Date(dateAfter(delay)), task),
      (job) => job.cancel(),
      (delay) => clock() + dateAfter(delay) - wallClock(),
    )
  },
}

function dateAfter(delay: number): number {
  return Math.floor(wallClock() + delay)
}

function wallClock(): number {
  return performance.timeOrigin + performance.now()
}

interface ToadJob {
  stop(): void
}

interface Toad {
  readonly default: {
    readonly ToadScheduler: new () => { addSimpleIntervalJob(job: ToadJob): void; removeById(id: string): unknown }
    readonly Task: new (id: string, handler: () => void) => object
    readonly SimpleIntervalJob: new (schedule: { milliseconds: number }, task: object, options: object) => ToadJob
  }
}

/** Knows intervals only, so a job stops itself in its first run. */
export const toad: Kind = {
  name: "toad-scheduler",
  async open() {
    const { default: library } = await installed<Toad>("toad-scheduler")
    const scheduler = new library.ToadScheduler()
    let last = 0
    return timersOf(
      (task, milliseconds) => {
        const id = `job ${++last}`
        const once = new library.Task(id, () => {
          job.stop()
          task()
          scheduler.removeById(id)
        })
        const job = new library.SimpleIntervalJob({ milliseconds }, once, { id })
        scheduler.addSimpleIntervalJob(job)
        return id
      },
      (id) => void scheduler.removeById(id),
    )
  },
}

export const rivalTimers: readonly Kind[] = [timeouts, nodeSchedule, toad]
