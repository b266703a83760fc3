/**
 * Prepares a thread of a pool for modules in TypeScript. The program itself was started by something that knows
 * TypeScript; its threads are started by the runtime, which may not.
 *
 * - If tsx runs the program, this registers it in the thread: on some versions of Node it does not find out by itself,
 *   although the thread has the flags that started it.
 * - Otherwise the thread gets hooks of our own (typescript-hooks.ts): at once if Vitest runs the program, where
 *   everything is TypeScript; else before the first module in TypeScript is loaded. A program without any gets none.
 *
 * Bun and Deno need none of that.
 */
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { importModule } from "./evaluation.ts"
import { isNode } from "../runtime/runtime.ts"
import { typeScriptHooks } from "./typescript-hooks.ts"

/**
 * Call it before a thread loads any module. A function that is given to `beforeLoading` is called with the URL of each
 * module that the thread is about to load.
 */
export async function prepareForTypeScript(beforeLoading: (call: (url: string) => unknown) => void): Promise<void> {
  if (!isNode) return
  const tsx = tsxIn(importsIn(process.execArgv, process.env["NODE_OPTIONS"] ?? ""), process.cwd())
  if (tsx !== undefined) await registerTsx(tsx)
  else if (process.env["VITEST"] !== undefined) hook()
  else beforeLoading((url) => isTypeScript(url) && hook())
}

/** Whether the URL is that of a file in TypeScript. */
export function isTypeScript(url: string): boolean {
  return /\.[cm]?tsx?(?:$|[?#])/.test(url)
}

// ------------------------------------------------------------------ tsx

/** The modules that these flags of the runtime load before the program. */
export function importsIn(execArgv: readonly string[], nodeOptions: string): string[] {
  const flags = [...execArgv, ...nodeOptions.split(/\s+/).filter((flag) => flag !== "")]
  return flags.flatMap((flag, i) => {
    const found = /^(?:--import|--require|-r)(?:=(?<value>.+))?$/.exec(flag)
    const name = found && (found.groups?.["value"] ?? flags[i + 1])
    return name == null ? [] : [name]
  })
}

/** The URL of tsx's interface, if the runtime loads tsx before the program. */
export function tsxIn(imports: readonly string[], cwd: string): string | undefined {
  for (const name of imports) {
    const path = name.startsWith("file:") ? fileURLToPath(name) : name
    if (!path.split(/[/\\]/).includes("tsx")) continue
    // A package also finds itself by its name.
    const found = interfaceOfTsx(/^tsx(?:\/|$)/.test(name) ? join(cwd, "_") : path)
    if (found !== undefined) return found
  }
  return undefined
}

/** As an ES module: when it is loaded by `require`, tsx does not find its own files on Node 20. */
function interfaceOfTsx(from: string): string | undefined {
  try {
    const require = process.getBuiltinModule("node:module").createRequire(from) // webpack would replace an import
    const manifest = require.resolve("tsx/package.json")
    const { exports } = require(manifest) as { exports: { "./esm/api": { import: { default: string } } } }
    return new URL(exports["./esm/api"].import.default, pathToFileURL(manifest)).href
  } catch {
    return undefined // something else of that name, or a version without the interface
  }
}

async function registerTsx(url: string): Promise<void> {
  const { register } = (await importModule(url)) as { register: () => unknown }
  register()
}

// ------------------------------------------------------------------ other programs

/** What Node has, and its types lack. */
interface Loader {
  /** Hooks of this thread; from Node 22.15 on. */
  registerHooks?: (hooks: object) => void
  /** How `require` loads a file, by its extension. */
  _extensions: Record<string, (module: { _compile: (text: string, path: string) => void }, path: string) => void>
}

let isHooked = false

function hook(): void {
  if (isHooked) return
  isHooked = true
  const Module = process.getBuiltinModule("node:module")
  const loader = Module as unknown as Loader
  const { resolve, load, commonJs } = typeScriptHooks(globalThis)
  if (loader.registerHooks !== undefined) loader.registerHooks({ resolve, load })
  else {
    // A bundler that keeps names puts calls of `__name` into functions.
    const text = `const __name = (fn) => fn; export const { resolve, load } = (${typeScriptHooks})(globalThis)`
    Module.register(`data:text/javascript,${encodeURIComponent(text)}`)
  }
  for (const ending of [".ts", ".tsx", ".cts"]) {
    // oxlint-disable-next-line eslint/no-underscore-dangle -- what Node calls them
    loader._extensions[ending] ??= (module, path) => module._compile(commonJs(path), path)
  }
}
