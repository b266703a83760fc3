/**
 * Runs the compiled tests with node's own runner; the exit code is the runner's.
 *
 *     npm test                              everything
 *     npm test -- pool                      the files with "pool" in their path
 *     npm test -- --test-name-pattern=BQ1   what starts with - goes to node
 *
 * Node 20 takes no pattern of files, and given a folder it would run the helpers too. So the files are
 * named one by one; by their sources, because a build folder remembers tests that are gone.
 */
import { spawn } from "node:child_process"
import { availableParallelism } from "node:os"
import { listFiles } from "./check/files.ts"

/** Nothing takes so long; it only turns a test that hangs into one that fails. */
const TIME_LIMIT = 300_000

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
  const files = chosen.map((path) => `build/${path.replace(/\.ts$/, ".js")}`)
  const settings = [
    "--enable-source-maps",
    "--test",
    `--test-concurrency=${availableParallelism()}`,
    `--test-timeout=${TIME_LIMIT}`,
    "--test-reporter=spec",
    ...END_HANGING_FILES,
  ]
  const child = spawn(process.execPath, [...settings, ...flags, ...files], { stdio: "inherit" })
  child.on("exit", (code) => (process.exitCode = code ?? 1))
}
