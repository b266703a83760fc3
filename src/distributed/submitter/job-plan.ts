/** How a task becomes a job: its name, its arguments as text, and when it is due. */
import { IS_PORTABLE, WORK, WORK_ARGUMENTS } from "../../future/internals.ts"
import { wrongType } from "../../checks.ts"
import { TaskNotPortableError } from "../../errors.ts"
import { Carrier } from "../../executor/carrier.ts"
import { storesToCarry } from "../../executor/propagation.ts"
import { boundCall, type Call, callOf } from "../../future/call.ts"
import { FutureTask } from "../../future/future-task.ts"
import { type Callable, nameOf } from "../../future/runnable.ts"
import type { CronCalendar } from "../../schedule/cron-calendar.ts"
import { wrappedBy } from "../../task/each.ts"
import type { Catalogue } from "../job/catalogue.ts"
import { DistributedFutureTask } from "../job/distributed-future.ts"
import type { JobOrder } from "../job/engine.ts"
import type { JobData, SeriesData } from "../job/job-data.ts"
import type { JobPlan } from "./job-entry.ts"
import type { TaskSettings } from "../job/options.ts"
import { encodeArguments, encodeStores } from "../job/payload.ts"

/** When a task runs, if not at once. */
export interface JobTiming {
  /** Milliseconds until it is due. */
  readonly delay: number
  readonly kind?: SeriesData["kind"]
  readonly period?: number
  readonly cron?: { readonly expression: string; readonly timezone: string; readonly calendar: CronCalendar }
}

/** What planFor needs of the executor. */
export interface PlanContext {
  /** The id of the executor. */
  readonly from: string
  readonly catalogue: Catalogue
  readonly maxPayload: number
  newId(): string
  /** The engine's clock, if it is known. */
  now(): number | undefined
}

/** No job waits longer: engines cannot keep times that are further away. */
const LONGEST = 10 * 365 * 86_400_000

/** The plan for a task, or for a command if `command` is a function. Throws if it cannot be sent to another machine. */
export function planFor(
  command: FutureTask<unknown> | Callable<unknown>,
  settings: TaskSettings,
  context: PlanContext,
  timing?: JobTiming,
): JobPlan {
  const isTask = command instanceof FutureTask
  const future = isTask ? futureOf(command) : undefined
  const call = innermost(future === undefined ? callOf(command as Callable<unknown>) : callIn(future))
  const original = wrappedBy(call.fn)?.fn
  const name = context.catalogue.nameOf(original ?? call.fn)
  const args = encodeArguments(name, call.args, context.maxPayload)
  const known = future instanceof DistributedFutureTask ? future.id : undefined
  const { id: given, attempts, keepResults, priority = 0 } = settings
  const isCommand = future === undefined
  const id = known ?? given ?? context.newId()
  const connectedAt = context.now()
  const delay = Math.max(0, timing?.delay ?? 0)
  // No process asks for the outcome of a command; but a command with an id must be remembered, or it would run again.
  const keep = isCommand && given === undefined ? 0 : keepResults
  const data = dataFor(args, settings, context, isCommand, original !== undefined)
  let stores: string | undefined
  return {
    id,
    name,
    title: settings.name ?? name,
    takeStores: () => (stores = encodeStores(storesToCarry(), context.maxPayload)),
    args,
    from: context.from,
    role: timing !== undefined && given !== undefined ? "shared-schedule" : "own",
    future,
    carrier: isTask && command !== future ? command : undefined,
    call,
    isNamed: given !== undefined,
    delay,
    series: timing && seriesFor(timing),
    order: (now) => {
      const due = timing?.cron?.calendar.next(now) ?? (connectedAt ?? now) + Math.min(delay, LONGEST)
      return {
        id,
        isNew: given === undefined,
        name,
        data: timedData(stores === undefined ? data : { ...data, stores }, settings, due, timing),
        delay: Math.max(0, due - now),
        priority,
        attempts: timing?.kind === undefined ? attempts : 1,
        keep,
      } satisfies JobOrder
    },
  }
}

/** The plan for the future of a job that any process has submitted, and of which only the id is known. */
export function planToWatch(id: string, from: string, future: FutureTask<unknown>): JobPlan {
  return {
    id,
    name: "",
    title: "",
    takeStores: undefined,
    args: undefined,
    from,
    role: "watched",
    future,
    carrier: undefined,
    call: undefined,
    order: undefined,
    isNamed: true,
    delay: 0,
    series: undefined,
  }
}

function dataFor(
  args: string,
  { name, timeout, retry, maxDeaths }: TaskSettings,
  { from }: PlanContext,
  isCommand: boolean,
  isEach: boolean,
): JobData {
  return {
    v: 1,
    args,
    from,
    ...(isEach && { each: true }),
    ...(name !== undefined && { title: name }),
    ...(timeout !== undefined && timeout !== Infinity && { timeout }),
    ...(retry !== undefined && { retry }),
    ...(maxDeaths !== 1 && { maxDeaths }),
    ...(isCommand && { command: true }),
  }
}

function timedData(data: JobData, { queueTimeout }: TaskSettings, due: number, timing?: JobTiming): JobData {
  const series = timing && seriesFor(timing)
  return {
    ...data,
    ...(queueTimeout !== undefined && queueTimeout !== Infinity && { startBy: due + queueTimeout }),
    ...(series !== undefined && { series: { ...series, due, runs: 0, deathsBefore: 0 } }),
  }
}

/** The part of a series that does not change from run to run. */
export type SeriesRule = Pick<SeriesData, "kind" | "period" | "cron" | "timezone">

function seriesFor({ kind, period, cron }: JobTiming): SeriesRule | undefined {
  if (kind === undefined) return undefined
  if (cron !== undefined) return { kind, cron: cron.expression, timezone: cron.timezone }
  return { kind, period: Math.min(period ?? 0, LONGEST) }
}

export function isSameRule(a: SeriesRule | undefined, b: SeriesRule | undefined): boolean {
  return a?.kind === b?.kind && a?.period === b?.period && a?.cron === b?.cron && a?.timezone === b?.timezone
}

// ------------------------------------------------------------------ what the job calls

/** The future that a carrier carries; otherwise the task itself. */
export function futureOf(task: FutureTask<unknown>): FutureTask<unknown> {
  return task instanceof Carrier ? task.future : task
}

function callIn(future: FutureTask<unknown>): Call {
  if (!future[IS_PORTABLE]) {
    throw new TaskNotPortableError(
      `${nameOf(future)} has a run() method of its own, which cannot be called by another machine. Submit a function of the catalogue`,
    )
  }
  const { [WORK]: work, [WORK_ARGUMENTS]: args } = future
  if (work === undefined) throw wrongType("Expected `command` to be a task that is not done")
  return boundCall(work, args)
}

/** The function that is called in the end: unwraps functions made by `bind`. */
function innermost(call: Call): Call {
  let { fn, args } = call
  for (;;) {
    const inner = callOf(fn)
    if ((inner.object ?? call.object) !== undefined) throw belongsHere((inner.object ?? call.object) as object)
    if (inner.fn === fn) break
    ;({ fn, args } = boundCall(fn, args))
  }
  return { ...call, fn, args }
}

export function belongsHere(object: object): TaskNotPortableError {
  return new TaskNotPortableError(
    `${nameOf(object)} is an object of this process, and its run() method cannot be called by another machine. Submit a function of the catalogue`,
  )
}
