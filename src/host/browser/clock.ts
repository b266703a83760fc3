// oxlint-disable typescript/unbound-method -- they are bound
/** Clocks and timers of a page or a worker: see ../node/clock.ts. */
import { perThread } from "../../per-thread.ts"
import { boundTo } from "../../primordials.ts"
import { scope } from "./globals.ts"

export interface Runtime {
  /** Milliseconds since the page or the worker was opened. Never goes back. */
  now: () => number
  /** When that clock began, in milliseconds on the wall clock. */
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

/** A timer that was started. No timer keeps a page open. */
export class Timeout {
  readonly id: number

  constructor(id: number) {
    this.id = id
  }

  ref(): void {}

  unref(): void {}
}

export const runtime: Runtime = perThread("clocks and timers", take)

/** The timers as the program has them now, fake or not. */
export interface ProgramTimers {
  start(fire: () => void, delay: number): unknown
  stop(timer: unknown): void
}

export const programTimers: ProgramTimers = {
  start: (fire, delay) => scope.setTimeout(fire, delay),
  stop: (timer) => scope.clearTimeout(timer as number),
}

function take(): Runtime {
  const { performance, structuredClone } = scope
  const setTimer = unfaked("setTimeout", scope.setTimeout)
  const clearTimer = unfaked("clearTimeout", scope.clearTimeout)
  const setRepeating = unfaked("setInterval", scope.setInterval)
  const enqueue = unfaked("queueMicrotask", scope.queueMicrotask)
  return {
    now: boundTo(performance.now, performance),
    origin: performance.timeOrigin,
    wallTime: unfaked("Date", globalThis.Date).now,
    startTimeout: (fire, delay) => new Timeout(setTimer(fire, delay)),
    stopTimeout: (timeout) => timeout !== undefined && clearTimer(timeout.id),
    startInterval: (fire, delay) => new Timeout(setRepeating(fire, delay)),
    afterTurn: turns(),
    microtask: (call) => enqueue(call),
    clone: (value, options) => structuredClone(value, options),
  }
}

/**
 * By messages to itself: browsers delay nested timers by four milliseconds. The channel is made when it is first
 * needed.
 */
function turns(): Runtime["afterTurn"] {
  let send: (() => void) | undefined
  const waiting: (() => void)[] = []
  const begin = (): (() => void) => {
    const { port1, port2 } = new scope.MessageChannel()
    port1.addEventListener("message", () => waiting.shift()?.())
    port1.start()
    return boundTo(port2.postMessage, port2, null)
  }
  return (call) => {
    waiting.push(call)
    send ??= begin()
    send()
  }
}

/** The original function, if this is a fake of `@sinonjs/fake-timers`. */
function unfaked<T extends object>(name: string, thing: T): T {
  const { clock } = thing as { clock?: Record<string, unknown> }
  return (clock?.[`_${name}`] as T | undefined) ?? thing
}
