import { REPORT_UNCAUGHT } from "./internals.ts"
import {
  areFramesConstant,
  AsyncVariable,
  currentFrame,
  forgetStores,
  type Frame,
  hasNoStores,
  isCertain,
} from "#host/runtime/context"
import { exchange, letPass, load, read, store } from "#atomics"
import { InterruptedError } from "../../errors.ts"
import { perThread } from "../../per-thread.ts"
import { runtime } from "#host/runtime/clock"
import { nextIndex, nextPage } from "../words.ts"

/** A wait that a flow is in. An interrupt breaks it off. */
export abstract class FlowWait {
  /** Links of the flow's waits; owned by the flow. */
  flowBefore: FlowWait | undefined
  flowAfter: FlowWait | undefined

  /** Ends the wait, if it has not ended yet. */
  abstract interrupt(): void
}

/** A Thread, as its flow knows it. */
export interface FlowOwner {
  readonly name: string
  /** Reports an error that belongs to no future and to no caller. Does not throw. */
  [REPORT_UNCAUGHT](error: unknown): void
}

/** Watches the task of a flow that is asked to stop. */
export interface StopWatch {
  /** The flow has been asked to stop. */
  begin(): void
  /** The task has ended. False if its executor has given it up before. */
  ended(): boolean
}

/** The place that a task has in an executor, with its thread. */
export interface TaskPlace {
  readonly thread: FlowOwner
  /** The task in hand. */
  readonly task: object | undefined
  /** Whether the executor has stopped: then every task has to end. */
  readonly isStopped: boolean
  /**
   * The task is abandoned: another task may have its place. Its future, if it has one, is done. The call comes from a
   * flow of the same thread that is not interrupted.
   */
  giveFree(task: object, error: Error): void
  /** The abandoned task has ended. */
  strayEnded(): void
}

/** What the factory of a thread has said about tasks that do not stop. */
export interface Stopping {
  /** Makes the watch for a place. */
  readonly watchOver: (place: TaskPlace) => StopWatch
  /** That of the task in hand. */
  watch: StopWatch | undefined
}

/** How many waits the flows of this thread are in. */
let waitCount = 0

/** Whether so many waits are pending at once that the memory of each counts more than the time to begin it. */
export function manyWaits(): boolean {
  return waitCount > 64
}

const CLEAR = 0
const RAISED = 1

/*
 * How the current flow is known. An AsyncVariable carries it across awaits, timers and callbacks. On Node 20 it slows
 * down every promise of the process (about half a microsecond, measured). Therefore a worker enters its context once,
 * for its whole loop, and the loop makes as few promises as it can.
 */
const context = perThread("context", () => new AsyncVariable<Flow>())

/**
 * Runs a function in the asynchronous context in which this module was loaded: it belongs to no request and no thread.
 */
const outside = AsyncVariable.snapshot()

/** The frame of a task whose submitter had no stores. The task runs in the frame of its flow. */
export const NO_STORES: Frame = currentFrame()

/** False if corepool was loaded where stores are in effect: a task without stores must not see them. */
const areFlowsEmpty = hasNoStores()

/** The frame of this moment, in which a task is to run: see {@link Flow.runTask}. */
export function frameForTask(): Frame {
  return areFlowsEmpty && hasNoStores(context) ? NO_STORES : currentFrame()
}

/** Returns a function that runs other functions in the asynchronous context of this call. */
export function snapshot(): <R>(fn: () => R) => R {
  return AsyncVariable.snapshot()
}

/**
 * A worker thread calls `examine` first when a wait has failed in it, to find out whether it can work at all
 * (stopping-runner.ts).
 */
export const flows: { id: number; examine?: (error: unknown) => void } = perThread("flows", () => ({ id: 0 }))

/** The error of a flow that was interrupted. `when` continues the sentence of its message. */
export function interrupted(when = ""): InterruptedError {
  return new InterruptedError(`The thread was interrupted${when}`)
}

/**
 * A flow of control: a chain of calls and awaits that parks, is woken and is interrupted. A virtual thread is a flow;
 * so is the program itself outside of any corepool thread ("main").
 *
 * This is the lower half of `Thread`, without names, factories and targets, so that queues and futures, which are below
 * threads in the layering, can wait and be interrupted.
 */
export class Flow {
  /** Unique in this process, in order of creation; 1 is the program itself. */
  readonly id: number = ++flows.id

  /** The Thread that stands for this flow towards users. */
  owner: FlowOwner | undefined

  /**
   * True while the flow waits for something to do rather than for something it does: an idle worker.
   * Its timers then do not keep the process alive.
   */
  idle = false

  /** Only if a task that does not stop is abandoned: after how many ms, and what the executor has set to do so. */
  stopping: Stopping | undefined

  /** The interrupt flag: CLEAR or RAISED. Any thread may raise it; the flow itself clears it. */
  #words: Int32Array = nextPage()
  #flag: number = nextIndex()
  /** Makes this thread notice when another thread raises the flag. */
  #listen: (() => void) | undefined

  /** Exists once `signal` has been read; replaced after an interrupt was consumed. */
  #controller: AbortController | undefined

  /** That of the flow itself, in which tasks without stores run. */
  #frame: Frame | undefined

  /** The waits this flow is in. Usually none or one; a flow that forks by `Promise.all` may be in many. */
  #firstWait: FlowWait | undefined
  #lastWait: FlowWait | undefined

  get isInterrupted(): boolean {
    return load(this.#words, this.#flag) === RAISED
  }

  /**
   * The same by a plain read, for a caller that checks before a first try. It may miss an interrupt that another thread
   * sends at this moment, as if that had come a moment later.
   */
  get looksInterrupted(): boolean {
    return read(this.#words, this.#flag) === RAISED
  }

  /** Aborts with the next interrupt. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      this.#listen?.()
      if (this.isInterrupted) this.#controller.abort(interrupted())
    }
    return this.#controller.signal
  }

  /** Raises the flag, aborts the signal and breaks off every wait the flow is in. Does not throw. */
  interrupt(): void {
    if (exchange(this.#words, this.#flag, RAISED) === CLEAR) this.passInterruptOn()
  }

  /** Interrupts the flow because its task is cancelled or out of time, or its executor has stopped. */
  stop(): void {
    this.interrupt()
    this.stopping?.watch?.begin()
  }

  /** Moves the flag into this word, which threads share, so that other threads can raise it from now on. */
  exposeFlag(words: Int32Array, index: number, listen?: () => void): void {
    if (this.isInterrupted) store(words, index, RAISED)
    this.#words = words
    this.#flag = index
    this.#listen = listen
    if (this.#controller !== undefined) listen?.()
  }

  /**
   * Aborts the signal and breaks off the waits, after the flag was raised. Another thread that raised the flag could
   * not do this: it has access to the flag only.
   */
  passInterruptOn(): void {
    this.#abort()
    // Each wait consumes the flag as it breaks off. All waits of the flow end; in Java a thread has only one. Waits
    // that begin during this loop are not broken off.
    const waits: FlowWait[] = []
    for (let wait = this.#firstWait; wait !== undefined; wait = wait.flowAfter) waits.push(wait)
    for (const wait of waits) {
      try {
        wait.interrupt()
      } catch (error) {
        waitFailed(error) // the other waits still end
      }
    }
  }

  /**
   * The listeners are user code. Runtimes report the errors of listeners by themselves; any error that comes through
   * goes to {@link uncaught}.
   */
  #abort(): void {
    try {
      this.#controller?.abort(interrupted())
    } catch (error) {
      uncaught(error)
    }
  }

  /** Clears the flag and tells whether it was raised. */
  consumeInterrupt(): boolean {
    // Load first: hot loops ask all the time, and the flag is hardly ever raised.
    if (load(this.#words, this.#flag) === CLEAR || exchange(this.#words, this.#flag, CLEAR) === CLEAR) return false
    // Another thread may have raised the flag, and this thread had no turn of the event loop to pass it on.
    this.#abort()
    // A signal cannot be un-aborted: the next reader of `signal` gets a fresh one.
    this.#controller = undefined
    return true
  }

  /**
   * Prepares the flow for another task: no interrupt is pending, and the signal is a new one. Listeners that tasks left
   * on the old signal would pile up, and would be called for interrupts that are not meant for them.
   */
  renew(): void {
    if (this.isInterrupted) store(this.#words, this.#flag, CLEAR) // load first: hardly ever raised
    this.#controller = undefined
  }

  /** Throws if the flag is raised, and clears it. An interruptible method begins with this. */
  throwIfInterrupted(): void {
    if (this.consumeInterrupt()) throw interrupted()
  }

  /** The waits that an interrupt would break off. */
  *waits(): Generator<FlowWait> {
    for (let wait = this.#firstWait; wait !== undefined; wait = wait.flowAfter) yield wait
  }

  enterWait(wait: FlowWait): void {
    waitCount++
    wait.flowBefore = this.#lastWait
    if (this.#lastWait === undefined) this.#firstWait = wait
    else this.#lastWait.flowAfter = wait
    this.#lastWait = wait
  }

  leaveWait(wait: FlowWait): void {
    waitCount--
    if (wait.flowBefore === undefined) this.#firstWait = wait.flowAfter
    else wait.flowBefore.flowAfter = wait.flowAfter
    if (wait.flowAfter === undefined) this.#lastWait = wait.flowBefore
    else wait.flowAfter.flowBefore = wait.flowBefore
    wait.flowBefore = wait.flowAfter = undefined
  }

  /** Runs `body` as this flow, in the context of the caller. */
  runInside<T>(body: () => T): T {
    return context.run(this, body)
  }

  /**
   * Calls the function as this flow, in the frame of a task, whose stores it sees. If the function enters a store
   * (`enterWith`), the caller does not see that. The flow must be the current one if the frame has no stores.
   */
  runTask<A extends unknown[], R>(frame: Frame, fn: (...args: A) => R, ...args: A): R {
    if (frame !== NO_STORES) return frame.runInAsyncScope(callAs<A, R>, undefined, this, fn, args)
    if (areFramesConstant) return (this.#frame ??= currentFrame()).runInAsyncScope(fn, undefined, ...args)
    try {
      return fn(...args)
    } finally {
      forgetStores(context)
    }
  }

  /** Calls the function as this flow, which a browser does not know after an `await`. */
  calls<A, R>(fn: (arg: A) => R, arg: A): R {
    return currentFlow() === this ? fn(arg) : callAs(this, fn, [arg])
  }

  /** Runs `body` as this flow, in a context that inherits nothing from the caller's. */
  run<T>(body: () => T): T {
    return outside(() => context.run(this, body))
  }
}

function callAs<A extends unknown[], R>(flow: Flow, fn: (...args: A) => R, args: A): R {
  return context.run(flow, fn, ...args)
}

/**
 * A flow for a task that another flow, its host, runs on the side, such as a caller that runs a task of a full pool. It
 * belongs to the same thread as the host, and an interrupt of the host reaches it too. An interrupt of the task does
 * not reach the host, which has other things to wait for while the task runs. Call {@link Guest.leave} when the task is
 * over.
 */
export class Guest extends Flow {
  readonly #host: Flow
  readonly #link: FlowWait

  constructor(host: Flow) {
    super()
    this.#host = host
    this.owner = host.owner
    this.#link = new Link(this)
    if (host.isInterrupted) this.interrupt()
    host.enterWait(this.#link)
  }

  leave(): void {
    this.#host.leaveWait(this.#link)
  }
}

/** Stands among the waits of the host, and passes the host's interrupts on to the guest. */
class Link extends FlowWait {
  readonly #guest: Guest

  constructor(guest: Guest) {
    super()
    this.#guest = guest
  }

  interrupt(): void {
    this.#guest.interrupt()
  }
}

/** The program outside of any corepool thread. */
export const mainFlow: Flow = perThread("main", () => new Flow())

export function currentFlow(): Flow {
  return context.getStore() ?? mainFlow
}

/** What the host has to know of flows where the current one may be unknown: see host/browser/runtime/ownership.ts. */
export const knownFlows = {
  isCertain: (): boolean => isCertain(context, mainFlow),
  current: (): Flow => currentFlow(),
  make: (): Flow => new Flow(),
}

/** Reports to the current thread an error that belongs to no future and to no caller: see guard.ts. */
export function uncaught(error: unknown): void {
  letPass(error)
  const { owner } = currentFlow()
  if (owner !== undefined) owner[REPORT_UNCAUGHT](error)
  // No code of threads is loaded: this is a model, or a test of this folder alone.
  else
    runtime.microtask(() => {
      throw error
    })
}

/**
 * Handles the error of a wait of this thread that was to go on, or to break off, and has thrown. An error of user code
 * is reported. But if a task has broken built-in objects that the code of corepool needs, `examine` does not return,
 * and the wait does not go on, whether it is that of the thread's worker or that of a task.
 */
export function waitFailed(error: unknown): void {
  flows.examine?.(error)
  uncaught(error)
}
