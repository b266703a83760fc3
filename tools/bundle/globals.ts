/**
 * The global objects as they were when corepool was loaded. A task can replace or delete any of them in its thread: `process`, `JSON`,
 * `Uint8Array`. The code of corepool in that thread, which runs the next tasks, is not to notice. So no file of the bundle uses a global object by its
 * global name: each takes those that it needs into constants of its own, when it is loaded.
 *
 * A file that is loaded later, when a task may have been at work, takes them from what the first file has kept in the registry (chunks.ts).
 *
 * Of `Math` they have a copy. A function of it that a task replaces by one that gives no number would make an index into
 * shared memory that is none, which stands for the first word: that thread would destroy what others use. [PL49]
 *
 * What a task does to the objects themselves (`Array.prototype.map = undefined`) is another matter: see src/platform/worker/stopping-runner.ts.
 */
import { parseSync, type Program, Visitor } from "oxc-parser"
import { type Edit, edited } from "./edit.ts"

/** All that are taken if they are used. A list, and not what the runtime has that makes the bundle: each of them is to make the same one. */
export const GLOBALS: ReadonlySet<string> = new Set(
  `AbortController AbortSignal AggregateError Array ArrayBuffer AsyncIterator Atomics BigInt BigInt64Array BigUint64Array Blob Boolean
   BroadcastChannel Buffer CustomEvent DOMException DataView Date Error EvalError Event EventTarget FinalizationRegistry Float16Array Float32Array Float64Array
   Function Int16Array Int32Array Int8Array Intl Iterator JSON Map Math MessageChannel MessageEvent MessagePort Number Object Promise Proxy RangeError
   ReferenceError Reflect RegExp Set SharedArrayBuffer String SuppressedError Symbol SyntaxError TextDecoder TextEncoder TypeError URIError URL
   URLSearchParams Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet WebAssembly atob btoa clearImmediate clearInterval
   clearTimeout console crypto decodeURI decodeURIComponent encodeURI encodeURIComponent escape isFinite isNaN navigator parseFloat
   parseInt performance process queueMicrotask setImmediate setInterval setTimeout structuredClone unescape`.split(
    /\s+/,
  ),
)

/** Those that Node loads modules for when they are first read: every thread would load these, as every thread takes what any file uses. `crypto` costs 1.5 ms and a megabyte. */
const COSTLY: ReadonlySet<string> = new Set([
  "Blob",
  "BroadcastChannel",
  "CustomEvent",
  "crypto",
  "navigator",
  "performance",
])

/** In place of `globalThis`, which is a global name as any other. */
const WORLD = "corepoolGlobal"

export interface Uses {
  /** The text, with another name for `globalThis`. */
  readonly text: string
  /** What it uses, as a pattern that takes these from an object: `{ Map, globalThis: corepoolGlobal }`. */
  readonly pattern: string
  readonly names: readonly string[]
}

/** Which global objects the text of a file uses, a script. A name that stands for something else in a part of the file may be among them. */
export function globalsIn(name: string, text: string, known: ReadonlySet<string> = GLOBALS): Uses {
  const { program, errors } = parseSync(name, text, { sourceType: "script" })
  if (errors.length > 0) throw new Error(`${name}: ${errors[0]?.message}`)
  const own = ownNames(program)
  const names = new Set<string>()
  const edits: Edit[] = []
  const keys = new Set<number>()
  const skipKey = ({
    key,
    computed,
    shorthand,
  }: {
    key: { start: number }
    computed: boolean
    shorthand?: boolean
  }): void => {
    if (!computed && shorthand !== true) keys.add(key.start)
  }
  new Visitor({ Property: skipKey, MethodDefinition: skipKey, PropertyDefinition: skipKey }).visit(program)
  new Visitor({
    Identifier({ name: used, start, end }: { name: string; start: number; end: number }) {
      const isMember = text[start - 1] === "." && text[start - 2] !== "." // and not `...name`
      if (isMember || keys.has(start)) return // of a property
      if (used === "globalThis") edits.push({ start, end, text: WORLD })
      else if (!known.has(used) || own.has(used)) return
      else if (COSTLY.has(used))
        throw new Error(`${name}: ${used} loads modules of the runtime in every thread. Use process.getBuiltinModule()`)
      names.add(used)
    },
  }).visit(program)
  const sorted = [...names].toSorted((a, b) => (a < b ? -1 : 1))
  const members = sorted.map((used) => (used === "globalThis" ? `globalThis: ${WORLD}` : used))
  return { text: edited(text, edits), pattern: `{ ${members.join(", ")} }`, names: sorted }
}

/** What the file declares in its own scope. If one of these is called as a global object is, then nothing in the file means that by it. */
function ownNames(program: Program): Set<string> {
  const names = new Set<string>()
  const add = (pattern: unknown): void => {
    const { type, name, properties, value } = pattern as Record<string, unknown>
    if (type === "Identifier") names.add(name as string)
    else if (type === "ObjectPattern") for (const property of properties as unknown[]) add(property)
    else if (type === "Property") add(value)
    else throw new Error(`Cannot read ${String(type)}`)
  }
  for (const statement of program.body) {
    if (statement.type === "VariableDeclaration") for (const { id } of statement.declarations) add(id)
    else if (statement.type === "FunctionDeclaration" || statement.type === "ClassDeclaration") add(statement.id)
  }
  return names
}
