/**
 * The architecture, read from the imports of src: [RP1] to [RP5], [RP35], [RP39], [RP61], [RP74] and [RP75] in
 * docs/spec/repository.md.
 *
 * Imports of types count like any other: they vanish when compiled, but a layer that knows another's types cannot be
 * understood without it. Only inside a folder may they close a circle. A policy names the type of the pool it serves
 * and the pool uses the policy, and a file of types between the two would explain neither.
 *
 * What does not count: the URL from which a worker is started. That is another program, with a graph of its own.
 */
import { posix } from "node:path"
import { listFiles, readText } from "./files.ts"
import type { Finding } from "./finding.ts"
import { type Import, Source } from "./source.ts"

/**
 * Every folder of src, from the bottom to the top; the files directly in src stand here by their names. A file imports from its own
 * folder and from those before it, so folders cannot form a circle.
 */
const FOLDERS: readonly string[] = [
  // What needs no threads and no shared memory.
  ...["primordials", "per-thread", "error-names", "checks", "errors", "user-values", "identity", "inspection"],
  "observing",
  // What is the runtime's, and the clocks on it.
  "host",
  ...["host/node/runtime", "host/node/values", "host/node/code", "host/node/threads", "host/node/server"],
  ...["host/browser/runtime", "host/browser/values", "host/browser/code", "host/browser/threads"],
  "time",
  // Words of shared memory, waiting, and structures of words.
  ...["memory", "memory/flow", "memory/thread", "memory/wait", "memory/shared", "memory/structures"],
  // Values as bytes.
  ...["codec/bytes", "codec"],
  // Synchronizers, queues and futures.
  ...["atomic", "lock", "sync", "queue/local", "queue/base", "queue/shared", "queue", "future"],
  // Functions that other threads can find, threads, executors.
  ...["task", "thread", "executor/capture", "executor", "executor/retry"],
  ...["executor/completion", "executor/map", "executor/service"],
  // The algorithm of a pool, which knows no threads; pools, schedules and scopes on virtual threads.
  ...["core", "pool/engine", "pool/virtual", "pool", "schedule", "structured", "virtual"],
  // Pools of worker threads.
  ...[
    "platform/memory",
    "platform/memory/workers",
    "platform/queue",
    "platform/transport",
    "platform/submit",
    "platform/start",
  ],
  ...["platform/worker", "platform/member", "platform/owner"],
  // What happens in pools, for code that listens.
  "events",
  "platform",
  ...["forkjoin/task", "forkjoin/worker", "forkjoin", "parallel"],
  // What threads do and wait for, at one moment.
  "dump",
  // The program of a worker thread.
  "worker-program",
  // The factories, and what stands on them.
  "executors",
  ...["distributed/job", "distributed/submitter", "distributed", "distributed/node"],
  ...["distributed/bullmq", "distributed/bullmq/postgres", "distributed/bullmq/redis"],
  ...["compat/in-thread", "compat/piscina", "compat/workerpool", "compat/p-queue", "compat/mutex", "compat"],
  ...["prometheus", "monitor", "trace", "otel", "testing"],
]

/**
 * What a program that has virtual threads alone does not load: whatever is not named here. The folders and files of src, and the
 * modules of the runtime, which a browser would have to replace. (The calendar asks for the last two, for its optional peer.)
 */
const VIRTUAL_ENTRY = "src/virtual/index.ts"
const OF_VIRTUAL_THREADS = new Set([
  "executor",
  "future",
  "pool",
  "queue",
  "schedule",
  "structured",
  "thread",
  "time",
  "virtual",
])
const ALSO_OF_VIRTUAL_THREADS =
  /^src\/(?:[^/]+\.ts|core\/[^/]+\.ts|host\/timers\.ts|host\/node\/(?:runtime\/(?:clock|context|ownership|runtime|warnings)|code\/packages|values\/values)\.ts|memory\/(?:flow\/(?:abort|flow|guard|internals|wait-list|waiting)|structures\/(?:counter|histogram|indexed-heap)|thread\/block-for|shared\/shareables|atomics|words)\.ts|task\/each\.ts)$/
const NOT_OF_VIRTUAL_THREADS = /^src\/(?:queue\/share|future\/merge-stacks|thread\/platform-threads)/
const RUNTIME_OF_VIRTUAL_THREADS = new Set(["node:async_hooks", "node:timers", "node:module", "node:path", "node:util"])

const SHARED_MEMORY = new Set(["Atomics", "SharedArrayBuffer"])
/** What the build puts in the place of both, for browsers. */
const SHARED_MEMORY_OF_BROWSERS = "src/host/browser/runtime/shared-memory.ts"

/** What a program may put its own in the place of, while corepool goes on with the runtime's. */
const TIME = new Set([
  "setTimeout",
  "clearTimeout",
  "setInterval",
  "clearInterval",
  "setImmediate",
  "clearImmediate",
  "queueMicrotask",
  "nextTick",
  "performance",
  "hrtime",
  "structuredClone",
])
const TIME_MEMBERS = new Set(["Date.now"])
const HOME_OF_TIME = "src/host/node/runtime/clock.ts"
/** In browsers the clock takes them from the global scope, whose types are in a file of their own. */
const TIME_OF_BROWSERS = new Set(["src/host/browser/runtime/clock.ts", "src/host/browser/runtime/globals.ts"])

/**
 * The methods of functions, which a program may take away. The home of time uses them when it is loaded; BullMQ does
 * not work without them, and its clients have
 * methods of these names.
 */
const FUNCTION_METHODS = new Set(["call", "apply", "bind"])
const HOME_OF_FUNCTIONS = "src/primordials.ts"
const USES_BULLMQ = "src/distributed/bullmq/"

/** What a browser does not have, or has in another way. */
const OF_RUNTIME = new Set([
  ...["process", "Buffer", "NodeJS", "require", "__filename", "__dirname", "Bun", "Deno"],
  ...["AsyncLocalStorage", "MessageChannel", "MessagePort", "BroadcastChannel", "Transferable"],
])
const HOST = "src/host/"
/** How files outside of src/host name its modules: package.json chooses the folder of the host. */
const HOST_ALIAS = "#host/"
/** Says which runtime this is. */
const WHICH_RUNTIME = "src/host/node/runtime/runtime.ts"

interface Module {
  readonly path: string
  readonly source: Source
  /**
   * The imports that lead to files of src, by path; of several that lead to one file, the first that is more than a
   * type.
   */
  readonly targets: Map<string, Import>
  /** The imports that lead elsewhere. */
  readonly foreign: readonly Import[]
}

export function checkArchitecture(root: string): Finding[] {
  const manifest = readManifest(root)
  const findings: Finding[] = []
  const modules = new Map<string, Module>()
  for (const path of listFiles(root, "src", ".ts")) {
    const source = new Source(root, path)
    const targets = new Map<string, Import>()
    const foreign: Import[] = []
    for (const used of source.imports()) {
      const target = resolve(path, used.specifier, manifest)
      if (target === undefined) {
        foreign.push(used)
        findings.push(...checkForeign(path, used, manifest))
      } else if (targets.get(target)?.isType !== false) targets.set(target, used)
    }
    modules.set(path, { path, source, targets, foreign })
  }
  for (const module of modules.values()) {
    findings.push(...checkLayers(module), ...checkSharedMemory(module), ...checkTime(module), ...checkCalls(module))
    findings.push(...checkHost(module))
  }
  return [...findings, ...checkVirtual(modules), ...findCycles(modules)]
}

function checkLayers({ path, targets }: Module): Finding[] {
  if (isEntry(path)) return []
  const unit = unitOf(path)
  const layer = layerOf(path)
  if (layer === -1)
    return [{ where: path, what: `${unit} stands in no layer: add it to FOLDERS in tools/check/architecture.ts` }]
  const findings: Finding[] = []
  for (const [target, { line }] of targets) {
    const where = `${path}:${line}`
    if (isEntry(target)) findings.push({ where, what: `imports ${target}: only an index.ts imports an index.ts` })
    else if (layerOf(target) > layer) {
      findings.push({ where, what: `${unit} imports ${target}: ${unitOf(target)} stands above it` })
    }
  }
  return findings
}

function checkSharedMemory({ path, source }: Module): Finding[] {
  if (path.startsWith("src/memory/") || path === SHARED_MEMORY_OF_BROWSERS) return []
  return source.identifiers(SHARED_MEMORY).map(({ line, text }) => ({
    where: `${path}:${line}`,
    what: `names ${text}: only src/memory does`,
  }))
}

function checkTime({ path, source }: Module): Finding[] {
  if (path === HOME_OF_TIME || TIME_OF_BROWSERS.has(path)) return []
  return [...source.identifiers(TIME), ...source.members(TIME_MEMBERS)].map(({ line, text }) => ({
    where: `${path}:${line}`,
    what: `names ${text}: a program may replace it, use that of ${HOME_OF_TIME}`,
  }))
}

function checkHost({ path, source, targets, foreign }: Module): Finding[] {
  if (path.startsWith(HOST)) return []
  const findings: Finding[] = []
  for (const [target, { specifier, line }] of targets) {
    if (!target.startsWith(HOST)) continue
    const where = `${path}:${line}`
    if (!specifier.startsWith(HOST_ALIAS))
      findings.push({ where, what: `imports ${specifier}: name it ${HOST_ALIAS}…` })
    if (target === WHICH_RUNTIME)
      findings.push({ where, what: `asks which runtime this is: only ${HOST} does, and offers what differs` })
  }
  for (const { specifier, line } of foreign) {
    if (specifier.startsWith("node:"))
      findings.push({ where: `${path}:${line}`, what: `imports ${specifier}: only ${HOST} does` })
  }
  const told = new Set<string>()
  for (const { line, text } of source.identifiers(OF_RUNTIME)) {
    const where = `${path}:${line}`
    const what = `names ${text}, which is the runtime's: only ${HOST} does`
    if (!told.has(where + what)) findings.push({ where, what })
    told.add(where + what)
  }
  return findings
}

function checkCalls({ path, source }: Module): Finding[] {
  if (path === HOME_OF_FUNCTIONS || path === HOME_OF_TIME || path.startsWith(USES_BULLMQ)) return []
  return source.memberCalls(FUNCTION_METHODS).map(({ line, text }) => ({
    where: `${path}:${line}`,
    what: `calls ${text}(): a program may take it away, use what ${HOME_OF_FUNCTIONS} has`,
  }))
}

/**
 * The runtime has no dependency: what is not ours is Node's or an optional peer. Of a peer only types are imported: a bundler that saw an
 * `import` would demand that the peer be installed, or take it into the package.
 */
function checkForeign(path: string, { specifier, line, isType }: Import, manifest: Manifest): Finding[] {
  if (specifier.startsWith("node:")) return []
  const where = `${path}:${line}`
  const packageName = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/")
  if (!manifest.peers.has(packageName))
    return [{ where, what: `imports ${specifier}: neither in src, nor node:, nor an optional peer` }]
  return isType
    ? []
    : [{ where, what: `imports ${specifier}, an optional peer, which is looked for when it is needed` }]
}

/**
 * Depth first; the way back to a file that is still being visited is a cycle. Each is told once, from where it was
 * found.
 */
function findCycles(modules: ReadonlyMap<string, Module>): Finding[] {
  const findings: Finding[] = []
  const done = new Set<string>()
  const trail: string[] = []
  const visit = (path: string): void => {
    const start = trail.indexOf(path)
    if (start !== -1) {
      const cycle = [...trail.slice(start), path].map((step) => step.slice("src/".length))
      findings.push({ where: path, what: `imports go in a circle: ${cycle.join(" → ")}` })
      return
    }
    if (done.has(path)) return
    trail.push(path)
    for (const [target, { isType }] of modules.get(path)?.targets ?? []) {
      if (!isType || unitOf(target) !== unitOf(path)) visit(target)
    }
    trail.pop()
    done.add(path)
  }
  for (const path of modules.keys()) visit(path)
  return findings
}

/** What can be reached from the entry of virtual threads, by imports that are more than types. [RP39] */
function checkVirtual(modules: ReadonlyMap<string, Module>): Finding[] {
  const findings: Finding[] = []
  const seen = new Set([VIRTUAL_ENTRY])
  for (const path of seen) {
    const module = modules.get(path)
    for (const { specifier, line, isType } of module?.foreign ?? []) {
      if (isType || !specifier.startsWith("node:") || RUNTIME_OF_VIRTUAL_THREADS.has(specifier)) continue
      findings.push({ where: `${path}:${line}`, what: `imports ${specifier}, and is loaded by ${VIRTUAL_ENTRY}` })
    }
    for (const [target, { line, isType }] of module?.targets ?? []) {
      if (isType || seen.has(target)) continue
      if (isOfVirtualThreads(target)) seen.add(target)
      else findings.push({ where: `${path}:${line}`, what: `imports ${target}, and is loaded by ${VIRTUAL_ENTRY}` })
    }
  }
  return findings
}

function isOfVirtualThreads(path: string): boolean {
  if (NOT_OF_VIRTUAL_THREADS.test(path)) return false
  return ALSO_OF_VIRTUAL_THREADS.test(path) || OF_VIRTUAL_THREADS.has(path.split("/")[1] ?? "")
}

/** `src/index.ts` and the index of a public folder stand on top of everything. */
function isEntry(path: string): boolean {
  return posix.basename(path) === "index.ts"
}

/** The folder of src, or the file directly in it, that a path belongs to: `memory/flow`, `errors`. */
function unitOf(path: string): string {
  const inside = path.slice("src/".length)
  return inside.includes("/") ? posix.dirname(inside) : inside.replace(/\.ts$/, "")
}

function layerOf(path: string): number {
  return FOLDERS.indexOf(unitOf(path))
}

interface Manifest {
  readonly name: string
  /** `#atomics` → `src/memory/atomics.ts`; a `*` stands for the rest. */
  readonly imports: ReadonlyMap<string, string>
  readonly peers: ReadonlySet<string>
}

function readManifest(root: string): Manifest {
  const manifest = JSON.parse(readText(root, "package.json")) as {
    name?: string
    imports?: Record<string, string | Record<string, string>>
    peerDependencies?: Record<string, string>
  }
  const imports = Object.entries(manifest.imports ?? {}).map(([name, target]): [string, string] => [
    name,
    sourceOf((typeof target === "string" ? target : target["default"]) ?? ""),
  ])
  return {
    name: manifest.name ?? "",
    imports: new Map(imports),
    peers: new Set(Object.keys(manifest.peerDependencies ?? {})),
  }
}

/** The file of src behind a specifier; undefined if there is none. */
function resolve(from: string, specifier: string, manifest: Manifest): string | undefined {
  if (specifier.startsWith(".")) return posix.join(posix.dirname(from), specifier)
  if (specifier === manifest.name) return "src/index.ts"
  if (specifier.startsWith(`${manifest.name}/`)) return `src/${specifier.slice(manifest.name.length + 1)}/index.ts`
  for (const [name, target] of manifest.imports) {
    if (specifier === name) return target
    const prefix = name.endsWith("*") ? name.slice(0, -1) : undefined
    if (prefix !== undefined && specifier.startsWith(prefix)) {
      return sourceOf(target.replace("*", specifier.slice(prefix.length)))
    }
  }
  return undefined
}

function sourceOf(built: string): string {
  return built.replace(/^\.\/build\/src\//, "src/").replace(/\.js$/, ".ts")
}
