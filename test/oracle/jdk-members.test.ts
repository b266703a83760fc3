/** That nothing of the JDK's classes is missing without a word. Rule ids are those of docs/spec/oracle.md. */
import * as corepool from "corepool"
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { test } from "node:test"
import { JDK_MEMBERS } from "./jdk-members.ts"

/** Abstract, so there is nothing of it to be found at run time. */
const ABSTRACT: ReadonlySet<string> = new Set([
  "RecursiveTask.compute",
  "RecursiveAction.compute",
  "CountedCompleter.compute",
])

/** Where the members of a class or of an interface are. */
function homesOf(name: string): readonly object[] {
  const lock = new corepool.ReentrantReadWriteLock()
  const { FutureTask, ScheduledThreadPoolExecutor, ThreadPoolExecutor } = corepool
  const others: Readonly<Record<string, object>> = {
    ReadLock: lock.readLock,
    WriteLock: lock.writeLock,
    Condition: lock.writeLock.newCondition(),
    Executor: ThreadPoolExecutor.prototype,
    ExecutorService: ThreadPoolExecutor.prototype,
    ScheduledExecutorService: ScheduledThreadPoolExecutor.prototype,
    Future: FutureTask.prototype,
  }
  const home = others[name] ?? (corepool as unknown as Record<string, object>)[name]
  assert.ok(home !== undefined, name)
  return typeof home === "function" ? [home, home.prototype as object] : [home]
}

/** `getX` and `setX` are the property `x` here; `isX` and `allowsX` may be. */
function namesFor(member: string): string[] {
  const property = member.replace(/^(?:get|set)(?=[A-Z])/, "")
  return [member, property.charAt(0).toLowerCase() + property.slice(1), member.replace(/^allows/, "allow")]
}

/** Members by class, as the table says that they are different or not there. */
function told(): Map<string, Set<string>> {
  const markdown = readFileSync(new URL("../../../docs/from-java.md", import.meta.url), "utf8")
  const section = markdown.split("\n## Members under another name, or none\n")[1]?.split("\n## ")[0] ?? ""
  const rows = section.split("\n").filter((line) => line.startsWith("| `"))
  const found = new Map<string, Set<string>>()
  for (const row of rows) {
    const [classes = "", members = ""] = row.slice(1).split("|")
    for (const name of quotedIn(classes)) {
      const all = found.get(name) ?? new Set()
      for (const member of quotedIn(members)) all.add(member)
      found.set(name, all)
    }
  }
  return found
}

function quotedIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text as string)
}

test("[OR22] every member of the JDK's classes is here by its name, or docs/from-java.md says what is instead; and no row is out of date", () => {
  const rows = told()
  const missing: string[] = []
  const stale: string[] = []
  for (const [name, members] of Object.entries(JDK_MEMBERS)) {
    const homes = homesOf(name)
    for (const member of members.split(" ")) {
      const full = `${name}.${member}`
      const isHere = ABSTRACT.has(full) || homes.some((home) => namesFor(member).some((known) => known in home))
      const isTold = rows.get(name)?.delete(member) === true
      if (!isHere && !isTold) missing.push(full)
      if (isHere && isTold) stale.push(full)
    }
  }
  assert.deepEqual(missing, [])
  assert.deepEqual(stale, [])
  assert.deepEqual(
    [...rows].flatMap(([name, members]) => [...members].map((member) => `${name}.${member}`)),
    [],
    "rows about what is no member",
  )
})
