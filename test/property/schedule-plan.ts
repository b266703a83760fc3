/** What random programs with a scheduled executor consist of. Times are in ms. */
import fc from "fast-check"

export type Kind = "once" | "rate" | "delay" | "cron"

export type Policy =
  "continueExistingPeriodicTasksAfterShutdown" | "executeExistingDelayedTasksAfterShutdown" | "removeOnCancel"

/** A task. */
export interface Plan {
  readonly kind: Kind
  /** Until the first run; of no meaning for cron. */
  readonly delay: number
  /** From start to start, or from end to start. */
  readonly period: number
  /** It runs at all times of day that are a multiple of so many seconds. */
  readonly seconds: number
  /** How long a run lasts. */
  readonly lasts: number
  /** Which run fails; none with 0. */
  readonly failsOn: number
}

/** What is done to tasks that are scheduled, and to all of them; a task by its number, modulo how many there are. */
export type Meddling =
  | { readonly do: "cancel"; readonly task: number; readonly interrupt: boolean }
  | { readonly do: "remove"; readonly task: number }
  | { readonly do: "set"; readonly policy: Policy; readonly value: boolean }
  | { readonly do: "purge" | "shutdown" }

export const cancelling: fc.Arbitrary<Meddling> = fc.record({
  do: fc.constant("cancel" as const),
  task: fc.nat(20),
  interrupt: fc.boolean(),
})
export const removing: fc.Arbitrary<Meddling> = fc.record({ do: fc.constant("remove" as const), task: fc.nat(20) })
export const setting: fc.Arbitrary<Meddling> = fc.record({
  do: fc.constant("set" as const),
  policy: fc.constantFrom<Policy>(
    "continueExistingPeriodicTasksAfterShutdown",
    "executeExistingDelayedTasksAfterShutdown",
    "removeOnCancel",
  ),
  value: fc.boolean(),
})
export const whole: fc.Arbitrary<Meddling> = fc.record({ do: fc.constantFrom("purge" as const, "shutdown" as const) })

export type Step =
  | { readonly do: "schedule"; readonly plan: Plan }
  | { readonly do: "advance"; readonly ms: number }
  | Meddling
  | { readonly do: "shutdownNow" }

/** Coarse, so that many things happen at the same moment, but not all. */
function time(min: number, max: number): fc.Arbitrary<number> {
  return fc.integer({ min: min / 500, max: max / 500 }).map((n) => n * 500)
}

const plan: fc.Arbitrary<Plan> = fc.record({
  kind: fc.constantFrom<Kind>("once", "rate", "delay", "cron"),
  delay: fc.oneof({ weight: 9, arbitrary: time(-500, 8000) }, { weight: 1, arbitrary: fc.constant(Infinity) }),
  period: time(500, 4000),
  seconds: fc.constantFrom(1, 2, 3, 5, 10),
  lasts: fc.oneof(fc.constant(0), time(500, 5000)),
  failsOn: fc.nat(8),
})

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant("schedule" as const), plan }) },
  { weight: 3, arbitrary: cancelling },
  { weight: 1, arbitrary: removing },
  { weight: 2, arbitrary: setting },
  { weight: 7, arbitrary: fc.record({ do: fc.constant("advance" as const), ms: time(0, 10_000) }) },
  { weight: 1, arbitrary: whole },
)

export interface Program {
  readonly threads: number
  readonly steps: readonly Step[]
}

/** Something is done, then the executor is shut down in one way or another, and time goes on. */
export const program: fc.Arbitrary<Program> = fc
  .record({
    threads: fc.constantFrom(1, 1, 2, 3),
    before: fc.array(step, { minLength: 1, maxLength: 20 }),
    end: fc.constantFrom("shutdown" as const, "shutdownNow" as const),
    after: fc.array(step, { maxLength: 6 }),
  })
  .map(({ threads, before, end, after }) => ({ threads, steps: [...before, { do: end }, ...after] }))
