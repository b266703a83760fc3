/**
 * Replays recorded JDK scenarios on corepool.
 *
 *     npm run oracle -- [--threads virtual|platform|platform-awaiting] [FILE …]
 *
 * Without a FILE: the recordings of this repository. Without `--threads`: on each kind of threads that can do it so far; a
 * scenario has passed if it has on all of them. Prints a line per scenario that failed and ends with `N passed, M failed`.
 * Exit code 0 if nothing failed, 1 if something did, 2 if it was called wrongly.
 */
import { parseArgs } from "node:util"
import { recordings } from "./recordings.ts"
import { replayFile } from "./replay.ts"
import { kinds, onVirtualThreads, type Threads } from "./threads.ts"
import { ActorWorkers } from "./workers/actor-workers.ts"

const USAGE = `Usage: npm run oracle -- [--threads ${kinds.join("|")}] [FILE …]`

async function main(): Promise<number> {
  let kind: string | undefined
  let files: string[]
  try {
    const parsed = parseArgs({ allowPositionals: true, options: { threads: { type: "string" } } })
    kind = parsed.values.threads
    files = parsed.positionals
  } catch (error) {
    console.error(`${(error as Error).message}\n${USAGE}`)
    return 2
  }
  await using blocking = new ActorWorkers("platform")
  await using awaiting = new ActorWorkers("platform-awaiting")
  const all: readonly Threads[] = [onVirtualThreads, blocking, awaiting]
  const chosen = all.filter((threads) => kind === undefined || threads.kind === kind)
  if (chosen.length === 0) {
    console.error(`There are no ${kind ?? ""} threads\n${USAGE}`)
    return 2
  }
  let passed = 0
  let failed = 0
  for (const file of files.length > 0 ? files : recordings(chosen)) {
    const report = await replayFile(file, ...chosen)
    for (const failure of report.failures) console.log(failure)
    passed += report.passed
    failed += report.failures.length
  }
  console.log(`${passed} passed, ${failed} failed`)
  return failed > 0 ? 1 : 0
}

process.exitCode = await main()
