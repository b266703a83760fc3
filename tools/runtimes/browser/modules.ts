/**
 * Where the modules of the tests are, as a browser sees the repository. There are two sites in one, by the first part of
 * the path, as there are two kinds of tests (test-kinds.ts): in `/shipped/`, `corepool` is dist/browser; in `/modules/` it is the
 * compiled modules, and `#host/…` is src/host/browser.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { compiledWorker } from "../../bundle/browser.ts"
import { Library } from "./library.ts"
import { oneFile } from "./one-file.ts"
import { rewritten } from "./rewrite.ts"

export type Site = "shipped" | "modules"

/** What stands in for modules of Node, in tools/runtimes/stand-in. */
const STAND_INS: Readonly<Record<string, string>> = {
  "node:test": "node-test",
  "node:assert/strict": "browser/assert",
  "node:crypto": "browser/crypto",
  "node:events": "browser/events",
  "node:process": "browser/process",
  "node:timers": "browser/place",
  "node:timers/promises": "browser/timers-promises",
  "node:util": "browser/util",
  "node:v8": "browser/v8",
  "node:vm": "browser/vm",
  "node:worker_threads": "browser/worker-threads",
}

/** Packages that tests use; each is served as one file. */
const PACKAGES: ReadonlySet<string> = new Set(["croner", "fast-check"])

const IN_BUILD = "build/tools/runtimes/stand-in"

/** What the stand-in for node:test asks of the runtime: that of a process, or that of a page. */
const PLACE = `${IN_BUILD}/place.js`
const PLACE_OF_BROWSER = 'export * from "./browser/place.js"'

/** The path of the module that a name stands for, from the root of the repository; undefined if browsers have none. */
export function moduleOf(site: Site, specifier: string): string | undefined {
  if (specifier in STAND_INS) return `${IN_BUILD}/${STAND_INS[specifier]}.js`
  if (PACKAGES.has(specifier)) return `${specifier}.js`
  if (specifier === "#atomics") return "build/src/memory/atomics.js"
  if (specifier.startsWith("#host/")) return `build/src/host/browser/${specifier.slice("#host/".length)}.js`
  if (specifier.startsWith("#src/")) return `build/src/${specifier.slice("#src/".length)}`
  if (specifier !== "corepool" && !specifier.startsWith("corepool/")) return undefined
  const entry = specifier === "corepool" ? "index" : specifier.slice("corepool/".length)
  if (site === "modules" && INNER_ENTRIES.has(entry)) return `build/src/${entry}/index.js`
  if (!ENTRIES.has(entry)) return undefined
  if (site === "shipped") return `dist/browser/${entry}.js`
  return entry === "worker" ? WORKER : `build/src/${entry === "index" ? "index" : `${entry}/index`}.js`
}

/** Those that the package has for browsers: [BR1]. */
const ENTRIES: ReadonlySet<string> = new Set(["index", "virtual", "lock", "sync", "queue", "atomic", "worker"])

/** Those that the package has for Node alone, and whose modules load in a browser: tests that use them run on the modules. */
const INNER_ENTRIES: ReadonlySet<string> = new Set(["testing", "prometheus"])

/** The module in which a worker begins stands beside that of the host which starts it. */
const WORKER = "build/src/host/browser/threads/worker.js"

export class Modules {
  readonly #root: string
  readonly #texts = new Map<string, string | undefined>()
  readonly #library: Library
  readonly #packages = new Map<string, string>()

  private constructor(root: string, library: Library) {
    this.#root = root
    this.#library = library
  }

  static async of(root: string): Promise<Modules> {
    const modules = new Modules(root, await Library.of(root))
    for (const name of PACKAGES) modules.#packages.set(`${name}.js`, await bundled(root, name))
    return modules
  }

  /** The text at an address such as `/shipped/build/test/a.test.js`; undefined if nothing is there. */
  at(address: string): string | undefined {
    if (!this.#texts.has(address)) this.#texts.set(address, this.#read(address))
    return this.#texts.get(address)
  }

  #read(address: string): string | undefined {
    const [, site, path = ""] = /^\/(shipped|modules)\/(.*)$/.exec(address) ?? []
    if (site !== "shipped" && site !== "modules") return undefined
    const text = this.#source(path)
    if (text === undefined) return undefined
    const resolve = (specifier: string): string | undefined => {
      const module = moduleOf(site, specifier)
      return module === undefined ? undefined : `/${site}/${module}`
    }
    const own = rewritten(text, resolve)
    // Before all other modules of a worker: what it inherits comes with the first message.
    return path === WORKER || path === "dist/browser/worker.js"
      ? `import "/${site}/${IN_BUILD}/browser/inherited.js"\n${own}`
      : own
  }

  #source(path: string): string | undefined {
    if (!path.endsWith(".js")) return undefined
    const packed = this.#packages.get(path)
    if (packed !== undefined) return packed
    if (path === PLACE) return PLACE_OF_BROWSER
    if (path === WORKER) return compiledWorker("../../../")
    const own = this.#library.at(path)
    if (own !== undefined) return own
    const file = join(this.#root, path)
    if (!existsSync(file)) return undefined
    const text = readFileSync(file, "utf8")
    return path.startsWith("build/test/") ? withCroner(withImmediate(withProcess(text))) : text
  }
}

/** Tests name `process` without importing it. As a global name of the page it would make libraries take that for Node. */
function withProcess(text: string): string {
  return /(?<![\w.$"'`/-])process\b(?!["'`:])/.test(text) ? `import process from "node:process"; ${text}` : text
}

/** Tests call it as the global function that Node has. */
function withImmediate(text: string): string {
  return /(?<![\w.$])setImmediate\(/.test(text) && !/\bsetImmediate\b.* from "/.test(text)
    ? `import { setImmediate } from "node:timers"; ${text}`
    : text
}

/** A page hands the package over that computes times of the calendar; Node finds it by itself. */
function withCroner(text: string): string {
  if (!/cron/i.test(text)) return text
  return `import { useCroner as use } from "corepool"; import * as croner from "croner"; use(croner); ${text}`
}

async function bundled(root: string, name: string): Promise<string> {
  const ofDefault = name === "fast-check" ? `; export { default } from "fast-check"` : ""
  const contents = `export * from ${JSON.stringify(name)}${ofDefault}`
  return await oneFile({ stdin: { contents, resolveDir: root } })
}
