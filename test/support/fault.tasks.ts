/**
 * The tasks of the tests of faults. They write into a file, the ledger, when they begin and end: it survives whatever is killed. A task that waits at a
 * gate waits for a file of that name.
 */
import { task, Thread } from "corepool"
import { currentJob } from "corepool/distributed"
import { appendFileSync, existsSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"

/** The folder of the ledger and of the gates, for the processes of one test. */
export const FOLDER = "COREPOOL_TEST_FAULTS"
/** The name of the process, for the ledger. */
export const NODE = "COREPOOL_TEST_NODE"

/** A line of the ledger. */
export interface Entry {
  readonly event: "start" | "end"
  readonly key: string
  readonly id: string
  readonly attempt: number
  /** How many nodes have died with it before. */
  readonly deaths: number
  readonly node: string
}

/** One write of a short line at the end of a file: lines of several processes do not mix, and stand in the order in which they were written. */
function note(event: Entry["event"], key: string): void {
  const { id = "", attempt = 0, deaths = 0 } = currentJob() ?? {}
  const entry: Entry = { event, key, id, attempt, deaths, node: process.env[NODE] ?? "" }
  appendFileSync(join(process.env[FOLDER] ?? "", "ledger"), `${JSON.stringify(entry)}\n`)
}

function isOpen(gate: string): boolean {
  return existsSync(join(process.env[FOLDER] ?? "", `gate-${gate}`))
}

export const work = task(import.meta.url, function work(key: string): string {
  note("start", key)
  note("end", key)
  return key
})

/** The same, and takes a moment. */
export const workAwhile = task(import.meta.url, async function workAwhile(key: string): Promise<string> {
  note("start", key)
  await pause(5)
  note("end", key)
  return key
})

export const hold = task(import.meta.url, async function hold(key: string): Promise<string> {
  note("start", key)
  while (!isOpen(key)) await Thread.sleep(5)
  note("end", key)
  return key
})

/** Takes a moment; on the node of that name, it stays there for ever once the gate is open. */
export const workUnlessOn = task(
  import.meta.url,
  async function workUnlessOn(key: string, node: string): Promise<void> {
    note("start", key)
    await pause(2)
    if (process.env[NODE] === node && isOpen(key)) {
      note("start", "stuck")
      for (;;) await Thread.sleep(1000)
    }
    note("end", key)
  },
)

/** Blocks the event loop of its thread until the gate is open, but only the first time. Gives on which node it was. */
export const block = task(import.meta.url, function block(key: string): string {
  note("start", key)
  while (currentJob()?.deaths === 0 && !isOpen(key)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
  note("end", key)
  return process.env[NODE] ?? ""
})

/** Kills every node that it meets. */
export const kill = task(import.meta.url, function kill(key: string): never {
  note("start", key)
  process.kill(process.pid, "SIGKILL")
  for (;;);
})

/** Kills the first node when it has done its work, and before the node can tell of that. */
export const workThenKill = task(import.meta.url, function workThenKill(key: string): string {
  note("start", key)
  note("end", key)
  if (currentJob()?.deaths === 0) process.kill(process.pid, "SIGKILL")
  return key
})

export const fail = task(import.meta.url, function fail(key: string): never {
  note("start", key)
  throw new RangeError(key)
})

export const text = task(import.meta.url, function text(length: number): string {
  return "x".repeat(length)
})

export const lengthOf = task(import.meta.url, function lengthOf(given: string): number {
  return given.length
})
