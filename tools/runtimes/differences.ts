/**
 * Where the runtimes differ, as data. A test listed here is expected to fail there: it counts as `differs`, with the
 * reason. If it passes, or is gone, the run fails, so that the list stays true.
 */
import type { RuntimeName } from "./runtime.ts"

export interface Difference {
  readonly runtimes: readonly RuntimeName[]
  /** The path of the test's source. */
  readonly file: string
  /** The test's title, after those of its suites: `outer > inner`. */
  readonly test: string
  readonly reason: string
}

/** Files that do not concern a runtime and are not run on it. */
export interface Omission {
  readonly runtimes: readonly RuntimeName[]
  /** How the paths of the files start. */
  readonly under: string
  readonly reason: string
}

export const OMISSIONS: readonly Omission[] = [
  {
    runtimes: ["bun", "deno"],
    under: "test/tools/",
    reason: "they test the checks of this repository, which are programs for Node",
  },
  {
    runtimes: ["bun", "deno"],
    under: "test/model/running.test.ts",
    reason: "it tests how `npm test` runs model tests, which is by Node",
  },
]

export const DIFFERENCES: readonly Difference[] = [
  {
    runtimes: ["bun"],
    file: "test/spec/executor/process.test.ts",
    test: "[ES40] tasks run in the context in which corepool was loaded",
    reason:
      "Bun evaluates a module that is imported within AsyncLocalStorage.run() outside of it (oven-sh/bun#32693), so there " +
      "is no context to be loaded in, and tasks run in none",
  },
]
