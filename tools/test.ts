/**
 * Runs the compiled tests with node's own runner; the exit code is the runner's.
 *
 *     npm test                              everything
 *     npm test -- pool                      the files with "pool" in their path
 *     npm test -- --test-name-pattern=BQ1   what starts with - goes to node
 *     npm run test:redis                    (--redis) the files that run on Redis; fails if there is none
 *     npm run test:faults                   (--faults) the faults of a fleet, with more tasks than `npm test` takes the time for
 *
 * Node 20 takes no pattern of files, and given a folder it would run the helpers too. So the files are
 * named one by one; by their sources, because a build folder remembers tests that are gone.
 *
 * There is a runner for each kind of tests (test-kinds.ts): what they run on is decided for a whole process. It runs one file more at a time than
 * there are processors, because tests wait, too.
 * Servers that test files need run as long as all of them (servers/for-tests.ts). The last lines of the output are the failed tests of all
 * runners.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { listFiles } from "./check/files.ts"
import { startServers, testsOnRedis } from "./servers/for-tests.ts"
import { conditionsFor, kindOf, type TestKind } from "./test-kinds.ts"

/** Nothing takes so long; it only turns a test that hangs into one that fails. */
const TIME_LIMIT = 900_000

/**
 * Node 20 ends a file whose time is over. Later ones end only the test in it, and a timer left behind keeps the file
 * going for ever.
 */
const END_HANGING_FILES = Number(process.versions.node.split(".")[0]) > 20 ? ["--test-force-exit"] : []

/** The test files that take longest are in these folders. They begin first, so that no core waits for one of them at the end. */
const LONG = /^test\/(?:oracle|tools|model)\//

/** For how many tasks nodes are replaced by `npm run test:faults`. */
const MANY_TASKS = "10000"

const args = process.argv.slice(2)
const needsRedis = args.includes("--redis")
const isOfFaults = args.includes("--faults")
const flags = args.filter((arg) => arg.startsWith("-") && arg !== "--redis" && arg !== "--faults")
const patterns = args.filter((arg) => !arg.startsWith("-"))
if (isOfFaults) {
  patterns.push("distributed/faults-")
  process.env["COREPOOL_TEST_TASKS"] ??= MANY_TASKS
}

const all = listFiles(process.cwd(), "test", ".test.ts")
const sources = needsRedis ? testsOnRedis(process.cwd(), all) : all
const chosen = sources
  .filter((path) => patterns.length === 0 || patterns.some((pattern) => path.includes(pattern)))
  .toSorted((a, b) => Number(LONG.test(b)) - Number(LONG.test(a)))

if (chosen.length === 0) {
  const where = needsRedis ? "runs on Redis" : "in test/"
  console.error(`No test file ${patterns.length === 0 ? where : `matches ${patterns.join(", ")}`}`)
  process.exitCode = 1
} else {
  const servers = await startServers(process.cwd(), chosen)
  const reports = await mkdtemp(join(tmpdir(), "corepool-tests-"))
  let failures = ""
  for (const kind of ["shipped", "modules", "model"] as const) {
    const tests = chosen.filter((path) => kindOf(process.cwd(), path) === kind)
    if (tests.length === 0) continue
    const report = join(reports, kind)
    if (!(await run(kind, servers.env, tests, report))) process.exitCode = 1
    failures += await readFile(report, "utf8")
  }
  await rm(reports, { recursive: true })
  await servers.stop()
  for (const line of servers.missing) console.error(`\n${"!".repeat(80)}\n${line}\n${"!".repeat(80)}`)
  if (needsRedis && servers.missing.length > 0) process.exitCode = 1
  if (failures !== "") console.error(`\nFailed:\n\n${failures}`)
}

async function run(
  kind: TestKind,
  servers: Readonly<Record<string, string>>,
  tests: readonly string[],
  report: string,
): Promise<boolean> {
  const files = tests.map((path) => `build/${path.replace(/\.ts$/, ".js")}`)
  const settings = [
    "--enable-source-maps",
    "--test",
    `--test-concurrency=${availableParallelism() + 1}`,
    `--test-timeout=${TIME_LIMIT}`,
    "--test-reporter=spec",
    "--test-reporter-destination=stdout",
    `--test-reporter=${new URL("./test-failures.js", import.meta.url).href}`,
    `--test-reporter-destination=${report}`,
    ...END_HANGING_FILES,
  ]
  // By the environment, so that it holds for programs and threads that a test starts with flags of its own.
  const NODE_OPTIONS = [process.env["NODE_OPTIONS"] ?? "", ...conditionsFor(kind)].join(" ").trim()
  const child = spawn(process.execPath, [...settings, ...flags, ...files], {
    stdio: "inherit",
    env: { ...process.env, ...servers, NODE_OPTIONS },
  })
  const [code] = (await once(child, "exit")) as [number | null]
  return code === 0
}
