/**
 * Which public names have no comment, [RP63] in docs/spec/repository.md, and which have no example though they should, [RP65].
 *
 * A member that overrides or implements a documented one needs no comment of its own: editors and the reference show the one of the base.
 */
import { listFiles, readText } from "../check/files.ts"
import type { Declarations, Place } from "./declarations.ts"

/** The classes that a program meets first. */
const HEADLINES: readonly string[] = [
  "AbstractQueuedSynchronizer",
  "AtomicInteger",
  "CountDownLatch",
  "CyclicBarrier",
  "DistributedExecutor",
  "Exchanger",
  "ExecutorCompletionService",
  "Executors",
  "ForkJoinPool",
  "FutureTask",
  "LinkedBlockingQueue",
  "Phaser",
  "RateLimiter",
  "RecursiveTask",
  "ReentrantLock",
  "ReentrantReadWriteLock",
  "ScheduledThreadPoolExecutor",
  "Semaphore",
  "Thread",
  "ThreadPoolExecutor",
]

export interface Undocumented {
  readonly name: string
  readonly line: number
}

export function undocumented(declarations: Declarations): Undocumented[] {
  const found = new Map<string, number>()
  const exported = new Map<string, string>()
  for (const { exports } of declarations.entries)
    for (const { name, local } of exports) if (!exported.has(local)) exported.set(local, name)

  for (const [local, name] of exported) {
    const all = declarations.of(local)
    const isDocumented = (it: Place): boolean => declarations.comment(it) !== undefined
    const functions = all.filter((it) => it.type === "TSDeclareFunction" || it.type === "FunctionDeclaration")
    const missing =
      functions.length > 0 ? functions.filter((it) => !isDocumented(it)) : all.some(isDocumented) ? [] : all
    for (const it of missing) found.set(`${name}@${declarations.line(it)}`, declarations.line(it))
  }
  for (const local of withBases(declarations, [...exported.keys()])) {
    for (const declaration of declarations.of(local)) {
      const members = declarations.members(declaration)
      for (const { key, node, isTrivial } of members) {
        if (isTrivial || hasComment(declarations, local, key, node)) continue
        found.set(`${exported.get(local) ?? local}.${key}@${declarations.line(node)}`, declarations.line(node))
      }
    }
  }
  return [...found]
    .map(([name, line]) => ({ name: name.slice(0, name.lastIndexOf("@")), line }))
    .toSorted((a, b) => a.line - b.line)
}

/** The headline classes whose comment in src has no example. (The published types have none: tools/bundle/packed-comments.ts.) */
export function withoutExample(root: string): string[] {
  const texts = listFiles(root, "src", ".ts").map((path) => readText(root, path))
  return HEADLINES.filter((name) => {
    const declaration = new RegExp(
      `@example\\n(?:(?! \\*/).*\\n)* \\*/\\nexport (?:abstract )?(?:class|const) ${name}\\b`,
    )
    return !texts.some((text) => declaration.test(text))
  })
}

/** The names and all that they take members from. */
export function withBases(declarations: Declarations, names: readonly string[]): Set<string> {
  const all = new Set(names)
  for (const name of all)
    for (const declaration of declarations.of(name)) for (const base of declarations.bases(declaration)) all.add(base)
  return all
}

/** Its own, that of the other half of an accessor, or that of the member of a base with the same name. */
function hasComment(declarations: Declarations, local: string, key: string, node: Place): boolean {
  if (declarations.comment(node) !== undefined) return true
  if (key === "constructor") return false
  const isOverload = (it: Place): boolean => it !== node && !isAccessor(it)
  for (const name of withBases(declarations, [local])) {
    for (const declaration of declarations.of(name)) {
      for (const member of declarations.members(declaration)) {
        if (member.key !== key || (name === local && isOverload(member.node))) continue
        if (declarations.comment(member.node) !== undefined) return true
      }
    }
  }
  return false
}

function isAccessor(it: Place): boolean {
  return it.type === "MethodDefinition" && (it.kind === "get" || it.kind === "set")
}
