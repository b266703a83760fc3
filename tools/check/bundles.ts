/**
 * What programs weigh when they are bundled: [RP40] and [RP41] in docs/spec/repository.md. Small programs, each with a budget, are bundled and
 * minified as a user would do it.
 */
import { build } from "esbuild"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import type { Finding } from "./finding.ts"
import { runNode, saidBy } from "./run.ts"

export interface Bundle {
  readonly name: string
  readonly program: string
  /** In KB of 1000 bytes, minified and then compressed. */
  readonly minified: number
  readonly gzipped: number
  /** What it prints; one without is not run. */
  readonly prints?: string
  /** What must not be in its text. */
  readonly without?: readonly string[]
  /** Whether it is for a page; such a bundle is not run here. */
  readonly isPage?: boolean
}

/** What would be in the text of a bundle that has platform threads, shared memory or the codec. */
const PLATFORM = ["node:worker_threads", "node:os", "node:buffer", ".cjs", "waitAsync("]
/** And schedules. */
const SCHEDULE = "scheduleAtFixedRate"
/** And queues. */
const QUEUE = "remainingCapacity"

const BUNDLES: readonly Bundle[] = [
  {
    name: "a pool of virtual threads",
    program: `
      import { newFixedThreadPool } from "corepool/virtual"
      const pool = newFixedThreadPool(8)
      const results = await Promise.all([1, 2, 3].map((n) => pool.submit(async (x) => x * 2, n)))
      await pool.close()
      console.log(results.join(), pool.isTerminated)`,
    prints: "2,4,6 true",
    minified: 76.3,
    gzipped: 25.6,
    without: [...PLATFORM, SCHEDULE, "StructuredTaskScope"],
  },
  {
    name: "virtual threads without a pool",
    program: `
      import { newVirtualThreadPerTaskExecutor } from "corepool/virtual"
      const executor = newVirtualThreadPerTaskExecutor()
      console.log(await executor.submit((n) => n + 1, 1))
      await executor.close()`,
    prints: "2",
    minified: 44.9,
    gzipped: 15.8,
    without: [...PLATFORM, SCHEDULE, QUEUE],
  },
  {
    name: "a schedule on virtual threads",
    program: `
      import { newScheduledThreadPool } from "corepool/virtual"
      const timers = newScheduledThreadPool(1)
      const result = await timers.schedule((n) => n + 1, 1, 1)
      await timers.close()
      console.log(result)`,
    prints: "2",
    minified: 96.2,
    gzipped: 32,
    without: PLATFORM,
  },
  {
    name: "Executors of corepool/virtual",
    program: `
      import { Executors } from "corepool/virtual"
      const executor = Executors.newVirtualThreadPerTaskExecutor()
      console.log(await executor.submit(() => 1))`,
    prints: "1",
    minified: 105.2,
    gzipped: 34.3,
    without: PLATFORM,
  },
  {
    name: "all of corepool/virtual",
    program: `
      import * as entry from "corepool/virtual"
      console.log(typeof entry.ThreadPoolExecutor)`,
    prints: "function",
    minified: 77.3,
    gzipped: 26,
    without: PLATFORM,
  },
  {
    // Two copies of the classes, which are one to `instanceof`: [VE9]. A twentieth of it is what lets the files of `corepool` load each
    // other when they are needed.
    name: "corepool and corepool/virtual",
    program: `
      import { newFixedThreadPool, ThreadPoolExecutor as VirtualPool } from "corepool/virtual"
      import { Executors, FutureTask, ThreadPoolExecutor, virtualThreads } from "corepool"
      const pool = newFixedThreadPool(1, virtualThreads())
      const future = pool.submit(async (n) => n + 1, 1)
      const other = Executors.newFixedThreadPool(1)
      console.log(await future, future instanceof FutureTask, pool instanceof ThreadPoolExecutor, other instanceof VirtualPool)
      console.log(await other.submit((n) => n + 1, 2))
      await pool.close()
      await other.close()`,
    prints: "2 true true true\n3",
    minified: 791,
    gzipped: 357.1,
  },
  {
    name: "a pool of virtual threads, for a page",
    program: `
      import { newFixedThreadPool } from "corepool/virtual"
      console.log(await newFixedThreadPool(2).submit((n) => n + 1, 1))`,
    isPage: true,
    minified: 78.2,
    gzipped: 26.3,
    without: [...PLATFORM, SCHEDULE],
  },
  {
    name: "a pool of platform threads, for a page",
    program: `
      import { Executors } from "corepool"
      console.log(await Executors.newFixedThreadPool(2).submit((n) => n + 1, 1))`,
    isPage: true,
    minified: 441.4,
    gzipped: 144.6,
  },
  {
    name: "a worker of a page",
    program: `import "corepool/worker"`,
    isPage: true,
    minified: 488.6,
    gzipped: 161.4,
  },
]

/** `root` is the package, built; programs import it by its name. */
export async function checkBundles(root: string, bundles: readonly Bundle[] = BUNDLES): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const bundle of bundles) {
    for (const what of await checkBundle(root, bundle)) findings.push({ where: `bundle of ${bundle.name}`, what })
  }
  return findings
}

async function checkBundle(root: string, bundle: Bundle): Promise<string[]> {
  const { program, minified, gzipped, without = [], prints } = bundle
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: root },
    bundle: true,
    minify: true,
    write: false,
    platform: bundle.isPage === true ? "browser" : "node",
    format: "esm",
    external: ["croner"],
    logLevel: "silent",
  })
  const { contents, text } = outputFiles[0] as (typeof outputFiles)[number]
  const findings: string[] = []
  const tell = (size: number, most: number, how: string): void => {
    if (size > most * 1000) findings.push(`has ${(size / 1000).toFixed(1)} KB ${how}; ${most} KB is the limit`)
  }
  tell(contents.length, minified, "minified")
  tell(gzipSync(contents, { level: 9 }).length, gzipped, "compressed")
  for (const part of without) if (text.includes(part)) findings.push(`contains ${part}`)
  if (prints !== undefined) findings.push(...(await runAlone(text, prints)))
  return findings
}

/** In a folder where nothing else is. */
async function runAlone(text: string, prints: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "corepool-bundle-"))
  try {
    writeFileSync(join(folder, "program.mjs"), text)
    const outcome = await runNode(["program.mjs"], { cwd: folder })
    if (outcome.code !== 0) return [`fails: ${saidBy(outcome)}`]
    return outcome.stdout.trim() === prints ? [] : [`prints ${outcome.stdout.trim()} and not ${prints}`]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
