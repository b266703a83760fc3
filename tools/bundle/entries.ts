/**
 * What the package offers, and in which parts its code is bundled. To add an entry `corepool/x`, add a line here and the same path to
 * `exports` of package.json: tools/bundle makes the files, and `npm run check` has a budget for it (tools/check/budget.ts).
 *
 * A *part* is what is loaded together: all entries of a part are views of it. Code that several parts need is bundled
 * once, in a file that they share (see chunks.ts). An entry that is to be small has a part of its own.
 */
export interface Entry {
  /** `corepool/lock` is `lock`; `corepool` is `index`. */
  readonly name: string
  /** The module in src that exports what it offers. */
  readonly module: string
  readonly part: string
}

export const ENTRIES: readonly Entry[] = [
  { name: "index", module: "index", part: "main" },
  { name: "virtual", module: "virtual/index", part: "virtual" },
  { name: "testing", module: "testing/index", part: "main" },
  { name: "atomic", module: "atomic/index", part: "sync" },
  { name: "lock", module: "lock/index", part: "sync" },
  { name: "sync", module: "sync/index", part: "sync" },
  { name: "queue", module: "queue/index", part: "sync" },
  { name: "distributed", module: "distributed/index", part: "distributed" },
]

/** The entry that begins a worker thread, and exports nothing. */
export const WORKER_ENTRY = { name: "worker", module: "platform/worker-entry" } as const

/** Parts without an entry: what a worker thread runs, and what it loads when it needs it. */
export const INNER_PARTS: Readonly<Record<string, readonly string[]>> = {
  worker: ["platform/worker-program"],
  rest: ["platform/all-classes", "distributed/job-in-thread"],
}

/**
 * A part that is loaded with all of another one. Then the bundler need not cut the code of the other into what both need and what this one
 * does not: a program without it loads no more files than if it were not there.
 */
const ON_TOP_OF: Readonly<Record<string, string>> = { distributed: "main" }

/** The modules of each part. */
export function modulesOfParts(): Map<string, string[]> {
  const parts = new Map(Object.entries(INNER_PARTS).map(([part, modules]) => [part, [...modules]]))
  for (const { part, module } of ENTRIES) parts.set(part, [...(parts.get(part) ?? []), module])
  for (const [part, other] of Object.entries(ON_TOP_OF)) parts.get(part)?.push(...(parts.get(other) ?? []))
  return parts
}

/** The folder that the compiler writes src to, and that of the bundles; from the root. */
export const COMPILED = "build/src"
export const SHIPPED = "dist"
