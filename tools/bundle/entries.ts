/**
 * What the package offers, and in which parts its code is bundled. To add an entry `corepool/x`, add a line here and the same path to
 * `exports` of package.json: tools/bundle makes the files, and `npm run check` has a budget for it (tools/check/budget.ts).
 */
export interface Entry {
  /** `corepool/lock` is `lock`; `corepool` is `index`. */
  readonly name: string
  /** The module in src that exports what it offers. */
  readonly module: string
  /** Names the file `code-*.cjs` with the code that only it needs; entries that load the same code share one. */
  readonly part: string
}

export const ENTRIES: readonly Entry[] = [
  { name: "index", module: "index", part: "index" },
  { name: "virtual", module: "virtual/index", part: "virtual" },
  { name: "testing", module: "testing/index", part: "testing" },
  { name: "atomic", module: "atomic/index", part: "lock" },
  { name: "lock", module: "lock/index", part: "lock" },
  { name: "sync", module: "sync/index", part: "sync" },
  { name: "queue", module: "queue/index", part: "queue" },
  { name: "monitor", module: "monitor/index", part: "monitor" },
  { name: "compat", module: "compat/index", part: "compat" },
  { name: "prometheus", module: "prometheus/index", part: "observe" },
  { name: "trace", module: "trace/index", part: "observe" },
  { name: "otel", module: "otel/index", part: "observe" },
  { name: "distributed", module: "distributed/index", part: "distributed" },
]

/** The entry that begins a worker thread, and exports nothing. */
export const WORKER_ENTRY = { name: "worker", module: "worker-program/worker-entry" } as const

/** What a worker thread begins with: the module, of which `begin` and `enter` are called. */
export const PROGRAM = "worker-program/worker-program"

/** The folder that the compiler writes src to, and that of the bundles; from the root. */
export const COMPILED = "build/src"
export const SHIPPED = "dist"
