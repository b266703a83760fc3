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
 * `import()`, nor can functions that they make from texts. So the script is given what can (src/host/node/evaluation.ts).
 */
export interface ThreadCode {
  /** The names of all files with code. Where a name stands in it is the number of its kept code (src/platform/start/worker-code.ts). */
  readonly files: readonly string[]
  /** How many of them every thread of a pool loads: the first ones. */
  readonly first: number
  /** What files take from modules of the runtime: the names of modules, and of what they export. */
  readonly builtins: ReadonlyMap<string, ReadonlySet<string>>
  /** That of the program. */
  readonly program: string
  readonly registry: string
  readonly build: string
}

/** The code becomes a function of what a CommonJS module has around it, and of what it is given here. */
export const HEAD = "(function (module, require, __filename, corepoolHost) {"
export const TAIL = "})"

/**
 * `open` are statements that run at once; `find` those that find the text of a file, by its name and its number `at`.
 *
 * A file may be loaded after tasks have run in the thread, which may have replaced whatever is in the modules of the runtime, as tests
 * do that mock `node:fs`, or have opened as many files as the process may. So `find` touches no file, and all that is called then is taken before any task.
 * If a file cannot be loaded nevertheless, the thread is broken. But an error of the stack is the task's own, which has used it up: another task can load the file.
 */
function boot({ files, builtins, program, registry, build }: ThreadCode, open: string, find: string): string {
  const kept = [...builtins].map(([module, exports]) => {
    const names = [...exports].join(", ")
    return `${JSON.stringify(module)}: (({ ${names} }) => ({ ${names} }))(getBuiltinModule(${JSON.stringify(module)}))`
  })
  return `{
  const { getBuiltinModule } = process
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
  const names = ${JSON.stringify(files)}
  const files = { __proto__: null }
  names.forEach((name, at) => (files[name] = at))
  const parts = ${registry}
  const given = { parts, builtin, importModule: (url) => import(url), functionOf: (body) => new Function(body) }
  const scripts = new Map()
  let begun
  ${open}
  const load = (name) => {
    const at = files[name]
    const words = regions[at]
    let cachedData
    for (const half of words === undefined ? [] : [words.length >> 1, 0]) {
      const length = read(words, half)
      if (length > 0) cachedData = new Uint8Array(words.buffer, half * 4 + 8, length)
    }
    ${find}
    const module = { exports: {} }
    try {
      const script = new Script(text, { __proto__: null, filename, cachedData })
      apply(runInThisContext, script, [])(module, require, filename, given)
      apply(set, scripts, [at, script])
    } catch (error) {
      throw begun === undefined || error instanceof RangeError ? error : begun.broken(name, error)
    }
    begun?.keep()
    return module.exports
  }
  parts.set(${JSON.stringify(`${build}/load`)}, load)
  begun = load(${JSON.stringify(program)}).begin(orders, later, code, scripts)
}
`
}

/**
 * Reads the texts of all files, each in a function, to the shared memory, unless a thread has done so; needs `fs`. Threads that
 * do so at the same time write the same to the same places. The first word says that all is there; then come, for each file, where it starts, and the end.
 */
export const READ_TEXTS: string = `const HEAD = ${JSON.stringify(HEAD)}
const TAIL = ${JSON.stringify(TAIL)}
function textsOf(folder, names, shared) {
  if (shared !== undefined && Atomics.load(new Int32Array(shared, 0, 1), 0) === 1) return shared
  const starts = [4 * (names.length + 2)]
  for (const name of names) {
    starts.push(starts.at(-1) + HEAD.length + fs.statSync(folder + name).size + TAIL.length)
  }
  const texts = shared?.byteLength >= starts.at(-1) ? shared : new ArrayBuffer(starts.at(-1))
  const bytes = Buffer.from(texts)
  names.forEach((name, at) => {
    const end = starts[at + 1] - TAIL.length
    bytes.write(HEAD, starts[at], "latin1")
    readTo(bytes, starts[at] + HEAD.length, end, folder + name)
    bytes.write(TAIL, end, "latin1")
  })
  const words = new Int32Array(texts, 0, starts.length + 1)
  words.set(starts, 1)
  Atomics.store(words, 0, 1)
  return texts
}
function readTo(bytes, start, end, filename) {
  const file = fs.openSync(filename)
  try {
    for (let at = start; at < end; ) {
      const read = fs.readSync(file, bytes, at, end - at)
      if (read === 0) throw new Error("corepool: " + filename + " is shorter than it was")
      at += read
    }
  } finally {
    fs.closeSync(file)
  }
}
`

/**
 * As a file of the package. The texts of the files that it needs are parts of one string, which is too long for the space in which an engine has new objects: there they would be
 * copied by the first collections, which take place while the thread starts, and the space would be a megabyte larger.
 *
 * It takes the texts of all files from the shared memory, where the thread that has started it leaves them meanwhile, or reads them itself.
 */
export function threadFile(code: ThreadCode): string {
  const open = `const folder = path.join(__dirname, path.sep)
  const { latin1Slice } = Buffer.prototype
  const texts = textsOf(folder, names, code?.texts.buffer)
  const starts = new Int32Array(texts, 4, names.length + 1)
  const bytes = Buffer.from(texts)
  const { slice } = String.prototype
  const [begin, end] = [starts[0], starts[${code.first}]]
  const first = apply(latin1Slice, bytes, [begin, end])`
  const find = `const filename = folder + name
    const next = starts[at + 1]
    const text = next > end ? apply(latin1Slice, bytes, [starts[at], next]) : apply(slice, first, [starts[at] - begin, next - begin])`
  return `"use strict";
const fs = require("node:fs")
const path = require("node:path")
${READ_TEXTS}${boot(code, open, find)}`
}

/** As a text. */
export function threadText(code: ThreadCode): string {
  return boot(
    code,
    `const { texts } = source
  const require = () => source`,
    `const filename = "corepool/" + name
    if (texts[name] === undefined) return
    const text = ${JSON.stringify(HEAD)} + texts[name] + ${JSON.stringify(TAIL)}`,
  )
}
