/**
 * The tasks that modules of this thread have defined, by their places: URL of the module and name.
 *
 * Guarantee: a place names one function. A second, different function under the same place is refused when it is
 * defined; where the difference cannot be seen at once, the look-up of that place fails. Neither ever returns another
 * function than the intended one.
 *
 * How it works. Bundlers put many modules into one file, and minifiers may give the inner names of many functions the
 * same letter, so two tasks may claim one place. But a module may also rightly be evaluated twice in one thread, by hot
 * reload or by a test runner that resets its modules, and then defines every place again. The two cases are
 * distinguished:
 *
 * - Another text: another function. Refused.
 * - The same text, defined from another position of the module, both within one job of the event loop: a function that
 *   makes tasks was called twice, with different variables around each. Refused. A module evaluated twice defines them
 *   from one position. (Only within one job, since an edit between two evaluations moves positions.)
 * - The same text otherwise: taken for a second evaluation. The newest function counts. If both belong to one
 *   evaluation all the same, such as functions that a loop makes, only the module's export of that name can say which
 *   one is meant; a look-up without such an export fails.
 */
import { OwnMap, sourceText } from "../primordials.ts"
import { IllegalStateError, TaskNotPortableError } from "../errors.ts"
import { perThread } from "../per-thread.ts"
import { runtime } from "#host/runtime/clock"

/** Where another thread finds a function. */
export interface Place {
  /** The absolute URL of its module. */
  readonly module: string
  /** The name under which the module defines it by `task()`, or exports it. */
  readonly name: string
  /** The module's export of that name is meant, and a task only if there is no such export. */
  readonly isExport?: true
}

type AnyFunction = (...args: never[]) => unknown

interface Definition {
  /** The newest is last. They are few: a module is seldom evaluated more than once. */
  readonly functions: AnyFunction[]
  /** The position from which the newest one was defined, and the job. */
  position: string
  job: number
}

const places = perThread("tasks", () => new WeakMap<object, Place>())
const defined = perThread("tasks by place", () => new OwnMap<string, Definition>())

function keyOf({ module, name }: Place): string {
  return `${module}#${name}`
}

/** The place of the function, if it is a task. */
export function placeOf(fn: object): Place | undefined {
  return places.get(fn)
}

/** Sets the place of a function that stands for the function at that place. */
export function setPlace(fn: object, place: Place): void {
  places.set(fn, place)
}

/**
 * Throws if this export of a module stands for itself: the module has made it by `tasksOf` of its own URL. To look for
 * the function would never end.
 */
export function requireOther(exported: object, { module, name }: Place): void {
  const place = placeOf(exported)
  if (place?.isExport !== true || place.module !== module || place.name !== name) return
  throw new TaskNotPortableError(
    `What ${module} exports as \`${name}\` is only a reference to that export: tasksOf(url) is for the exports of other modules. In the module that has the function, write task(import.meta.url, fn, "${name}")`,
  )
}

/** Makes a function of corepool's own a task. Copies of corepool in one thread may each do so; any of them will do. */
export function defineBuiltIn<F extends AnyFunction>(place: Place, fn: F): F {
  places.set(fn, place)
  defined.set(keyOf(place), { functions: [fn], position: "", job: 0 })
  return fn
}

/**
 * Makes a function a task that is found at this place.
 *
 * @param above - The function whose caller defines the task.
 * @throws IllegalStateError if the place has another function.
 */
export function define(place: Place, fn: AnyFunction, above: AnyFunction): void {
  const key = keyOf(place)
  const definition = defined.get(key)
  const position = positionAbove(above)
  const job = currentJob()
  if (definition === undefined) {
    defined.set(key, { functions: [fn], position, job })
  } else if (!definition.functions.includes(fn)) {
    const before = definition.functions.at(-1) as AnyFunction
    const isOther = !haveSameText(before, fn)
    if (isOther || (job === definition.job && position !== definition.position)) throw conflict(place, before, fn)
    definition.functions.push(fn)
    definition.position = position
    definition.job = job
  }
  places.set(fn, place)
}

/** Whether a module of this thread has made this very function a task. */
export function isTaskHere(fn: AnyFunction): boolean {
  const place = places.get(fn)
  return place !== undefined && defined.get(keyOf(place))?.functions.includes(fn) === true
}

/** The task with this place, if this thread has loaded it and it is the only one. */
export function onlyTaskAt(place: Place): AnyFunction | undefined {
  const functions = defined.get(keyOf(place))?.functions
  return functions?.length === 1 ? functions[0] : undefined
}

/**
 * The task with this place, if this thread has loaded it.
 *
 * @param exported - What its module exports under the name, as far as that is known.
 * @throws TaskNotPortableError if there are several, and none of them is the one exported.
 */
export function taskAt(place: Place, exported: unknown): AnyFunction | undefined {
  const functions = defined.get(keyOf(place))?.functions
  if (functions === undefined || functions.length === 1) return functions?.[0]
  const found = functions.find((fn) => fn === exported)
  if (found !== undefined) return found
  throw new TaskNotPortableError(
    `${place.module} defines ${functions.length} tasks as \`${place.name}\`, and exports none of them under that name, so none can be chosen. ${WAY_OUT}`,
  )
}

const WAY_OUT = 'Give each a name of its own as the third argument: task(import.meta.url, fn, "name")'

function conflict({ module, name }: Place, before: AnyFunction, now: AnyFunction): IllegalStateError {
  return new IllegalStateError(
    `${module} defines two tasks as \`${name}\`: ${beginningOf(before)} and ${beginningOf(now)}. Other threads could not tell them apart. ${haveSameText(before, now) ? "Their texts are the same, but the two were made one after the other, and may use different variables: pass these as arguments." : "Did a bundler or minifier give both the same name?"} ${WAY_OUT}`,
  )
}

// ------------------------------------------------------------------ what tells functions apart

function textOf(fn: AnyFunction): string {
  return sourceText(fn)
}

/** False for functions without source, such as bound ones: all of them have the same text. */
function haveSameText(a: AnyFunction, b: AnyFunction): boolean {
  return textOf(a) === textOf(b) && hasText(a)
}

function hasText(fn: AnyFunction): boolean {
  return !/\{\s*\[native code\]\s*\}\s*$/.test(textOf(fn))
}

const BY_TEXT = "anonymous#"

/**
 * A name for a function that has none, such as an arrow function, or a function whose name a minifier has dropped. It
 * is made of the text, which is the same in every thread that loads the same file; white space does not count, as
 * compilers differ in it. Two texts with the same such name are told apart like other functions of one name. Undefined
 * if the function has no text.
 */
export function nameByText(fn: AnyFunction): string | undefined {
  if (!hasText(fn)) return undefined
  let hash = 0x811c9dc5 // FNV-1a
  for (const char of textOf(fn).replaceAll(/[\s;]+/g, "")) {
    hash = Math.imul(hash ^ (char.codePointAt(0) as number), 0x01000193)
  }
  return `${BY_TEXT}${(hash >>> 0).toString(16).padStart(8, "0")}`
}

/** Whether a place names its function by its text. */
export function isByText({ name }: Place): boolean {
  return name.startsWith(BY_TEXT)
}

function beginningOf(fn: AnyFunction): string {
  const text = textOf(fn).replaceAll(/\s+/g, " ")
  return text.length > 60 ? `«${text.slice(0, 60)}…»` : `«${text}»`
}

/** The position of the caller in its file, and those of its callers in the same file. Empty if the runtime has none. */
function positionAbove(above: AnyFunction): string {
  const holder: { stack?: unknown } = {}
  Error.captureStackTrace(holder, above)
  if (typeof holder.stack !== "string") return ""
  let file: string | undefined
  const positions: string[] = []
  for (const line of holder.stack.split("\n")) {
    const { at, position } = /(?<at>[^\s(@]+):(?<position>\d+:\d+)\)?$/.exec(line)?.groups ?? {}
    if (at === undefined || position === undefined) continue
    file ??= at
    if (at !== file) break
    positions.push(position)
  }
  return positions.join(" ")
}

let job = 0
let isJobKnown = false

/** A number for the job of the event loop that runs now. */
function currentJob(): number {
  if (!isJobKnown) {
    isJobKnown = true
    job++
    runtime.microtask(() => (isJobKnown = false))
  }
  return job
}
