/**
 * Replays recorded JDK scenarios on corepool.
 *
 *     npm run oracle -- [--threads virtual|platform] [FILE …]
 *
 * Without a FILE: the recordings of this repository. Prints a line per scenario that failed and ends with
 * `N passed, M failed`. Exit code 0 if nothing failed, 1 if something did, 2 if it was called wrongly.
 */
import { parseArgs } from "node:util"
import { replayFile } from "./replay.ts"
import { onVirtualThreads } from "./threads.ts"
import { recordings } from "./recordings.ts"

const USAGE = "Usage: npm run oracle -- [--threads virtual|platform] [FILE …]"

async function main(): Promise<number> {
  let threads: string
  let files: string[]
  try {
    const parsed = parseArgs({ allowPositionals: true, options: { threads: { type: "string", default: "virtual" } } })
    threads = parsed.values.threads
    files = parsed.positionals
  } catch (error) {
    console.error(`${(error as Error).message}\n${USAGE}`)
    return 2
  }
  if (threads === "platform") {
    console.error("Platform threads are not there yet: scenarios can be replayed on virtual threads only")
    return 2
  }
  if (threads !== "virtual") {
    console.error(`There are no ${threads} threads\n${USAGE}`)
    return 2
  }
  let passed = 0
  let failed = 0
  for (const file of files.length > 0 ? files : recordings()) {
    const report = await replayFile(file, onVirtualThreads)
    for (const failure of report.failures) console.log(failure)
    passed += report.passed
    failed += report.failures.length
  }
  console.log(`${passed} passed, ${failed} failed`)
  return failed > 0 ? 1 : 0
}

process.exitCode = await main()
