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
 * `import()`, nor can functions that they make from texts. So the script is given what can (src/task/host.ts).
 */
export interface ThreadCode {
  /** The names of all files with code. Where a name stands in it is the number of its kept code (src/platform/worker-code.ts). */
  readonly files: readonly string[]
  /** That of the program. */
  readonly program: string
  readonly registry: string
  readonly build: string
}

/** The code becomes a function of what a CommonJS module has around it, and of what it is given here. */
const HEAD = "(function (module, require, __filename, corepoolHost) {"
const TAIL = "})"
/** Enough for most files, in bytes. */
const ROOM = 1 << 16

function boot({ files, program, registry, build }: ThreadCode, find: string): string {
  return `{
  const { Atomics, Function, Uint8Array } = globalThis
  const { workerData } = process.getBuiltinModule("node:worker_threads")
  const { Script } = process.getBuiltinModule("node:vm")
  const { orders, source, code } = workerData
  const files = ${JSON.stringify(files)}
  const parts = ${registry}
  const given = { parts, importModule: (url) => import(url), functionOf: (body) => new Function(body) }
  const scripts = new Map()
  let keep
  const load = (name) => {
    const at = files.indexOf(name)
    const words = code?.regions[at]
    const length = words === undefined ? 0 : Atomics.load(words, 0)
    const cachedData = length > 0 ? new Uint8Array(words.buffer, 4, length) : undefined
    ${find}
    const script = new Script(text, { filename, cachedData })
    const module = { exports: {} }
    script.runInThisContext()(module, require, filename, given)
    scripts.set(at, script)
    keep?.()
    return module.exports
  }
  parts.set(${JSON.stringify(`${build}/load`)}, load)
  keep = load(${JSON.stringify(program)}).begin(orders, code, scripts)
}
`
}

/** As a file of the package. */
export function threadFile(code: ThreadCode): string {
  const find = `const filename = path.join(__dirname, name)
    const text = inFunction(filename)`
  return `"use strict";
const fs = require("node:fs")
const path = require("node:path")
/** Where all files are read to, one after the other: the memory of a thread grows for good by what it has used at a time. */
let bytes = Buffer.allocUnsafeSlow(${ROOM})
/** At once, since a text that is put together is there twice for a while. */
function inFunction(filename) {
  const file = fs.openSync(filename)
  const end = HEAD.length + fs.fstatSync(file).size
  if (end + TAIL.length > bytes.length) bytes = Buffer.allocUnsafeSlow(end + TAIL.length)
  bytes.write(HEAD, 0, "latin1")
  for (let at = HEAD.length; at < end; ) {
    const read = fs.readSync(file, bytes, at, end - at)
    if (read === 0) throw new Error("corepool: " + filename + " is shorter than it was")
    at += read
  }
  fs.closeSync(file)
  bytes.write(TAIL, end, "latin1")
  return bytes.toString("latin1", 0, end + TAIL.length)
}
const HEAD = ${JSON.stringify(HEAD)}
const TAIL = ${JSON.stringify(TAIL)}
${boot(code, find)}`
}

/** As a text. */
export function threadText(code: ThreadCode): string {
  return boot(
    code,
    `const filename = "corepool/" + name
    if (!(name in source.texts)) return
    const text = ${JSON.stringify(HEAD)} + source.texts[name] + ${JSON.stringify(TAIL)}
    const require = () => source`,
  )
}
