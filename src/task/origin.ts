/**
 * From where a function was submitted that is sent as source: the file from which its `import()` is to resolve, where
 * in that file it stands, for stack traces, and who has submitted it.
 *
 * How it works. When a function is submitted for the first time the stack says by whom: the first frame that is not
 * corepool's own is the submitter's. That takes as long as some tasks do; so of functions that are made anew each time,
 * all of one text, the first one is looked at, unless they load modules: then each is, as it matters from where. The
 * stack is asked for twice. As the engine has it, with the files that it has loaded: relative imports are meant from
 * there. And as the program sees it, in which source maps may have been applied: that is what the program's errors are
 * to show.
 *
 * The submitter may be a helper, `run(fn)`, in another file than the function. So the file is that of the first frame
 * whose file has the text of the function in it; if there is none, of the first.
 */
import { isAbsolute, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { BoundedMap } from "./bounded-map.ts"
import { declarationOf, type Position, positionOf, readText, sourceMapOf } from "./position.ts"
import type { SourceText } from "./source.ts"

/** Plain data. */
export interface Origin extends Position {
  /** The absolute path. */
  readonly file: string
  /**
   * Where the file has its source map, if it says so and source maps are applied; {@link IN_FILE} if that is the file
   * itself.
   */
  readonly map?: string
}

export const IN_FILE = ""

export interface Submission {
  readonly origin: Origin | undefined
  /** The frames of the submitter's stack, as lines. */
  readonly frames: readonly string[]
}

/** Of the submitter's stack. */
interface Frame extends Position {
  /** As the engine calls it: a URL, a path, or a name of what is no file. */
  readonly file: string
}

/** What engines tell of a frame. */
interface CallSite {
  getFileName(): string | null | undefined
  getLineNumber(): number | null
  getColumnNumber(): number | null
}

/** So many frames are looked at, of which up to a dozen are corepool's own; and so many are kept to be shown. */
const DEPTH = 24
const ENOUGH = 8
/** So many files at most are searched for a function. */
const FILES = 4

/** By name and text, of functions that load no modules; of others also by position. */
const submissions = new BoundedMap<Submission>()

/** Called when a function with this text is submitted. Never throws. */
export function currentSubmission({ text, loads }: SourceText, name: string): Submission {
  const plain = `${name}:${text}`
  const known = loads ? undefined : submissions.get(plain)
  if (known !== undefined) return known
  const { frames, isShown } = stackAbove(currentSubmission)
  const key = loads ? `${whereabouts(frames)}:${plain}` : plain
  const same = submissions.get(key)
  if (same !== undefined) return same
  const lines = linesAbove(currentSubmission, isShown)
  return submissions.set(key, {
    origin: originOf(text, name, frames, lines[0] ?? ""),
    frames: lines.slice(0, ENOUGH),
  })
}

/**
 * What decides on the origin of a function: the nearest frame and, as that may be a helper's or corepool's own, the
 * files of the others.
 */
function whereabouts(frames: readonly Frame[]): string {
  return [`${frames[0]?.line}`, ...new Set(frames.map(({ file }) => file))].join(" ")
}

function originOf(source: string, name: string, frames: readonly Frame[], line: string): Origin | undefined {
  const files = new Map([...frames].reverse().map((frame) => [frame.file, frame])) // the first frame of each
  for (const frame of [...files.values()].reverse().slice(0, FILES)) {
    const file = pathOf(frame.file)
    const text = file === undefined ? "" : readText(file)
    const position = text === "" ? undefined : positionOf(source, text, frame.line)
    if (file === undefined || position === undefined) continue
    const map = process.sourceMapsEnabled ? sourceMapOf(text) : undefined
    if (map === undefined) return { file, ...position }
    return { file, ...position, map: map.startsWith("data:") ? IN_FILE : map }
  }
  return frames[0] && transformed(source, name, frames[0], line)
}

/** What the engine has loaded is not the text of the file. */
function transformed(source: string, name: string, nearest: Frame, line: string): Origin {
  const loaded = { file: pathOf(nearest.file) ?? join(resolve(), nameFor(nearest.file)), line: nearest.line }
  const shown = frameIn(line)
  // What it imports is meant from the file that was loaded.
  const isLoaded = shown === undefined || (shown.file !== loaded.file && source.includes("import("))
  const at = isLoaded ? loaded : shown
  return { file: at.file, line: declarationOf(name, readText(at.file))?.line ?? at.line, column: 0 }
}

/** A name for what was typed in, or came from nowhere that could be read. */
function nameFor(file: string): string {
  return file.replaceAll(/[^\w[\]. -]/g, "_").slice(-50)
}

/** Where a line of a stack says that its frame is. */
function frameIn(line: string): { file: string; line: number } | undefined {
  const { at = "", row } = /(?<at>(?:file:|[a-z]:|\/)[^()]*?):(?<row>\d+):\d+\)?$/i.exec(line)?.groups ?? {}
  const file = pathOf(at)
  return file === undefined ? undefined : { file, line: Number(row) }
}

/** The path of what an engine calls a file; undefined if it is none. */
function pathOf(file: string): string | undefined {
  try {
    return file.startsWith("file:") ? fileURLToPath(file) : isAbsolute(file) ? file : undefined
  } catch {
    return undefined // `file:` and something that is no path on this system
  }
}

// ------------------------------------------------------------------ the stack

interface Stack {
  /** Those that have a file and are not corepool's. */
  readonly frames: readonly Frame[]
  /** Of all frames: whether the program is to see it. */
  readonly isShown: readonly boolean[]
}

/** The frames that have called this function. None if the program does not let them be read. */
function stackAbove(callee: (...args: never[]) => unknown): Stack {
  const isSet = Object.hasOwn(Error, "prepareStackTrace")
  const before: unknown = Reflect.get(Error, "prepareStackTrace")
  let sites: readonly CallSite[] = []
  const collect = (_: unknown, raw: CallSite[]): string => {
    sites = raw
    return ""
  }
  if (Reflect.set(Error, "prepareStackTrace", collect)) {
    try {
      void captured(callee)
    } finally {
      Reflect.set(Error, "prepareStackTrace", before)
      if (!isSet) Reflect.deleteProperty(Error, "prepareStackTrace")
    }
  }
  const frames: Frame[] = []
  const isShown = sites.map((site) => {
    const file = site.getFileName()
    if (typeof file !== "string" || RUNTIME.test(file)) return false
    const name = file.replaceAll("\\", "/") // of Windows
    own ??= ownFolders(name) // the first frame is corepool's
    if (own.some((folder) => name.startsWith(folder))) return false
    frames.push({ file, line: site.getLineNumber() ?? 1, column: site.getColumnNumber() ?? 0 })
    return own.length > 0 || file !== frames[0]?.file // in a bundle, those of the first file may all be corepool's
  })
  return { frames, isShown }
}

/** The same frames as the program sees them: none, if it sees others. */
function linesAbove(callee: (...args: never[]) => unknown, isShown: readonly boolean[]): string[] {
  const stack = captured(callee)
  const lines = typeof stack === "string" ? stack.split("\n").filter((line) => line.startsWith("    at ")) : []
  return lines.length === isShown.length ? lines.filter((_, i) => isShown[i] === true) : []
}

function captured(callee: (...args: never[]) => unknown): unknown {
  const holder: { stack?: unknown } = {}
  const { stackTraceLimit } = Error
  if (!Reflect.set(Error, "stackTraceLimit", DEPTH)) return undefined
  try {
    Error.captureStackTrace(holder, callee)
    return holder.stack
  } catch {
    return undefined // of the program's own `Error.prepareStackTrace`
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

const RUNTIME = /^(?:node:|ext:|native$|$)/

// ------------------------------------------------------------------ corepool's own frames

/** The folders of corepool's own files, which have no others in them. None if corepool is in a bundle. */
let own: readonly string[] | undefined

/** `file` is one of corepool's, or a bundle that it is in. */
function ownFolders(file: string): readonly string[] {
  if (file.startsWith(TEXTS)) return [TEXTS]
  const installed = /^.*\/node_modules\/corepool\/(?=(?:dist|src)\/)/.exec(file)?.[0] ?? checkout(file)
  // Some engines apply source maps to the names of files too.
  return installed === undefined ? [] : ["dist/", "src/", "build/src/"].map((folder) => installed + folder)
}

/** How the program of a thread is called that was started from a text. */
const TEXTS = "corepool/"

/**
 * The folder of corepool that this file belongs to, if it was not installed: it is linked to, or this is its own
 * repository.
 */
function checkout(file: string): string | undefined {
  for (let end = file.lastIndexOf("/"); end > 0; end = file.lastIndexOf("/", end - 1)) {
    const folder = file.slice(0, end + 1)
    const text = readText(pathOf(`${folder}package.json`) ?? "")
    if (text === "" || /"private": *true/.test(text)) continue // build/package.json stands for the one above it
    return /"name": *"corepool"/.test(text) ? folder : undefined
  }
  return undefined
}
