import type { DumpedThread, ThreadContainer, ThreadDump } from "../thread/thread-dump.ts"

/** The dump as a text: a line for each group and each thread, indented by the tree of scopes. */
export function textOf(dump: ThreadDump): string {
  const lines = [`Threads of corepool, ${dump.time}`]
  for (const container of dump.threadContainers) {
    if (container.parent === null) append(lines, container, dump.threadContainers, "")
  }
  for (const names of dump.deadlocks) {
    lines.push(
      "",
      `Deadlock: ${names.map((name, i) => `${name} waits for ${names[(i + 1) % names.length]}`).join(", ")}`,
    )
  }
  return lines.join("\n")
}

function append(lines: string[], container: ThreadContainer, all: readonly ThreadContainer[], indent: string): void {
  lines.push("", indent + titleOf(container))
  const inner = `${indent}  `
  for (const thread of container.threads) {
    lines.push(inner + lineOf(thread))
    for (const { object, owner } of thread.waitsFor ?? []) {
      lines.push(`${inner}  waits for ${object}${owner === undefined ? "" : `, which ${owner} has`}`)
    }
  }
  for (const { task, thread } of container.forks ?? []) {
    lines.push(`${inner}fork ${task}${thread === undefined ? "" : ` on ${thread}`}`)
  }
  for (const child of all) if (child.parent === container.container) append(lines, child, all, inner)
}

function titleOf({ container, kind, owner, queued, threadCount }: ThreadContainer): string {
  const of = owner === null ? "" : `, opened by ${owner}`
  const waiting = queued === undefined ? "" : `, ${queued} queued`
  return `${kind === "root" ? container : `${kind} ${container}`}${of}: ${threadCount} threads${waiting}`
}

function lineOf({ tid, name, virtual, state, interrupted, task }: DumpedThread): string {
  const kind = virtual ? "virtual" : "platform"
  return `#${tid} "${name}" ${kind} ${state}${interrupted ? " interrupted" : ""}${task === undefined ? "" : `: ${task}`}`
}
