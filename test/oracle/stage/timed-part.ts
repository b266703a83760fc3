/**
 * What the tasks of suite "scheduled" do: one body for all kinds of threads. Run n of a task sleeps for the n-th of its
 * durations, then perhaps cancels its own future or throws.
 */
import { InterruptedError } from "corepool"
import { OwnError } from "../results.ts"

/** A task as plain data, which another thread can be told. */
export interface TimedPart {
  readonly name: string
  /** Where it stands among all tasks of the scenario. */
  readonly number: number
  /** In real milliseconds, run by run; 0 for those that are missing. */
  readonly durations: readonly number[]
  /** The run that throws; 0 if none does. */
  readonly throwOn: number
  readonly cancelSelfOn: number
}

export const events = ["started", "returned", "threw", "interrupted"] as const
export type Event = (typeof events)[number]

/** What such a task meets where it runs. */
export interface TimedWings {
  /** Begins a run; which one it is, from 1 on. */
  started(part: TimedPart): number
  ended(part: TimedPart, run: number, how: Exclude<Event, "started">): void
  /** InterruptedError if the thread is interrupted. */
  sleep(ms: number): void | Promise<void>
  /** Has the future of the task cancelled, without an interrupt. */
  cancel(part: TimedPart): void | Promise<void>
}

/** As far as possible without giving up the thread. */
export function playTimed(part: TimedPart, wings: TimedWings): unknown {
  const run = wings.started(part)
  const duration = part.durations[run - 1] ?? 0
  if (duration === 0) return act(part, run, wings)
  let sleep: void | Promise<void>
  try {
    sleep = wings.sleep(duration)
  } catch (error) {
    return wake(part, run, wings, error)
  }
  if (!(sleep instanceof Promise)) return act(part, run, wings)
  return sleep.then(
    () => act(part, run, wings),
    (error: unknown) => wake(part, run, wings, error),
  )
}

function wake(part: TimedPart, run: number, wings: TimedWings, error: unknown): never {
  if (!(error instanceof InterruptedError)) throw error
  wings.ended(part, run, "interrupted")
  throw new OwnError(`${part.name} interrupted`)
}

function act(part: TimedPart, run: number, wings: TimedWings): unknown {
  const cancelled = part.cancelSelfOn === run ? wings.cancel(part) : undefined
  return cancelled instanceof Promise ? cancelled.then(() => end(part, run, wings)) : end(part, run, wings)
}

function end(part: TimedPart, run: number, wings: TimedWings): unknown {
  const throws = part.throwOn === run
  wings.ended(part, run, throws ? "threw" : "returned")
  if (throws) throw new OwnError(part.name)
  return part.name
}
