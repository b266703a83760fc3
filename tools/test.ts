/**
 * Runs the compiled tests with node's own runner; the exit code is the runner's.
 *
 *     npm test                              everything
 *     npm test -- pool                      the files with "pool" in their path
 *     npm test -- --test-name-pattern=BQ1   what starts with - goes to node
 *
 * Node 20 takes no pattern of files, and given a folder it would run the helpers too. So the files are
 * named one by one; by their sources, because a build folder remembers tests that are gone.
 *
 * Model tests (`*.model.test.ts`) come second, in a runner of their own: for them `#atomics` is the model checker's, and
 * that is decided for a whole process.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { availableParallelism } from "node:os"
import { listFiles } from "./check/files.ts"

/** Nothing takes so long; it only turns a test that hangs into one that fails. */
const TIME_LIMIT = 900_000

/**
 * Node 20 ends a file whose time is over. Later ones end only the test in it, and a timer left behind keeps the file
 * going for ever.
 */
const END_HANGING_FILES = Number(process.versions.node.split(".")[0]) > 20 ? ["--test-force-exit"] : []

const args = process.argv.slice(2)
const flags = args.filter((arg) => arg.startsWith("-"))
const patterns = args.filter((arg) => !arg.startsWith("-"))

const sources = listFiles(process.cwd(), "test", ".test.ts")
const chosen = sources.filter((path) => patterns.length === 0 || patterns.some((pattern) => path.includes(pattern)))

if (chosen.length === 0) {
  console.error(`No test file ${patterns.length === 0 ? "in test/" : `matches ${patterns.join(", ")}`}`)
  process.exitCode = 1
} else {
  const models = chosen.filter((path) => path.endsWith(".model.test.ts"))
  const others = chosen.filter((path) => !models.includes(path))
  for (const passed of [await run(others), await run(models, "--conditions=model")]) {
    if (!passed) process.exitCode = 1
  }
}

async function run(tests: readonly string[], ...conditions: string[]): Promise<boolean> {
  if (tests.length === 0) return true
  const files = tests.map((path) => `build/${path.replace(/\.ts$/, ".js")}`)
  const settings = [
    "--enable-source-maps",
    ...conditions,
    "--test",
    `--test-concurrency=${availableParallelism()}`,
    `--test-timeout=${TIME_LIMIT}`,
    "--test-reporter=spec",
    ...END_HANGING_FILES,
  ]
  const child = spawn(process.execPath, [...settings, ...flags, ...files], { stdio: "inherit" })
  const [code] = (await once(child, "exit")) as [number | null]
  return code === 0
}
