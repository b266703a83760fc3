/**
 * What the package may cost a user, in bytes: [RP36] and [RP37] in docs/spec/repository.md. A change that needs more says why when
 * it changes a number here.
 */
import { build } from "esbuild"
import { statSync } from "node:fs"
import { gzipSync } from "node:zlib"
import type { Finding } from "./finding.ts"

const KB = 1024

/**
 * Of all of it. The files for browsers have 207 KB, as they are a second copy of the code, the page of the monitor and
 * its server 42 KB, the command line 23 KB, events, OpenTelemetry and traces 20 KB. An entry has five files.
 */
export const PACKAGE: PackageFigures = { tarball: 646 * KB, unpacked: 1992 * KB, files: 80 }

interface BundleBudget {
  /** As in `exports` of package.json. */
  readonly entry: string
  /** What a bundler makes of a program that uses all of the entry: minified, and that compressed. */
  readonly minified: number
  readonly gzipped: number
}

/** A row for each entry. Code is in a bundle as text: see docs/design/packaging.md. */
const BUNDLES: readonly BundleBudget[] = [
  { entry: ".", minified: 617.8 * KB, gzipped: 204.2 * KB },
  // Of which a bundler leaves out what is not used: see bundles.ts.
  { entry: "./virtual", minified: 120.6 * KB, gzipped: 39.1 * KB },
  { entry: "./atomic", minified: 107.1 * KB, gzipped: 35.4 * KB },
  { entry: "./lock", minified: 107.2 * KB, gzipped: 35.6 * KB },
  // With the codec, which exchangers and shared queues need.
  { entry: "./sync", minified: 176.2 * KB, gzipped: 58.5 * KB },
  { entry: "./queue", minified: 200.5 * KB, gzipped: 65 * KB },
  // With the page, which is compressed already.
  { entry: "./monitor", minified: 703.9 * KB, gzipped: 255.9 * KB },
  { entry: "./compat", minified: 651.7 * KB, gzipped: 215.9 * KB },
  // These three have one file of code, which is a file less for each of two.
  { entry: "./prometheus", minified: 634.9 * KB, gzipped: 210.4 * KB },
  { entry: "./trace", minified: 634.9 * KB, gzipped: 210.4 * KB },
  { entry: "./otel", minified: 635 * KB, gzipped: 210.4 * KB },
  { entry: "./testing", minified: 109.8 * KB, gzipped: 36.4 * KB },
  { entry: "./distributed", minified: 704.5 * KB, gzipped: 233.4 * KB },
  { entry: "./worker", minified: 609.8 * KB, gzipped: 202 * KB },
]

export interface PackageFigures {
  readonly tarball: number
  readonly unpacked: number
  readonly files: number
}

/** [RP36] */
export function checkPackageBudget(figures: PackageFigures): Finding[] {
  const { tarball, unpacked, files } = figures
  const findings: Finding[] = []
  const add = (what: string): number => findings.push({ where: "package.json", what })
  if (tarball > PACKAGE.tarball) add(`the tarball has ${size(tarball)}, and may have ${size(PACKAGE.tarball)}`)
  if (unpacked > PACKAGE.unpacked)
    add(`the unpacked package has ${size(unpacked)}, and may have ${size(PACKAGE.unpacked)}`)
  if (files > PACKAGE.files) add(`the package has ${files} files, and may have ${PACKAGE.files}`)
  return findings
}

/** [RP37] `folder` has the package in its node_modules; `entries` are those of `exports`. */
export async function checkBundleBudgets(folder: string, name: string, entries: readonly string[]): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const entry of entries) {
    const budget = BUNDLES.find((row) => row.entry === entry)
    const where = `${name}${entry.slice(1)}`
    if (budget === undefined) {
      findings.push({ where, what: "has no row in tools/check/budget.ts" })
      continue
    }
    const { minified, gzipped } = await bundled(folder, where)
    if (minified > budget.minified) {
      findings.push({
        where,
        what: `has ${size(minified)} in a minified bundle, and may have ${size(budget.minified)}`,
      })
    }
    if (gzipped > budget.gzipped) {
      findings.push({
        where,
        what: `has ${size(gzipped)} in a compressed bundle, and may have ${size(budget.gzipped)}`,
      })
    }
  }
  return findings
}

/** A program that uses all that an entry exports. */
export async function bundled(folder: string, specifier: string): Promise<{ minified: number; gzipped: number }> {
  const { outputFiles } = await build({
    stdin: { contents: `import * as all from "${specifier}"\nconsole.log(all)`, resolveDir: folder },
    absWorkingDir: folder,
    bundle: true,
    minify: true,
    write: false,
    platform: "node",
    format: "esm",
    logLevel: "silent",
  })
  const contents = outputFiles[0]?.contents ?? new Uint8Array()
  return { minified: contents.length, gzipped: gzipSync(contents).length }
}

export function sizeOf(path: string): number {
  return statSync(path).size
}

function size(bytes: number): string {
  return `${(bytes / KB).toFixed(1)} KB`
}
