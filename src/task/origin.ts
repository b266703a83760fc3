/**
 * The origin of a function that is sent as source: the file from which its `import()` is to resolve, its position in
 * that file, for stack traces, and the stack of its submitter.
 *
 * How it works. When a function is submitted for the first time, the stack names the submitter: the first frame that is
 * not corepool's own. Reading the stack takes as long as some tasks do. So for functions that a program makes anew each
 * time, all with one text, only the first is looked at; unless they load modules, since then it matters from where each
 * was submitted. The stack is read twice. First as the engine has it, with the files that it has loaded: relative
 * imports are meant from there. Then as the program sees it, perhaps with source maps applied: that is what the
 * program's errors are to show.
 *
 * The submitter may be a helper, `run(fn)`, in another file than the function. So the file is that of the first frame
 * whose file contains the text of the function; if there is none, that of the first frame.
 */
import { fileURLToPath, isAbsolute, join, resolve } from "#host/code/paths"
import { appliesSourceMaps, FILES_OF_RUNTIME } from "#host/code/scripts"
import { BoundedMap } from "./bounded-map.ts"
import { declarationOf, type Position, positionOf, readText, sourceMapOf } from "./position.ts"
import type { SourceText } from "./source.ts"

/** Plain data. */
export interface Origin extends Position {
  /** The absolute path. */
  readonly file: string
  /** Where the file has its source map, if it says so and source maps are applied; {@link IN_FILE} if in itself. */
  readonly map?: string
}

export const IN_FILE = ""

export interface Submission {
  readonly origin: Origin | undefined
  /** The frames of the submitter's stack, as lines. */
  readonly frames: readonly string[]
}

/** A frame of the submitter's stack. */
interface Frame extends Position {
  /** The name that the engine gives it: a URL, a path, or a name of something that is no file. */
  readonly file: string
}

/** What engines know of a frame. */
interface CallSite {
  getFileName(): string | null | undefined
  getLineNumber(): number | null
  getColumnNumber(): number | null
}

/** How many frames are read, of which up to a dozen are corepool's own; and how many are kept to be shown. */
const DEPTH = 24
const ENOUGH = 8
/** How many files at most are searched for a function. */
const FILES = 4

/** By name and text, for functions that load no modules; for others also by position. */
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
 * The part of the stack on which the origin of a function depends: the nearest frame and, as that may be a helper's or
 * corepool's own, the files of the others.
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
    const map = appliesSourceMaps() ? sourceMapOf(text) : undefined
    if (map === undefined) return { file, ...position }
    return { file, ...position, map: map.startsWith("data:") ? IN_FILE : map }
  }
  return frames[0] && transformed(source, name, frames[0], line)
}

/** The origin, if the text that the engine has loaded is not that of the file. */
function transformed(source: string, name: string, nearest: Frame, line: string): Origin {
  const loaded = { file: pathOf(nearest.file) ?? join(resolve(), nameFor(nearest.file)), line: nearest.line }
  const shown = frameIn(line)
  // Imports of the function are meant from the file that was loaded.
  const isLoaded = shown === undefined || (shown.file !== loaded.file && source.includes("import("))
  const at = isLoaded ? loaded : shown
  return { file: at.file, line: declarationOf(name, readText(at.file))?.line ?? at.line, column: 0 }
}

/** A name for code that was typed in, or came from a source that cannot be read. */
function nameFor(file: string): string {
  return file.replaceAll(/[^\w[\]. -]/g, "_").slice(-50)
}

/** The file and the line that a line of a stack names. */
function frameIn(line: string): { file: string; line: number } | undefined {
  const { at = "", row } = /(?<at>(?:file:|[a-z]:|\/)[^()]*?):(?<row>\d+):\d+\)?$/i.exec(line)?.groups ?? {}
  const file = pathOf(at)
  return file === undefined ? undefined : { file, line: Number(row) }
}

/** The path for an engine's name of a file; undefined if it is no file. */
function pathOf(file: string): string | undefined {
  try {
    return file.startsWith("file:") ? fileURLToPath(file) : isAbsolute(file) ? file : undefined
  } catch {
    return undefined // `file:` and something that is not a path on this system
  }
}

// ------------------------------------------------------------------ the stack

interface Stack {
  /** The frames that have a file and are not corepool's. */
  readonly frames: readonly Frame[]
  /** For each frame of the stack: whether the program is to see it. */
  readonly isShown: readonly boolean[]
}

/** The frames that called this function. None if the program does not let them be read. */
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
    if (typeof file !== "string" || FILES_OF_RUNTIME.test(file)) return false
    const name = file.replaceAll("\\", "/") // of Windows
    own ??= ownFolders(name) // the first frame is corepool's
    if (own.some((folder) => name.startsWith(folder))) return false
    frames.push({ file, line: site.getLineNumber() ?? 1, column: site.getColumnNumber() ?? 0 })
    return own.length > 0 || file !== frames[0]?.file // in a bundle, all frames of the first file may be corepool's
  })
  return { frames, isShown }
}

/** The same frames as the program sees them. None if it sees others. */
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
    return undefined // thrown by the program's own `Error.prepareStackTrace`
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

// ------------------------------------------------------------------ corepool's own frames

/** The folders of corepool's own files, which contain no other files. None if corepool is in a bundle. */
let own: readonly string[] | undefined

/** `file` is one of corepool's files, or a bundle that contains corepool. */
function ownFolders(file: string): readonly string[] {
  if (file.startsWith(TEXTS)) return [TEXTS]
  const installed = /^.*\/node_modules\/corepool\/(?=(?:dist|src)\/)/.exec(file)?.[0] ?? checkout(file)
  // Some engines apply source maps to the names of files too.
  return installed === undefined ? [] : ["dist/", "src/", "build/src/"].map((folder) => installed + folder)
}

/** The name of a thread's program that was started from a text begins with this. */
const TEXTS = "corepool/"

/** The folder of corepool with this file, if corepool was not installed but linked, or this is its own repository. */
function checkout(file: string): string | undefined {
  for (let end = file.lastIndexOf("/"); end > 0; end = file.lastIndexOf("/", end - 1)) {
    const folder = file.slice(0, end + 1)
    const text = readText(pathOf(`${folder}package.json`) ?? "")
    if (text === "" || /"private": *true/.test(text)) continue // build/package.json stands for the one above it
    return /"name": *"corepool"/.test(text) ? folder : undefined
  }
  return undefined
}
