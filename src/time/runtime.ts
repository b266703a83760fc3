/**
 * The runtime's clocks and timers as they were when corepool was loaded. All of src uses these, and none of the global ones.
 *
 * Promise: what a program puts in the place of the global functions later on never reaches corepool, neither the fake timers of a
 * test (node:test, @sinonjs/fake-timers, jest, vitest) nor a task that replaces `setTimeout` in its thread. Otherwise
 * a limit for a wait would mix a timer that is faked with a clock that is not, and never end; and a pool whose turns of the event loop
 * are faked would stop. The schedule of an executor can follow a clock of the test's own, see clock.ts.
 *
 * How it works. Each function is taken once per thread, by the first copy of corepool that is loaded in it: a thread of a pool
 * has them before any task. They come from `node:timers` and `node:perf_hooks`, which jest does not fake. A fake
 * of @sinonjs/fake-timers, on which jest and vitest stand, says which function it replaces, so that one is taken even if the fakes
 * came first. The fakes of node:test do not say; if these came first, there is a warning.
 *
 * The functions are fields of one object, in which a test of corepool itself can replace them.
 */
import { performance } from "node:perf_hooks"
import { clearTimeout, setImmediate, setInterval, setTimeout } from "node:timers"
import { perThread } from "../per-thread.ts"

export interface Runtime {
  /** Milliseconds since this thread has begun. Never goes back. */
  now: () => number
  /** When that was, by the wall clock. */
  readonly timeOrigin: number
  /** Milliseconds on a clock that all threads of the process have in common; in Node, that is. */
  processTime: () => number
  /** Milliseconds since 1970, by the wall clock. */
  wallTime: () => number
  startTimeout: (fire: () => void, delay: number) => NodeJS.Timeout
  stopTimeout: (timeout: NodeJS.Timeout | undefined) => void
  startInterval: (fire: () => void, delay: number) => NodeJS.Timeout
  /** After the event loop has gone round once. */
  afterTurn: (call: () => void) => void
  /** At the end of the present job. What it throws is an uncaught error. */
  microtask: (call: () => void) => void
  clone: <T>(value: T, options?: { transfer: ArrayBuffer[] }) => T
}

export const runtime: Runtime = perThread("clocks and timers", take)

function take(): Runtime {
  const nanoseconds = unfaked("hrtime", process.hrtime).bigint.bind(process.hrtime)
  const clock = unfaked("performance", performance)
  const startTimeout = unfaked("setTimeout", setTimeout)
  if (startTimeout.name.startsWith("bound ")) warn()
  return {
    now: clock.now.bind(clock),
    timeOrigin: clock.timeOrigin,
    processTime: () => Number(nanoseconds()) / 1e6,
    wallTime: unfaked("Date", globalThis.Date).now,
    startTimeout,
    stopTimeout: unfaked("clearTimeout", clearTimeout),
    startInterval: unfaked("setInterval", setInterval),
    afterTurn: unfaked("setImmediate", setImmediate),
    microtask: unfaked("queueMicrotask", globalThis.queueMicrotask),
    clone: globalThis.structuredClone,
  }
}

/** What it stands for, if it is a fake of @sinonjs/fake-timers. */
function unfaked<T extends object>(name: string, thing: T): T {
  const { clock } = thing as { clock?: Record<string, unknown> }
  return (clock?.[`_${name}`] as T | undefined) ?? thing
}

/** The functions with which node:test replaces those of the runtime are bound ones, and nobody else's are. */
function warn(): void {
  process.emitWarning(
    "corepool was loaded while the timers of node:test were mocked, and has only these: its time limits and pools will stand still. Load it before",
    { code: "COREPOOL_MOCKED_TIMERS" },
  )
}
