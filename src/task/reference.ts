/** References to functions: how another thread gets to know a function, and finds it. */
import { OwnMap } from "../primordials.ts"
import { requireFunction } from "../checks.ts"
import { TaskNotPortableError } from "../errors.ts"
import { isCallable, named } from "../future/call.ts"
import { perThread } from "../per-thread.ts"
import { isByText, isTaskHere, onlyTaskAt, type Place, placeOf, requireOther, setPlace, taskAt } from "./definitions.ts"
import { eachOf, wrappedBy } from "./each.ts"
import { isEntry } from "./entry.ts"
import { compile } from "./compile.ts"
import { whyNotLoaded } from "./load-failure.ts"
import { loadModule } from "./loading.ts"
import { currentSubmission, type Origin } from "./origin.ts"
import { packedError, packedResult } from "./portable-error.ts"
import { eachAtOnce, someOf } from "./some.ts"
import { explain, sourceOf } from "./source.ts"
import { exportNamed } from "./task.ts"
import { titleOf } from "./title.ts"
import { propertyOf, setOwn } from "../user-values.ts"

/** A function as text, and where the text comes from. */
interface Source {
  readonly source: string
  readonly name: string
  readonly origin?: Origin
}

/**
 * Plain data. Where the function is, or its text; or that another function is to be called for each element of an
 * array, or for some of them; or that an object of a class is to be made, and to do its work; or that a function is to
 * be called with others, see {@link give}.
 */
export type TaskReference =
  | Place
  | Source
  | { readonly each: TaskReference }
  | { readonly some: TaskReference }
  | { readonly compute: TaskReference }
  | { readonly call: TaskReference; readonly given: readonly TaskReference[] }

const known = new WeakMap<object, TaskReference>()

/** The reference to a function, as short as can be; `TaskNotPortableError` if there is none. */
export function referenceOf(fn: (...args: never[]) => unknown): TaskReference {
  requireFunction("task", fn)
  let reference = known.get(fn)
  if (reference === undefined) known.set(fn, (reference = makeReference(fn)))
  return reference
}

/** The static method of a class of tasks that makes an object with this state and does its work. */
export const COMPUTE: unique symbol = Symbol.for("corepool.compute")

type TaskClass = AnyFunction & { [COMPUTE](...state: unknown[]): unknown }
type AnyFunction = (...args: never[]) => unknown

/** A function that makes an object of this class, with the arguments as its state, and lets it do its work. */
// oxlint-disable-next-line typescript/no-unsafe-function-type -- which is what `constructor` is
export function computeOf(type: Function): (...state: unknown[]) => unknown {
  let made = computers.get(type)
  if (made === undefined) {
    const name = propertyOf(type, "name")
    made = named((...state) => (type as TaskClass)[COMPUTE](...state), typeof name === "string" ? name : "")
    computers.set(type, made)
    classes.set(made, type as TaskClass)
  }
  return made
}

const computers = perThread("computers", () => new WeakMap<object, (...state: unknown[]) => unknown>())
const classes = perThread("classes of tasks", () => new WeakMap<object, TaskClass>())

type Functions = readonly (AnyFunction | undefined)[]

/** What {@link give} passes to its outer function: the given functions, and the whole function, for use as a task. */
export interface Given<F extends Functions = Functions, S extends AnyFunction = AnyFunction> {
  readonly functions: F
  readonly self: S
}

/**
 * A function that calls `outer` with these functions, and then with its own arguments. Functions cannot be arguments of
 * a task. But this one is sent as the references of the functions of which it consists, and each thread finds all of
 * them before it calls it.
 */
export function give<F extends Functions, A extends unknown[], T>(
  outer: (given: Given<F, (...args: A) => T>, ...args: A) => T,
  functions: F,
): (...args: A) => T {
  const given = { functions, self }
  function self(...args: A): T {
    return outer(given, ...args)
  }
  gifts.set(self, { outer, functions: functions as readonly AnyFunction[] })
  return self
}

interface Gift {
  readonly outer: AnyFunction
  readonly functions: readonly AnyFunction[]
}

const gifts = perThread("given functions", () => new WeakMap<object, Gift>())

/** The first of the functions that were given to this one by {@link give}; the function itself if there is none. */
export function firstGivenTo(fn: AnyFunction): AnyFunction {
  return gifts.get(fn)?.functions[0] ?? fn
}

function makeReference(fn: (...args: never[]) => unknown): TaskReference {
  const wrapped = wrappedBy(fn)
  if (wrapped?.kind === "each") return { each: referenceOf(wrapped.fn) }
  if (wrapped?.kind === "some") return { some: referenceOf(wrapped.fn) }
  const type = classes.get(fn)
  if (type !== undefined) return { compute: referenceToClass(type) }
  const gift = gifts.get(fn)
  if (gift !== undefined) return { call: referenceOf(gift.outer), given: gift.functions.map(referenceOf) }
  if (isCallable(fn)) {
    throw new TaskNotPortableError(
      "A function that bind() or Executors.callable() has made cannot be sent in this place. Pass the function itself, and its arguments beside it",
    )
  }
  const place = placeOf(fn)
  if (place === undefined) return sourceReference(fn)
  if (isEntry(place.module)) {
    throw new TaskNotPortableError(
      `Task \`${place.name}\` is defined in the module with which the program starts. Another thread would have to import that, and so run the whole program again. Move the task to a module of its own; if a bundler has put it there, make its module an entry point of the bundle`,
    )
  }
  return place
}

function sourceReference(fn: AnyFunction): Source {
  const source = sourceOf(fn)
  const own = propertyOf(fn, "name")
  const name = typeof own === "string" ? own : ""
  const { origin, frames } = currentSubmission(source, name)
  submitters.set(fn, frames)
  return { source: source.expression, name, ...(origin && { origin }) }
}

const submitters = new WeakMap<object, readonly string[]>()

/** The stack with which this thread first submitted a function that is sent as source: lines, innermost first. */
export function submitterOf(fn: AnyFunction): readonly string[] | undefined {
  return submitters.get(wrappedBy(fn)?.fn ?? fn)
}

/** The function, in this thread. If it is sent on, it is sent with the same reference. */
function evaluate(reference: Source): FoundTask["fn"] {
  const fn = compile(reference.source, reference.name, reference.origin)
  known.set(fn, reference)
  return fn
}

function referenceToClass(type: TaskClass): TaskReference {
  if (placeOf(type) !== undefined) return referenceOf(type)
  throw new TaskNotPortableError(
    `Other threads cannot find class ${type.name}. Export it from a module of its own and write in it: static { task(import.meta.url, this) }`,
  )
}

/** A function in place of the referenced one. It can be sent to other threads; a call first finds the function. */
export function functionInPlaceOf(reference: TaskReference): (...args: never[]) => unknown {
  if ("source" in reference) return evaluate(reference)
  if ("each" in reference) return eachOf(functionInPlaceOf(reference.each) as (item: unknown) => unknown)
  if ("some" in reference) return someOf(functionInPlaceOf(reference.some) as (item: unknown) => unknown)
  if ("compute" in reference || "call" in reference) return async (...args) => (await find(reference)).fn(...args)
  const standing: AnyFunction = async (...args) => (await find(reference)).fn(...args)
  setOwn(standing, "name", reference.name, false)
  setPlace(standing, reference)
  return standing
}

/** A function found by a reference, ready to be called. */
export interface FoundTask {
  readonly fn: (...args: unknown[]) => unknown
  /** Replaces an error of the function by one that explains it, if that is possible. */
  explain(error: unknown): unknown
}

/** Whether the function is declared `async`, or the function that it calls is. Others may return promises, too. */
export function isAsync(fn: AnyFunction): boolean {
  if (fn instanceof AsyncFunction) return true
  const gift = gifts.get(fn)
  if (gift !== undefined) return [gift.outer, ...gift.functions].some((part) => part !== undefined && isAsync(part))
  const compute: unknown = (classes.get(fn)?.prototype as { compute?: unknown } | undefined)?.compute
  return typeof compute === "function" && compute instanceof AsyncFunction
}

/** The class of functions that are declared `async`. */
const AsyncFunction = (async () => undefined).constructor as FunctionConstructor

function asItIs(fn: AnyFunction): FoundTask {
  return { fn: fn as FoundTask["fn"], explain: (error) => error }
}

/** The modules that tasks were found in. */
const modules = new OwnMap<string, Record<string, unknown>>()

/** Finds the function without waiting, if its module has been loaded; undefined if it has not. */
export function findNow(reference: TaskReference): FoundTask | undefined {
  if ("source" in reference) return { fn: evaluate(reference), explain }
  if ("each" in reference) {
    const each = findNow(reference.each)
    return each && eachOfFound(each)
  }
  if ("some" in reference) {
    const some = findNow(reference.some)
    return some && someOfFound(some, reference.some)
  }
  if ("compute" in reference) {
    const type = findNow(reference.compute)
    return type && computeOfFound(type)
  }
  if ("call" in reference) {
    const found = [reference.call, ...reference.given].map(findNow)
    return found.every((each) => each !== undefined) ? giveFoundIn(found) : undefined
  }
  const exports = modules.get(reference.module)
  if (exports !== undefined) return functionIn(exports, reference)
  const task = reference.isExport === true ? undefined : onlyTaskAt(reference)
  return task && asItIs(task)
}

/**
 * The function itself, if a module of this thread has defined it as a task; otherwise as other threads would find it.
 */
export function findHere(fn: AnyFunction): FoundTask | undefined {
  const reference = referenceOf(fn)
  return isTaskHere(fn) ? asItIs(fn) : findNow(reference)
}

/**
 * Finds the function in this thread. The caller keeps it: a module is imported once, but a source is parsed each time.
 */
export async function find(reference: TaskReference): Promise<FoundTask> {
  const now = findNow(reference)
  if (now !== undefined) return now
  if ("each" in reference) return eachOfFound(await find(reference.each))
  if ("some" in reference) return someOfFound(await find(reference.some), reference.some)
  if ("compute" in reference) return computeOfFound(await find(reference.compute))
  if ("call" in reference) return giveFoundIn(await Promise.all([reference.call, ...reference.given].map(find)))
  const { module, name } = reference as Place
  let exports: Record<string, unknown>
  try {
    exports = await loadModule(module)
  } catch (error) {
    throw new TaskNotPortableError(notLoaded(name, module, error), { cause: error })
  }
  modules.set(module, exports)
  return functionIn(exports, reference as Place)
}

function eachOfFound(inner: FoundTask): FoundTask {
  return { fn: eachAtOnce(inner.fn) as FoundTask["fn"], explain: (error) => inner.explain(error) }
}

function someOfFound(inner: FoundTask, reference: TaskReference): FoundTask {
  const fn = someOf(inner.fn, (value, isError, item) =>
    isError ? packedError(inner.explain(value)) : packedResult(value, titleOf(reference), item),
  )
  return { fn: fn as FoundTask["fn"], explain: (error) => inner.explain(error) }
}

function computeOfFound(type: FoundTask): FoundTask {
  return { fn: computeOf(type.fn), explain: (error) => type.explain(error) }
}

function giveFoundIn([outer, ...functions]: readonly FoundTask[]): FoundTask {
  return giveFound((outer as FoundTask).fn, functions)
}

/** The same as {@link give}, for functions that were found. */
export function giveFound(outer: FoundTask["fn"], functions: readonly FoundTask[]): FoundTask {
  const whole = give(
    outer,
    functions.map(({ fn }) => fn),
  )
  return { fn: whole, explain: (error) => functions.reduce((explained, each) => each.explain(explained), error) }
}

/** The function that a loaded module has at this place. Never another function: what does not fit is an error. */
function functionIn(exports: Record<string, unknown>, place: Place): FoundTask {
  const exported = exportNamed(place.name, exports)
  if (place.isExport === true && typeof exported === "function") {
    requireOther(exported, place)
    return asItIs(exported as AnyFunction)
  }
  const task = taskAt(place, exported)
  if (task !== undefined) return asItIs(task)
  if (typeof exported !== "function") throw new TaskNotPortableError(notExported(place, exports))
  const other = placeOf(exported)
  if (other?.module === place.module) throw new TaskNotPortableError(anotherTask(place, other))
  return asItIs(exported as AnyFunction)
}

function notLoaded(name: string, module: string, error: unknown): string {
  const isMissing = propertyOf(error, "code") === "ERR_MODULE_NOT_FOUND" && propertyOf(error, "url") === module
  const advice = isMissing
    ? ". If a bundler has put its code elsewhere: name a file that is there, by tasksOf(url)"
    : ""
  return `The module of task \`${name}\` could not be loaded: ${whyNotLoaded(module, error)}${advice}`
}

const NAME_IT =
  'An arrow function has no name of its own, and a minified build may drop or change names: write task(import.meta.url, fn, "name")'

function notExported(place: Place, exports: Record<string, unknown>): string {
  const { module, name } = place
  if (isByText(place)) {
    return `In the thread that runs it, ${module} defines no function without a name that has the same text; the thread may load it compiled in another way. ${NAME_IT}`
  }
  const functions = Object.keys(exports).filter((key) => typeof exports[key] === "function")
  const there = functions.length === 0 ? "no functions" : functions.map((key) => `\`${key}\``).join(", ")
  return `${module} exports no function \`${name}\`; it exports ${there}. A task must be exported under its own name. ${NAME_IT}`
}

function anotherTask({ module, name }: Place, other: Place): string {
  return `In the thread that runs it, ${module} has no task \`${name}\`; what it exports under that name is its task \`${other.name}\`. Was it renamed by a build? Give it a name that stays: task(import.meta.url, fn, "name")`
}
