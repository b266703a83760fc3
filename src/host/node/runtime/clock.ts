import { clearTimeout, setImmediate, setInterval, setTimeout } from "node:timers"
import { perThread } from "../../../per-thread.ts"
import { type Clocks, type ProgramTimers, unfaked } from "../../timers.ts"
import { isNode } from "./runtime.ts"
import { warn } from "./warnings.ts"

/**
 * The runtime's clocks and timers as they were when corepool was loaded. All of src uses these, and none of the global
 * ones.
 *
 * Promise: a later replacement of the global functions never reaches corepool, neither the fake timers of a test
 * (node:test, @sinonjs/fake-timers, jest, vitest) nor a task that replaces `setTimeout` in its thread. Otherwise a
 * limit for a wait would mix a faked timer with a real clock, and never end; and a pool whose turns of the event loop
 * are faked would stop. The schedule of an executor can follow a clock of the test's own, see src/time/clock.ts.
 *
 * How it works. Each function is taken once per thread, by the first copy of corepool that is loaded in it: a thread of
 * a pool has them before any task. They come from `node:timers` and, for Node, `process.hrtime`: `node:perf_hooks` has
 * the same clock, which takes as long to read, but loading that module costs each thread 0.7 ms and 0.3 MB. Jest fakes
 * neither that module nor `node:timers`. A fake of @sinonjs/fake-timers, which jest and vitest use, refers to the
 * function that it replaces, so corepool takes that function even if the fakes came first. The fakes of node:test do
 * not; if these came first, there is a warning.
 *
 * The functions are fields of one object, in which a test of corepool itself can replace them.
 */
export type Runtime = Clocks<Timeout>

/** A timer that was started. It keeps the process alive unless `unref` was called. */
export type Timeout = NodeJS.Timeout

export const runtime: Runtime = perThread("clocks and timers", take)

export const programTimers: ProgramTimers = {
  start: (fire, delay) => globalThis.setTimeout(fire, delay),
  stop: (timer) => globalThis.clearTimeout(timer as NodeJS.Timeout),
}

function take(): Runtime {
  const startTimeout = unfaked("setTimeout", setTimeout)
  if (startTimeout.name.startsWith("bound ")) warnOfMocks()
  return {
    ...(isNode ? processClock() : threadClock()),
    wallTime: unfaked("Date", globalThis.Date).now,
    startTimeout,
    stopTimeout: unfaked("clearTimeout", clearTimeout),
    startInterval: unfaked("setInterval", setInterval),
    afterTurn: unfaked("setImmediate", setImmediate),
    microtask: unfaked("queueMicrotask", globalThis.queueMicrotask),
    clone: globalThis.structuredClone,
  }
}

/** `sharedNow` is the monotonic clock of the process in Node, and goes by the wall clock elsewhere. */
type Clock = Pick<Runtime, "now" | "sharedNow" | "origin">

/** The monotonic clock of the process, which all threads read alike. */
function processClock(): Clock {
  const read = unfaked("hrtime", process.hrtime)
  const sharedNow = (): number => {
    const time = read()
    return time[0] * 1e3 + time[1] / 1e6
  }
  const origin = Math.floor(sharedNow() / 1e3) * 1e3
  return { now: () => sharedNow() - origin, sharedNow, origin }
}

/**
 * A clock that each thread has for itself. The thread knows only what the wall clock showed when that clock began, and
 * the wall clock may have been set meanwhile.
 */
function threadClock(): Clock {
  const clock = unfaked("performance", process.getBuiltinModule("node:perf_hooks").performance)
  const now: () => number = clock.now.bind(clock)
  const origin = clock.timeOrigin
  return { now, sharedNow: () => origin + now(), origin }
}

/** Called if the timers are bound functions: those with which node:test replaces the runtime's are, and no others. */
function warnOfMocks(): void {
  warn(
    "corepool was loaded while the timers of node:test were mocked, and has only these: its time limits and pools will stand still. Load it before",
    "COREPOOL_MOCKED_TIMERS",
  )
}
