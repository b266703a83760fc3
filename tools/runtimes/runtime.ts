/** The runtimes that the tests run on: where each is, and how it is told to run a test file. */
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { type BrowserName, BROWSERS } from "./browser/browsers.ts"
import { HOME } from "../check/run.ts"
import { conditionsFor, kindOf } from "../test-kinds.ts"

/** Those that run programs. */
export const ENGINES = ["node20", "node22", "node24", "node26", "bun", "deno"] as const

export type EngineName = (typeof ENGINES)[number]

export type RuntimeName = EngineName | BrowserName

export const RUNTIMES: readonly RuntimeName[] = [...ENGINES, ...BROWSERS]

export function isBrowser(name: RuntimeName): name is BrowserName {
  return (BROWSERS as readonly string[]).includes(name)
}

export interface Command {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** The name of a runtime among the packages; each brings one executable for one platform. */
export function packageOf(name: EngineName, platform: string, arch: string): string {
  return `${name}-${platform}-${arch}`
}

/** The executable in the folder of its package. Bun's and Deno's main packages would need a script at installation. */
export function executableIn(folder: string, name: EngineName): string {
  return join(folder, name === "deno" ? "deno" : `bin/${name === "bun" ? "bun" : "node"}`)
}

/**
 * How to run a test file, given as its source; the lines of results.ts go to the file `results`. `timeLimit` is in
 * milliseconds, for each test.
 */
export function commandFor(name: EngineName, source: string, results: string, timeLimit: number): Command {
  const file = `build/${source.replace(/\.ts$/, ".js")}`
  // All three know the flag, and hand the condition on to worker threads.
  const conditions = conditionsFor(kindOf(HOME, source))
  const env = { TEST_RESULTS: results, TEST_TIME_LIMIT: String(timeLimit) }
  if (name === "bun") {
    const preload = join(HOME, "build/tools/runtimes/stand-in/bun.js")
    return { args: [...conditions, "--preload", preload, file], env }
  }
  if (name === "deno") {
    const imports = `--import-map=${join(HOME, "tools/runtimes/stand-in/deno-imports.json")}`
    return { args: ["run", "--allow-all", "--no-lock", ...conditions, imports, file], env }
  }
  const own = [
    `--test-timeout=${timeLimit}`,
    `--test-reporter=${pathToFileURL(join(HOME, "build/tools/runtimes/reporter.js")).href}`,
    `--test-reporter-destination=${results}`,
  ]
  return { args: ["--enable-source-maps", ...conditions, ...own, file], env: {} }
}
