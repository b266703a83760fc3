/**
 * How the public operations of a queue wait: by a promise or by blocking the thread. All of them first try without
 * waiting; if that fails, all run the same steps.
 */
import { requireTimeout } from "../../checks.ts"
import { TimeoutError } from "../../errors.ts"
import { currentFlow, type Flow } from "../../memory/flow/flow.ts"
import { abortOf, blocking, drive, timeoutOf, type Settle, type WaitOptions } from "../../memory/flow/waiting.ts"
import { iterateAsync } from "../local/iteration.ts"
import { Demand, type End, type QueueCore } from "./queue-core.ts"
import { TakeWait } from "./take-wait.ts"

// ------------------------------------------------------------------ promises

export function putAt<E>(core: QueueCore<E>, end: End, e: E, wait: WaitOptions | undefined): Promise<void> {
  if (wait !== undefined) {
    return new Promise((resolve, reject) => give(core, end, e, settleOfPut(core, resolve, reject), wait, false))
  }
  try {
    core.check(e)
    const flow = currentFlow()
    core.enter(flow, "put", false)
    if (core.accept(e, end)) return Promise.resolve()
    return new Promise((resolve, reject) =>
      waitToGive(core, end, e, settleOfPut(core, resolve, reject), flow, Infinity),
    )
  } catch (error) {
    return Promise.reject(error)
  }
}

function settleOfPut<E>(core: QueueCore<E>, resolve: () => void, reject: (reason: unknown) => void): Settle<boolean> {
  const given = (done: boolean): void => {
    if (done) resolve()
    else reject(core.isClosed ? core.refusal() : new TimeoutError("No room came free in time"))
  }
  return { resolve: given, reject }
}

export function offerAt<E>(core: QueueCore<E>, end: End, e: E, wait: WaitOptions): Promise<boolean> {
  return new Promise((resolve, reject) => give(core, end, e, { resolve, reject }, wait, true))
}

export function takeAt<E>(core: QueueCore<E>, end: End, wait: WaitOptions | undefined): Promise<E> {
  if (wait !== undefined || !core.hasPlainTakers) {
    return new Promise((resolve, reject) => get(core, end, new Demand(core, { resolve, reject }), wait, false))
  }
  try {
    const flow = currentFlow()
    core.enter(flow, "take", false)
    const e = core.extract(end)
    if (e !== undefined) return Promise.resolve(e)
    return new Promise((resolve, reject) => new TakeWait(core, end, flow, resolve, reject).start())
  } catch (error) {
    return Promise.reject(error)
  }
}

export function pollAt<E>(core: QueueCore<E>, end: End, wait: WaitOptions): Promise<E | undefined> {
  return new Promise((resolve, reject) => get(core, end, { resolve, reject }, wait, true))
}

/** Takes one element after the other, as they come, until the queue is closed and empty. */
export function takeAll<E>(core: QueueCore<E>): AsyncIterableIterator<E> {
  return iterateAsync((settle) => get(core, "first", settle, undefined, false))
}

/** The promise rejects with what this throws: wrong arguments first, then the abort, then the interrupt. */
function give<E>(
  core: QueueCore<E>,
  end: End,
  e: E,
  settle: Settle<boolean>,
  wait: WaitOptions | undefined,
  timed: boolean,
): void {
  core.check(e)
  const timeout = timeoutOf(wait)
  const abort = abortOf(wait)
  abort?.throwIfAborted()
  const flow = currentFlow()
  core.enter(flow, "put", timed)
  if (core.accept(e, end)) {
    settle.resolve(true)
    return
  }
  waitToGive(core, end, e, settle, flow, timeout, abort)
}

function waitToGive<E>(
  core: QueueCore<E>,
  end: End,
  e: E,
  settle: Settle<boolean>,
  flow: Flow,
  timeout: number,
  abort?: AbortSignal,
): void {
  const steps = core.waitToInsert(e, end, flow)
  if (steps === undefined) settle.resolve(false)
  else drive(steps, settle, flow, timeout, abort, "BlockingQueue", core)
}

function get<E>(
  core: QueueCore<E>,
  end: End,
  settle: Settle<E | undefined>,
  wait: WaitOptions | undefined,
  timed: boolean,
): void {
  const timeout = timeoutOf(wait)
  const abort = abortOf(wait)
  abort?.throwIfAborted()
  const flow = currentFlow()
  core.enter(flow, "take", timed)
  core.obtain(end, settle, flow, timeout, abort)
}

// ------------------------------------------------------------------ blocking

export function putSyncAt<E>(core: QueueCore<E>, end: End, e: E): void {
  if (!giveSync(core, end, e, Infinity, false)) throw core.refusal()
}

export function offerSyncAt<E>(core: QueueCore<E>, end: End, e: E, ms: number): boolean {
  return giveSync(core, end, e, requireTimeout("ms", ms), true)
}

export function takeSyncAt<E>(core: QueueCore<E>, end: End): E {
  core.enter(currentFlow(), "take", false)
  const e = core.obtainSync(end, Infinity)
  if (e === undefined) throw core.whyNothing()
  return e
}

export function pollSyncAt<E>(core: QueueCore<E>, end: End, ms: number): E | undefined {
  requireTimeout("ms", ms)
  core.enter(currentFlow(), "take", true)
  return core.obtainSync(end, ms)
}

function giveSync<E>(core: QueueCore<E>, end: End, e: E, timeout: number, timed: boolean): boolean {
  core.check(e)
  const flow = currentFlow()
  core.enter(flow, "put", timed)
  if (core.accept(e, end)) return true
  const steps = core.waitToInsert(e, end, flow)
  return steps !== undefined && blocking(steps, timeout, "BlockingQueue")
}
