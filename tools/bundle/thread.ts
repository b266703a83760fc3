/**
 * The few lines with which a worker thread begins. They load the code of corepool in a way that takes what another thread has
 * compiled, and then run it. As a file of the package they read the code from the files beside them; in a bundle, where there are
 * no such files, they are a text that is given the code as texts. Then they are a script and a module alike, as which of them a
 * runtime takes a text for depends on its flags.
 *
 * What they load is what a task's module that imports corepool gets: it finds it in the global scope (see chunks.ts). So a thread
 * has one corepool.
 *
 * They compile by node:vm: only there can code be given that has been compiled before. But scripts that are compiled so cannot
 * `import()`, nor can functions that they make from texts. So the script is given what can (src/host/node/code/evaluation.ts).
 */
import { BOOT, type TextFiles } from "./text-files.ts"

export interface ThreadCode {
  /** The names of all chunks. Where a name stands in it is the number of its kept code (src/platform/start/worker-code.ts). */
  readonly names: readonly string[]
  /** Those that every thread of a pool loads: the first ones. */
  readonly first: ReadonlySet<string>
  /** What chunks take from modules of the runtime: the names of modules, and of what they export. */
  readonly builtins: ReadonlyMap<string, ReadonlySet<string>>
  /** That of the program. */
  readonly program: string
  readonly registry: string
  readonly build: string
}

/** The code becomes a function of these. `corepoolHost` is what the loader gives to all code: see {@link boot}. */
export const HEAD = "(function(module,corepoolHost){"
export const TAIL = "})"

/** What differs between a file of the package and a text. */
interface Place {
  /** Statements that run at once. */
  readonly open: string
  /** Those that find the `text` of a chunk, by its name and its number `at`, and the place to show for it. */
  readonly find: string
  /** The expression for the module of the runtime with this `name`. */
  readonly module?: string
  /** Statements that run when `file` can load chunks. */
  readonly ready?: string
}

/**
 * A chunk may be loaded after tasks have run in the thread, which may have replaced whatever is in the modules of the runtime, as tests
 * do that mock `node:fs`, or have opened as many files as the process may. So `find` touches no file, and all that is called then is taken before any task.
 * If a chunk cannot be loaded nevertheless, the thread is broken. But an error of the stack is the task's own, which has used it up: another task can load the chunk.
 */
function boot(
  { names, builtins, program, registry, build }: ThreadCode,
  { open, find, module = "getBuiltinModule(name)", ready = "" }: Place,
): string {
  const kept = [...builtins].map(([name, exports]) => {
    const list = [...exports].join(", ")
    return `${JSON.stringify(name)}: (({ ${list} }) => ({ ${list} }))(builtinModule(${JSON.stringify(name)}))`
  })
  return `{
  const { getBuiltinModule } = process
  const builtinModule = (name) => ${module}
  const builtins = { __proto__: null, ${kept.join(", ")} }
  const builtin = (name) => builtins[name] ?? getBuiltinModule(name)
  const { Atomics, Function, RangeError, Uint8Array } = globalThis
  const { apply } = globalThis.Reflect
  const { load: read } = Atomics
  const { set } = globalThis.Map.prototype
  const { workerData } = getBuiltinModule("node:worker_threads")
  const { Script } = getBuiltinModule("node:vm")
  const { runInThisContext } = Script.prototype
  const { orders, later, source, code } = workerData
  const regions = code?.regions ?? []
  const names = ${JSON.stringify(names)}
  const numbers = { __proto__: null }
  names.forEach((name, at) => (numbers[name] = at))
  const parts = ${registry}
  const file = (name) => parts.get("${build}/" + name) ?? load(name)
  const scripts = new Map()
  let begun
  ${open}
  const given = { parts, file, place, builtin, source: () => sources(), memory: code?.texts, read: () => {}, scripts: new Map(), importModule: (url) => import(url), functionOf: (body) => new Function(body) }
  const load = (name) => {
    const at = numbers[name]
    const words = regions[at]
    let cachedData
    for (const half of words === undefined ? [] : [words.length >> 1, 0]) {
      const length = read(words, half)
      if (length > 0) cachedData = new Uint8Array(words.buffer, half * 4 + 8, length)
    }
    ${find}
    const module = { exports: {} }
    try {
      const script = new Script(text, { __proto__: null, filename, lineOffset, cachedData })
      apply(runInThisContext, script, [])(module, given)
      apply(set, scripts, [at, script])
    } catch (error) {
      throw begun === undefined || error instanceof RangeError ? error : begun.broken(name, error)
    }
    begun?.keep()
    parts.set("${build}/" + name, module.exports)
    return module.exports
  }
  parts.set(${JSON.stringify(`${build}/file`)}, file)
  ${ready}
  begun = file(${JSON.stringify(program)}).begin(orders, later, code, scripts)
}
`
}

/**
 * The function \`readTexts\`, which reads a file of texts, given by its number, to its place in the memory \`words\`, unless a thread has done so; needs \`fs\` and \`folder\`. Threads that
 * do so at the same time write the same to the same places. The first words say of each file whether it is there.
 */
export function readTexts({ files }: TextFiles): string {
  const rows = files.map(({ name, text, start, split, rest }) => [name, start, split, rest, text.length])
  return `const textFiles = ${JSON.stringify(rows)}
const readTexts = (number) => {
  if (Atomics.load(words, number) === 1) return
  const [name, start, split, rest, size] = textFiles[number]
  const file = fs.openSync(folder + name)
  try {
    for (let at = 0; at < size; ) {
      const [place, end] = at < split ? [start + at, split] : [rest + at - split, size]
      const count = fs.readSync(file, bytes, place, end - at)
      if (count === 0) throw new Error("corepool: " + folder + name + " is shorter than it was")
      at += count
    }
  } finally {
    fs.closeSync(file)
  }
  Atomics.store(words, number, 1)
}
`
}

/**
 * As a file of the package. The texts that it needs are parts of one string, which is too long for the space in which an engine has new objects: there they would be
 * copied by the first collections, which take place while the thread starts, and the space would be a megabyte larger.
 *
 * It takes the texts from the shared memory, where the thread that has started it leaves them meanwhile, or reads them itself.
 */
export function threadFile(code: ThreadCode, texts: TextFiles): string {
  const { places, size } = texts
  const rows = code.names.map((name) => {
    const { file = 0, start = 0, end = 0, line = 0 } = places.get(name) ?? {}
    return [file, start, end, line]
  })
  const own = [...code.first].flatMap((name) => places.get(name) ?? [])
  const begin = Math.min(...own.map(({ start }) => start))
  const close = Math.max(...own.map(({ end }) => end))
  const { start: bootStart = 0, end: bootEnd = 0 } = places.get(BOOT) ?? {}
  const open = `const folder = path.join(__dirname, path.sep)
  const place = __filename
  const sources = () => {
    const texts = { __proto__: null }
    names.forEach((name, at) => (texts[name] = apply(latin1Slice, bytes, places[at].slice(1, 3))))
    return { boot: apply(latin1Slice, bytes, [${bootStart}, ${bootEnd}]), texts }
  }
  const { latin1Slice } = Buffer.prototype
  const shared = code?.texts.buffer
  const memory = shared?.byteLength >= ${size} ? shared : new ArrayBuffer(${size})
  const words = new Int32Array(memory)
  const bytes = Buffer.from(memory)
  ${readTexts(texts)}
  textFiles.forEach((_, number) => readTexts(number))
  const places = ${JSON.stringify(rows)}
  const { slice } = String.prototype
  const first = apply(latin1Slice, bytes, [${begin}, ${close}])`
  const find = `const [number, start, end, lineOffset] = places[at]
    const filename = folder + textFiles[number][0]
    const text = end > ${close} ? apply(latin1Slice, bytes, [start, end]) : apply(slice, first, [start - ${begin}, end - ${begin}])`
  // The runtime has the class of `module`. To load "node:module" takes source maps as well, 0.1 MB in each thread.
  const module = `name === "node:module" && Module.Module === Module ? Module : getBuiltinModule(name)`
  const ready = `parts.set("${code.build}/thread", file) // of all texts: see direct.ts`
  return `"use strict";
const fs = require("node:fs")
const path = require("node:path")
const { constructor: Module } = module
${boot(code, { open, find, module, ready })}`
}

/** As a text. */
export function threadText(code: ThreadCode): string {
  return boot(code, {
    open: `const { texts } = source
  const place = undefined
  const sources = () => source`,
    find: `const filename = "corepool/" + name
    const lineOffset = 0
    const text = texts[name] ?? parts.get("${code.build}/texts").get(name)[4]()`,
  })
}
