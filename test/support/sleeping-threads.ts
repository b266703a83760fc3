/**
 * Shows that threads sleep: the kernel counts, to the nanosecond, how long each thread of a process has run. A thread whose count
 * stays the same has not run at all, however busy the machine is. A thread that polls or spins never stays the same.
 */
import { readdirSync, readFileSync } from "node:fs"
import type { TestContext } from "node:test"

const TASKS = "/proc/self/task"

/** How long a thread has to sleep without a break, in ms: longer than anything that polls would. */
const SPAN = 200

/** How often a thread may have run at that: it only turns a test that would hang into one that fails. */
const LOOKS = 300

/** The kernel's count for each thread, by the number of the thread. */
function runTimes(): Map<string, string> {
  const times = new Map<string, string>()
  for (const thread of readdirSync(TASKS)) {
    try {
      times.set(thread, readFileSync(`${TASKS}/${thread}/schedstat`, "utf8"))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== "ENOENT" && code !== "ESRCH") throw error // the thread has ended since the folder was read
    }
  }
  return times
}

/** The threads of this process, by the numbers that the kernel gives them. */
export function threadNumbers(): ReadonlySet<string> {
  return new Set(runTimes().keys())
}

/** Resolves when no thread has run for a while that has begun after `earlier` was taken: never happens if one of them polls. */
export async function untilAsleep(earlier: ReadonlySet<string>): Promise<void> {
  for (let looks = 0; looks < LOOKS; looks++) {
    const before = runTimes()
    await new Promise((resolve) => setTimeout(resolve, SPAN))
    const ran = [...runTimes()].filter(([thread, time]) => !earlier.has(thread) && before.get(thread) !== time)
    if (ran.length === 0) return
  }
  throw new Error("Some threads never sleep")
}

/** Skips the test where the kernel does not count: false. */
export function canSeeThreads(t: TestContext): boolean {
  if (process.platform === "linux") return true
  t.skip("only Linux says how long each thread of a process has run")
  return false
}
