/**
 * Which module is published in which file: `code-<name>.cjs`. A program loads a file when it needs something in it for the first
 * time, so what is needed together should stand together, and what many programs never need should stand apart.
 *
 * - `after` are the files that are loaded before this one. What is imported from them costs nothing; imports from all other files are put off
 *   until a function uses them, which costs a comparison each time (link.ts). A module that needs another one as soon as it is
 *   loaded, to extend its class, say, must come after it: the build fails otherwise.
 * - `modules` are modules of src, or folders (with a slash at the end) for all those of the folder that are named nowhere else.
 */
export interface ChunkRule {
  readonly name: string
  readonly after: readonly string[]
  readonly modules: readonly string[]
}

/**
 * The files of which entries export functions only, and load them when one of these is called. All other files that have something of an entry are loaded with the entry.
 */
export const CALLED_LATER: ReadonlySet<string> = new Set(["parallel"])

export const CHUNKS: readonly ChunkRule[] = [
  // What every entry loads.
  {
    name: "base",
    after: [],
    modules: [
      "checks",
      "error-names",
      "errors",
      "host/",
      "identity",
      "inspection",
      "observing",
      "per-thread",
      "primordials",
      "user-values",
      "future/call",
      "future/callers",
      "future/runnable",
      "future/task-state",
      "memory/flow/abort",
      "memory/atomics",
      "memory/flow/flow",
      "memory/flow/guard",
      "memory/layout",
      "memory/thread/block-for",
      "memory/shared/shareables",
      "memory/flow/wait-list",
      "memory/flow/waiting",
      "memory/words",
      "core/control-word",
      "core/series",
      "thread/",
      "time/",
      "task/each",
    ],
  },
  {
    name: "queue",
    after: ["base"],
    modules: [
      "queue/array-blocking-queue",
      "queue/base/blocking-queue",
      "queue/delay-queue",
      "queue/linked-blocking-deque",
      "queue/linked-blocking-queue",
      "queue/linked-transfer-queue",
      "queue/priority-blocking-queue",
      "queue/base/queue-backend",
      "queue/synchronous-queue",
    ],
  },
  // How queues work: a program, and each of its threads, has the classes long before it has a queue.
  {
    name: "elements",
    after: ["queue"],
    modules: [
      "queue/base/deque-core",
      "queue/base/delay-core",
      "queue/base/heap-core",
      "queue/base/list-core",
      "queue/base/priority-core",
      "queue/base/queue-core",
      "queue/base/queue-waits",
      "queue/base/synchronous-core",
      "queue/base/transfer-core",
      "queue/local/chunk",
      "queue/local/chunked-list",
      "queue/local/equality",
      "queue/local/heap",
      "queue/local/iteration",
      "queue/local/order",
    ],
  },
  // Pools of virtual threads: the classes, and how they work.
  {
    name: "pool",
    after: ["queue"],
    modules: [
      "executor/service/abstract-executor-service",
      "executor/capture/capturing",
      "executor/carrier",
      "executor/completion/executor-completion-service",
      "executor/service/executor-service-base",
      "executor/sending",
      "executor/task-marks",
      "future/",
      "host/node/code/packages",
      "pool/configurable-pool",
      "pool/live-pools",
      "pool/own-queue",
      "pool/engine/unrun-tasks",
      "pool/platform-support",
      "pool/rejection",
      "pool/sent-pool",
      "pool/thread-pool-executor",
      "pool/virtual/virtual-threads",
      "schedule/cron-calendar",
      "schedule/scheduled-thread-pool-executor",
      "virtual/",
    ],
  },
  // What a pool begins with.
  {
    name: "pools",
    after: ["pool"],
    modules: ["pool/pool-context", "pool/pool-settings", "pool/thread-pool-options"],
  },
  {
    name: "core",
    after: ["base"],
    modules: ["memory/structures/counter", "memory/structures/histogram", "core/", "pool/"],
  },
  {
    name: "virtual",
    after: ["core", "pool"],
    modules: [
      "pool/virtual/local-worker",
      "pool/virtual/overstay",
      "pool/virtual/probe",
      "pool/virtual/runnable-host",
      "pool/thread-per-task-executor",
      "pool/virtual/virtual-engine",
    ],
  },
  { name: "heap", after: ["base"], modules: ["core/timetable", "memory/structures/indexed-heap"] },
  {
    name: "executor",
    after: ["pool"],
    modules: ["executor/", "platform/submit/chosen-chunks", "platform/submit/chunk-size"],
  },
  {
    name: "capture",
    after: ["task", "memory"],
    modules: [
      "executor/capture/captured-output",
      "executor/capture/captured-run",
      "host/node/threads/intercept",
      "memory/structures/output-log",
    ],
  },
  { name: "schedule", after: ["executor", "core", "elements", "heap"], modules: ["schedule/"] },
  { name: "structured", after: ["virtual", "task"], modules: ["structured/"] },
  { name: "dump", after: ["structured", "lock"], modules: ["dump/"] },
  { name: "testing", after: ["base"], modules: ["testing/"] },
  {
    name: "handlers",
    after: ["task"],
    modules: [
      "compat/in-thread/handlers-in-thread",
      "compat/in-thread/in-thread",
      "compat/in-thread/methods-in-thread",
      "compat/in-thread/movable",
      "compat/in-thread/pool-transfer",
      "host/node/threads/events",
    ],
  },
  { name: "compat", after: ["main", "handlers"], modules: ["compat/"] },
  { name: "events", after: ["pool", "task"], modules: ["events/"] },
  { name: "prometheus", after: ["main"], modules: ["prometheus/"] },
  { name: "trace", after: ["main"], modules: ["host/node/server/process-facts", "trace/"] },
  { name: "otel", after: ["prometheus"], modules: ["host/node/server/subscribing", "otel/"] },
  {
    name: "monitor",
    after: ["prometheus"],
    modules: ["host/node/server/http", "host/node/server/monitor-page", "monitor/"],
  },
  // Shared memory. When it is loaded, a thread makes or inherits a space, and watches the threads that it starts from then on.
  {
    name: "space",
    after: ["base"],
    modules: [
      "codec/keys",
      "codec/revival",
      "host/node/threads/workers",
      "memory/growth",
      "memory/thread/node-pool",
      "memory/record",
      "memory/reservation",
      "memory/shared/shared-memory",
      "memory/thread/thread-registry",
      "memory/wait/combining-list",
      "memory/thread/this-thread",
      "memory/wait/wait-node",
      "memory/wait/wait-queue",
    ],
  },
  {
    name: "memory",
    after: ["space"],
    modules: ["host/node/values/bytes", "host/node/threads/last-listener", "memory/"],
  },
  // The classes of the entries `atomic` and `lock`, then those of `sync`, each before the chunk that has how they work; and queues that threads share.
  {
    name: "locks",
    after: ["space"],
    modules: [
      "atomic/",
      "lock/abstract-queued-synchronizer",
      "lock/reentrant-lock",
      "lock/reentrant-read-write-lock",
      "lock/synchronizer-base",
    ],
  },
  { name: "lock", after: ["locks", "memory"], modules: ["lock/"] },
  {
    name: "sync",
    after: ["locks"],
    modules: [
      "sync/count-down-latch",
      "sync/cyclic-barrier",
      "sync/exchanger",
      "sync/phaser",
      "sync/rate-limiter",
      "sync/semaphore",
      "sync/visitor",
    ],
  },
  { name: "barrier", after: ["sync", "lock"], modules: ["memory/shared/growable-memory", "sync/"] },
  { name: "sharing", after: ["queue"], modules: ["queue/shareable-queues"] },
  // What other threads are told, and tasks.
  {
    name: "task",
    after: ["space"],
    modules: [
      "host/node/code/evaluation",
      "host/node/code/program",
      "executor/capture/capture-part",
      "executor/propagation",
      "platform/worker/handler-part",
      "platform/worker/job-part",
      "structured/scope-module",
      "task/",
    ],
  },
  // Tasks for several items at once, and what went wrong.
  {
    name: "outcomes",
    after: ["task"],
    modules: ["future/merge-stacks", "task/chunk-outcome", "task/portable-error", "task/some", "task/transfer-list"],
  },
  {
    name: "task-text",
    after: ["task"],
    modules: [
      "host/node/code/files",
      "host/node/code/paths",
      "host/node/code/scripts",
      "task/compile",
      "task/load-failure",
      "task/origin",
      "task/position",
      "task/source",
      "task/vite-imports",
    ],
  },
  // Numbers and texts; then all other values, which many tasks neither get nor return.
  {
    name: "codec",
    after: ["memory"],
    modules: [
      "codec/arguments",
      "codec/bytes/bulk",
      "codec/bytes/encoded-value",
      "codec/bytes/tags",
      "codec/bytes/texts",
      "codec/bytes/views",
      "codec/codec",
      "codec/kept-methods",
    ],
  },
  { name: "values", after: ["codec"], modules: ["codec/", "host/node/values/classes"] },
  { name: "shared-queue", after: ["lock", "values", "heap"], modules: ["memory/structures/byte-store", "queue/"] },
  // What the entry `corepool` has besides.
  {
    name: "main",
    after: ["pool", "sharing", "sync", "task"],
    modules: [
      "dump/thread",
      "events/channels",
      "events/subscriptions",
      "executors",
      "host/node/runtime/diagnostics",
      "platform/member/equip",
      "platform/member/known-classes",
      "platform/pools",
      "platform/provide",
      "forkjoin/task/counted-completer",
      "forkjoin/task/fork",
      "forkjoin/fork-join-pool",
      "forkjoin/fork-join-status",
      "forkjoin/task/fork-join-task",
      "forkjoin/task/future-view",
      "forkjoin/task/invoke-all",
      "forkjoin/task/life",
      "forkjoin/task/recursive-task",
      "forkjoin/task/this-thread",
      "structured/fork-call",
      "structured/joiner",
      "structured/remote",
      "structured/scoped-value",
      "structured/scopes",
      "structured/sending",
      "structured/structured-task-scope",
    ],
  },
  // The entry `distributed`, and what threads need of it.
  {
    name: "job",
    after: ["values", "task"],
    modules: ["distributed/job/failure", "distributed/node/job-in-thread", "distributed/job/payload"],
  },
  { name: "distributed", after: ["job", "pool"], modules: ["distributed/", "host/node/server/server"] },
  // How threads are started, which is done before the rest is loaded; of which threads themselves need what keeps code.
  { name: "kept-code", after: ["base"], modules: ["host/node/threads/worker-source", "platform/start/worker-code"] },
  {
    name: "start",
    after: ["kept-code"],
    modules: [
      "host/node/threads/thread-start",
      "platform/start/thread-ahead",
      "platform/start/worker-start",
      "thread/platform-threads",
    ],
  },
  // Pools of platform threads: what all threads need, what the thread needs that makes a pool, and what the pool's own threads need.
  {
    name: "platform",
    after: ["codec", "core", "kept-code", "task"],
    modules: ["host/node/code/loader-fitness", "host/node/threads/output", "platform/", "worker-program/"],
  },
  {
    name: "owner",
    after: ["platform", "pool", "start"],
    modules: [
      "platform/member/pool-threads",
      "platform/memory/workers/quiet",
      "platform/memory/workers/reaping",
      "platform/memory/workers/recount",
      "platform/owner/extras",
      "platform/owner/foreign-work",
      "platform/owner/half-done",
      "platform/submit/inbox",
      "platform/submit/short-waits",
      "platform/owner/worker-threads",
      "platform/owner/worker-reaper",
      "platform/owner/dead-worker",
      "platform/member/orphans",
      "platform/owner/teardown-limits",
      "platform/owner/termination-timer",
      "platform/owner/held-up-threads",
      "platform/owner/thread-events",
      "platform/owner/forgotten-pools",
      "platform/owner/hooks",
      "platform/member/no-queue",
      "platform/submit/outgoing",
      "platform/member/policies",
      "platform/member/pool-member",
      "platform/owner/pool-owner",
      "platform/submit/remote-futures",
      "platform/submit/results",
      "platform/submit/submissions",
      "platform/submit/taken-tasks",
      "platform/queue/taker",
      "platform/submit/task-calls",
      "platform/member/task-queue-backend",
      "platform/start/thread-body",
      "platform/member/timed-task-queue",
    ],
  },
  {
    name: "worker",
    after: ["platform"],
    modules: [
      "host/node/threads/farewell",
      "host/node/threads/memory-guard",
      "host/node/code/typescript",
      "platform/worker/running-tasks",
      "platform/memory/workers/run-times",
      "platform/worker/periodic-runs",
      "platform/worker/slot-runner",
      "platform/worker/stopping-runner",
      "platform/worker/teardown",
      "platform/worker/wear",
      "platform/worker/unannounced-promises",
      "platform/worker/worker-hooks",
      "worker-program/worker-main",
      "platform/worker/worker-preload",
      "worker-program/worker-program",
    ],
  },
  { name: "typescript", after: ["base"], modules: ["host/node/code/typescript-hooks"] },
  { name: "task-queues", after: ["elements"], modules: ["platform/member/timed-task-core", "pool/own-queue-core"] },
  {
    name: "timed",
    after: ["platform", "lock", "heap"],
    modules: ["platform/queue/delayed-task-queue", "platform/memory/slot-heap", "platform/queue/slot-timetable"],
  },
  {
    name: "guest",
    after: ["owner"],
    modules: ["platform/worker/foreign-task", "platform/platform-thread-per-task", "platform/member/pool-guest"],
  },
  {
    name: "forkjoin",
    after: ["guest", "main", "values"],
    modules: ["forkjoin/", "platform/queue/deques", "platform/queue/slot-deque", "platform/queue/stealing-store"],
  },
  { name: "parallel", after: ["forkjoin"], modules: ["parallel/"] },
  {
    name: "rest",
    after: ["worker", "parallel"],
    modules: ["forkjoin/worker/fork-join-runner", "parallel/all-parts", "worker-program/all-classes"],
  },
]

export class ChunkTable {
  readonly #rules: ReadonlyMap<string, ChunkRule>
  readonly #modules = new Map<string, string>()
  readonly #folders = new Map<string, string>()

  constructor(rules: readonly ChunkRule[]) {
    this.#rules = new Map(rules.map((rule) => [rule.name, rule]))
    for (const { name, modules } of rules) {
      for (const module of modules) {
        const [map, key] = module.endsWith("/") ? [this.#folders, module] : [this.#modules, `${module}.js`]
        if (map.has(key)) throw new Error(`${module} is in ${map.get(key)} and in ${name}`)
        map.set(key, name)
      }
    }
  }

  /** The names of all files. */
  get names(): string[] {
    return [...this.#rules.keys()]
  }

  /** The name of the file that has a module, given by its path. */
  chunkOf(module: string): string {
    const chunk = this.#modules.get(module) ?? this.#folders.get(module.slice(0, module.indexOf("/") + 1))
    if (chunk === undefined) throw new Error(`${module} is in no file: name it in tools/bundle/chunk-table.ts`)
    return chunk
  }

  /** The file, after all those that are loaded before it. */
  loadedBy(chunk: string): Set<string> {
    const loaded = new Set<string>()
    for (const earlier of this.#rules.get(chunk)?.after ?? []) this.loadedBy(earlier).forEach((it) => loaded.add(it))
    return loaded.add(chunk)
  }

  /** Whether a file is always loaded before another one. */
  isBefore(chunk: string, other: string): boolean {
    const { after = [] } = this.#rules.get(other) ?? {}
    return after.some((earlier) => earlier === chunk || this.isBefore(chunk, earlier))
  }
}
