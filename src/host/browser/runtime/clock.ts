// oxlint-disable typescript/unbound-method -- they are bound
/** Clocks and timers of a page or a worker: see src/host/node/runtime/clock.ts. */
import { perThread } from "../../../per-thread.ts"
import { boundTo } from "../../../primordials.ts"
import { type Clocks, type ProgramTimers, unfaked } from "../../timers.ts"
import { scope } from "./globals.ts"

export type Runtime = Clocks<Timeout>

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
  const now: () => number = boundTo(performance.now, performance)
  const origin = performance.timeOrigin
  return {
    now,
    sharedNow: () => origin + now(),
    origin,
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
