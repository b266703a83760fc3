import { IllegalStateError } from "../../errors.ts"
import { sourceText } from "../../primordials.ts"
import type { CountedCompleter } from "./counted-completer.ts"
import { isForkJoinTask } from "./life.ts"
import { outOfReach } from "./out-of-reach.ts"
import { completionIn, setCompletion } from "./recursive-task.ts"

type AnyCompleter = CountedCompleter<unknown>

/** How a stolen completer has ended, for the original: a sum of these. */
export const ENDING = {
  /** `onCompletion` of the original is to be called. */
  CALL: 1,
  /** … with itself, and not with a part of it. */
  BY_ITSELF: 2,
  /** By `propagateCompletion`. */
  QUIET: 4,
  /** By `complete(value)`. */
  VALUE: 8,
  /** The root is complete, whatever else is pending. */
  ROOT: 16,
} as const

/** Of a copy whose original has a completer. */
interface Stolen {
  /** The placeholder for the completer of the original. */
  readonly far: object
  /** The error that the copy got when it used a task that is out of reach. */
  misuse: unknown
}

/**
 * What a completer has besides its fields: its own completer, its pending count, and, in the thread of a thief, what
 * the thread of the original has to know.
 */
export interface Completion {
  completer: AnyCompleter | undefined
  pending: number
  /** Whether it is the completer of another one. */
  hasParts: boolean
  /** See {@link ENDING}. */
  ending: number
  stolen: Stolen | undefined
}

/** Begins one on first use for a copy, which was made without its constructor. */
export function completionOf(task: AnyCompleter): Completion {
  return completionIn(task) ?? begin(task, undefined, 0)
}

/** Sets the completer of the task and its pending count. */
export function begin(task: AnyCompleter, completer: AnyCompleter | undefined, pending: number): Completion {
  const completion: Completion = { completer, pending, hasParts: false, ending: 0, stolen: undefined }
  setCompletion(task, completion)
  const next = completer === undefined ? undefined : completionIn(completer)
  if (next !== undefined) next.hasParts = true
  return completion
}

/** The same for a copy whose original has a completer. */
export function beginStolen(copy: AnyCompleter, pending: number): void {
  const stolen: Stolen = {
    far: outOfReach("The completer of this task", (error) => (stolen.misuse = error)),
    misuse: undefined,
  }
  begin(copy, undefined, pending).stolen = stolen
}

/** The completer of the task, if it is in this thread. */
export function above(task: object): AnyCompleter | undefined {
  return completionIn(task)?.completer
}

/** The last of its completers that is in this thread, or the task itself. */
export function topOf(task: AnyCompleter): AnyCompleter {
  let top = task
  for (let next = above(top); next !== undefined; next = above(top)) top = next
  return top
}

/**
 * Whether `onCompletion` of a stolen completer is called in the thread of the original. There it can use the completer
 * above and all fields, which have come back. In the thread of the thief it can use its parts, which are there, but
 * nothing above. So it is called in the thread of the thief if it knows its parts: by a field, or because it has a
 * parameter, the calling part, and its text does not mention its completer.
 */
export function belongsHome(copy: AnyCompleter): boolean {
  if (!completionOf(copy).hasParts) return true
  const isPart = (value: object): boolean => above(value) === copy
  if (Object.values(copy).some((field) => holds(field, isPart))) return false
  const onCompletion = Reflect.get(copy, "onCompletion")
  return onCompletion.length === 0 || speaksOf(onCompletion, COMPLETER)
}

/** Whether the field is a task, or a collection with tasks. */
export function holdsTasks(field: unknown): boolean {
  return holds(field, isForkJoinTask)
}

function holds(field: unknown, what: (value: object) => boolean): boolean {
  if (typeof field !== "object" || field === null) return false
  if (isForkJoinTask(field)) return what(field)
  const isMany = Array.isArray(field) || field instanceof Set || field instanceof Map
  const values: Iterable<unknown> = isMany ? field.values() : []
  for (const each of values) if (isForkJoinTask(each) && what(each)) return true
  return false
}

/**
 * Throws if a thief has changed an object in the fields of the task that the completer of the task holds, too. The
 * changed object comes back as another one, so task and completer would each lack the changes of the other.
 */
export function requireOwn(task: AnyCompleter, names: readonly string[]): void {
  const completer = above(task)
  if (completer === undefined || names.length === 0) return
  const others = new Set<unknown>(Object.values(completer))
  for (const name of names) {
    if (!others.has((task as unknown as Record<string, unknown>)[name])) continue
    throw new IllegalStateError(
      `The object in field \`${name}\` is one of the completer's, and was changed in the thread of a thief, which had a copy of it. Give each part one of its own, and let onCompletion() bring them together; or use shared memory`,
    )
  }
}

const COMPLETER = /\b(?:completer|root)\b/
const BY_HAND = /\bnextComplete\b/

const spokenOf = new WeakMap<object, boolean>()

function speaksOf(fn: (...args: never[]) => unknown, what: RegExp): boolean {
  let speaks = spokenOf.get(fn)
  if (speaks === undefined) spokenOf.set(fn, (speaks = what.test(sourceText(fn))))
  return speaks
}

const handClimbers = new WeakMap<object, boolean>()

/**
 * Whether the class goes up from completer to completer by itself (`nextComplete`). Such a loop runs in the thread in
 * which the last part ends, and uses the fields of all completers on its way: so all of them have to be in one thread.
 */
export function climbsByHand(type: object): boolean {
  let climbs = handClimbers.get(type)
  if (climbs === undefined) handClimbers.set(type, (climbs = BY_HAND.test(sourceText(type))))
  return climbs
}
