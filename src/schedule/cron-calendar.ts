import { loadPackage } from "#host/code/packages"
import { alone, rangeError, requireOptions, requireString, typeError } from "../checks.ts"
import { UnsupportedOperationError } from "../errors.ts"
import { messageOf } from "../user-values.ts"

/** Options of a cron expression. */
export interface CronOptions {
  /** The IANA name of the expression's time zone, such as `Europe/Berlin`; default that of the system. */
  readonly timezone?: string
}

/** The part of the package croner that is used. */
export interface Croner {
  /** Computes when an expression comes true. */
  readonly Cron: new (
    expression: string,
    options: { readonly timezone?: string; readonly paused: boolean },
  ) => { nextRun(after: Date): Date | null }
}

let croner: Croner | undefined

/**
 * Hands over the package croner, for programs that cannot find it: those that a bundler has put into one file. Others
 * need not call it.
 *
 *     import * as croner from "croner"
 *     useCroner(croner)
 */
export function useCroner(module: Croner): void {
  const given = module as Partial<Croner> | null | undefined
  if (typeof given?.Cron !== "function") throw typeError("module", "the package croner, with its class Cron", module)
  croner = module
}

/**
 * Computes when a cron expression comes true. The computation, with time zones and their changes of the clock, is left
 * to the package croner, an optional peer: a program without such schedules need not install it. None of its timers are
 * used.
 *
 * The package is looked for when the first calendar is made, synchronously: `scheduleCron` returns a future and not a
 * promise of one, and so cannot import. A bundler does not see that, and a program in one file has nowhere to look;
 * such a program hands the package over, by `useCroner`.
 */
export class CronCalendar {
  readonly #pattern: { nextRun(after: Date): Date | null }

  constructor(expression: string, options: CronOptions = {}) {
    requireString("expression", expression)
    const { timezone } = requireOptions("options", options, { timezone: true })
    const { Cron } = (croner ??= findCroner())
    // Croner also accepts a date, which would come true once. An expression has no colon.
    if (expression.includes(":")) throw rangeError("expression", "a cron expression, not a date", expression)
    try {
      this.#pattern = new Cron(expression, alone({ paused: true }))
    } catch (error) {
      throw refusal(expression, error)
    }
    if (timezone === undefined) return
    requireTimezone(requireString("timezone", timezone))
    this.#pattern = new Cron(expression, alone({ timezone, paused: true }))
  }

  /** The first time after `after` at which it comes true, both in ms since 1970; undefined if it never does. */
  next(after: number): number | undefined {
    return this.#pattern.nextRun(new Date(after))?.getTime()
  }
}

function refusal(expression: string, cause: unknown): RangeError {
  const reason = messageOf(cause).replace(/^CronPattern: |\.$/g, "")
  const error = rangeError("expression", `a cron expression (${reason})`, expression)
  error.cause = cause
  return error
}

function requireTimezone(timezone: string): void {
  try {
    Intl.DateTimeFormat("en", alone({ timeZone: timezone }))
  } catch (cause) {
    const error = rangeError("timezone", "the name of a time zone, such as Europe/Berlin", timezone)
    error.cause = cause
    throw error
  }
}

function findCroner(): Croner {
  try {
    return loadPackage("croner", (module) => module as Croner)
  } catch (cause) {
    throw new UnsupportedOperationError(
      'scheduleCron() needs the package croner, which computes times of the calendar: `npm install croner@~11.0`. If it is installed, but the program is bundled, hand it over: `useCroner(await import("croner"))`',
      { cause },
    )
  }
}
