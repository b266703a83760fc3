/** The runtimes that the tests run on: where each is, and how it is told to run a test file. */
import { join } from "node:path"
import { pathToFileURL } from "node:url"

export const RUNTIMES = ["node20", "node22", "node24", "node26", "bun", "deno"] as const

export type RuntimeName = (typeof RUNTIMES)[number]

export interface TestCommand {
  readonly program: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

export interface TestRun {
  /** A compiled test file. */
  readonly file: string
  /** Where the lines of results.ts go. */
  readonly results: string
  /** Conditions of the package's own imports. */
  readonly conditions: readonly string[]
  /** Milliseconds that one test may take. */
  readonly timeLimit: number
}

/** The name of a runtime among the packages; each brings one executable for one platform. */
export function packageOf(name: RuntimeName, platform: string, arch: string): string {
  return `${name}-${platform}-${arch}`
}

/** The executable in the folder of its package. Bun's and Deno's main packages would need a script at installation. */
export function executableIn(folder: string, name: RuntimeName): string {
  return join(folder, name === "deno" ? "deno" : `bin/${name === "bun" ? "bun" : "node"}`)
}

/** `tools` is the folder with the compiled form of this file, `sources` the one with this file. */
export function commandFor(
  name: RuntimeName,
  program: string,
  run: TestRun,
  tools: string,
  sources: string,
): TestCommand {
  const conditions = run.conditions.map((condition) => `--conditions=${condition}`)
  const env = { TEST_RESULTS: run.results, TEST_TIME_LIMIT: String(run.timeLimit) }
  if (name === "bun") {
    return { program, args: [...conditions, "--preload", join(tools, "stand-in/bun.js"), run.file], env }
  }
  if (name === "deno") {
    const imports = `--import-map=${join(sources, "stand-in/deno-imports.json")}`
    return { program, args: ["run", "--allow-all", "--no-lock", ...conditions, imports, run.file], env }
  }
  const reporter = pathToFileURL(join(tools, "reporter.js")).href
  return {
    program,
    args: [
      "--enable-source-maps",
      ...conditions,
      `--test-timeout=${run.timeLimit}`,
      `--test-reporter=${reporter}`,
      `--test-reporter-destination=${run.results}`,
      run.file,
    ],
    env: {},
  }
}
