/** A browser of its own for each contender, and how long the main thread of its page has worked. */
import { spawn } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { argsFor, type BrowserName } from "../../tools/runtimes/browser/browsers.ts"

export interface Visitor extends AsyncDisposable {
  /** By process of the browser that shows pages: the milliseconds that its main thread has worked. */
  mainThreads(): ReadonlyMap<number, number>
}

export function visit(name: BrowserName, program: string, url: string): Visitor {
  const profile = mkdtempSync(join(tmpdir(), "corepool-bench-"))
  // It leads a group of processes, and ends with all of them.
  const child = spawn(program, argsFor(name, profile, url), { cwd: profile, stdio: "ignore", detached: true })
  const group = child.pid ?? NaN
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  return {
    mainThreads: () => new Map(pagesIn(group).map((pid) => [pid, timeOf(pid)])),
    [Symbol.asyncDispose]: async () => {
      process.kill(-group, "SIGKILL")
      await ended
      rmSync(profile, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

/** How much more of the main thread the page has used since then; undefined where the system does not tell. */
export function workedSince(before: ReadonlyMap<number, number>, now: ReadonlyMap<number, number>): number | undefined {
  const more = [...now].map(([pid, time]) => time - (before.get(pid) ?? 0))
  // The other processes belong to empty pages, which a browser keeps in store.
  return more.length === 0 ? undefined : Math.max(...more)
}

/** Linux lists its processes; other systems are asked nothing. */
function pagesIn(group: number): number[] {
  if (process.platform !== "linux") return []
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry) && groupOf(entry) === group && isForPages(read(`/proc/${entry}/cmdline`)))
    .map(Number)
}

function groupOf(pid: string): number {
  const stat = read(`/proc/${pid}/stat`)
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[2])
}

/** Chromium's, or Firefox's. */
function isForPages(commandLine: string): boolean {
  return /--type=renderer|-contentproc.*\0tab\0/.test(commandLine)
}

/** The time on a processor of the first thread of a process, which is the main thread of its page. */
function timeOf(pid: number): number {
  return Number(read(`/proc/${pid}/schedstat`).split(" ")[0]) / 1e6
}

/** A process may end while it is looked at. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return ""
    throw error
  }
}
