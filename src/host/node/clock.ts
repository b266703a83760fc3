import { clearTimeout, setImmediate, setInterval, setTimeout } from "node:timers"
import { perThread } from "../../per-thread.ts"
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
export interface Runtime {
  /** Milliseconds since about when corepool was loaded in this thread. Never goes back. */
  now: () => number
  /**
   * When that clock began, in milliseconds on a clock that all threads share: in Node the monotonic clock of the
   * process, elsewhere the wall clock.
   */
  readonly origin: number
  /** Milliseconds since 1970, by the wall clock. */
  wallTime: () => number
  startTimeout: (fire: () => void, delay: number) => Timeout
  stopTimeout: (timeout: Timeout | undefined) => void
  startInterval: (fire: () => void, delay: number) => Timeout
  /** After the event loop has gone round once. */
  afterTurn: (call: () => void) => void
  /** At the end of the present job. An error that `call` throws is an uncaught error. */
  microtask: (call: () => void) => void
  clone: <T>(value: T, options?: { transfer: ArrayBuffer[] }) => T
}

/** A timer that was started. It keeps the process alive unless `unref` was called. */
export type Timeout = NodeJS.Timeout

export const runtime: Runtime = perThread("clocks and timers", take)

/**
 * The timers as the program has them now, fake or not: for what takes the place of another library, whose time limits a
 * test of the program moves by its fake timers.
 */
export interface ProgramTimers {
  start(fire: () => void, delay: number): unknown
  stop(timer: unknown): void
}

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

type Clock = Pick<Runtime, "now" | "origin">

/** The monotonic clock of the process, which all threads read alike. */
function processClock(): Clock {
  const read = unfaked("hrtime", process.hrtime)
  const [begin] = read()
  const now = (): number => {
    const time = read()
    return (time[0] - begin) * 1e3 + time[1] / 1e6
  }
  return { now, origin: begin * 1e3 }
}

/**
 * A clock that each thread has for itself. The thread knows only what the wall clock showed when that clock began, and
 * the wall clock may have been set meanwhile.
 */
function threadClock(): Clock {
  const clock = unfaked("performance", process.getBuiltinModule("node:perf_hooks").performance)
  return { now: clock.now.bind(clock), origin: clock.timeOrigin }
}

/** The original function, if this is a fake of @sinonjs/fake-timers. */
function unfaked<T extends object>(name: string, thing: T): T {
  const { clock } = thing as { clock?: Record<string, unknown> }
  return (clock?.[`_${name}`] as T | undefined) ?? thing
}

/** Called if the timers are bound functions: those with which node:test replaces the runtime's are, and no others. */
function warnOfMocks(): void {
  warn(
    "corepool was loaded while the timers of node:test were mocked, and has only these: its time limits and pools will stand still. Load it before",
    "COREPOOL_MOCKED_TIMERS",
  )
}
