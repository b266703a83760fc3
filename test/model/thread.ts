/**
 * A thread of the model: an ordinary synchronous function, run up to its next step by replay.
 *
 * JavaScript cannot stop a function in its middle and go on later. But a function that is deterministic and gets the
 * same answers does the same again. So the thread keeps a history of all steps with their results; to bring it to its
 * next step, its body is called from the beginning, each step of the history is answered from there, and the first one
 * beyond it leaves the body by an exception. Everything the body has built is forgotten; the next replay builds it
 * again, one step further.
 */
import { context } from "./context.ts"
import { mix, mixOther } from "./fingerprint.ts"
import type { Code, Operation } from "./operation.ts"
import { ModelError } from "./trace.ts"

/** A step that was taken. Without an operation, the event loop called the listener whose number is the result. */
export interface Entry {
  readonly operation: Operation | undefined
  readonly result: number
}

/** The result of a wait that has timed out. That of any other is 0: the thread cannot tell why it ended. */
export const TIMED_OUT = 1

/**
 * - absent: will be started by somebody's death
 * - ready: stands before its next operation
 * - asleep: in `wait`
 * - idle: its body has returned; it listens, or has finished
 * - dead: was killed
 */
export type Phase = "absent" | "ready" | "asleep" | "idle" | "dead"

/** A doorbell of this thread that nobody has rung yet. */
export interface Listener {
  readonly address: number
  readonly number: number
}

/** All that changes as a thread goes on, apart from its history. */
export interface ThreadState {
  phase: Phase
  /** What it does next (ready), or sleeps in (asleep). */
  pending: Operation | undefined
  /** Idle, and what it was waiting for has come. */
  done: boolean
  /** What its body returned. */
  outcome: unknown
  steps: number
  high: number
  low: number
  listening: readonly Listener[]
  /** How many listeners it has registered, which is the number of the next one. */
  listeners: number
  /** Numbers of listeners that were rung and have to be called. */
  due: readonly number[]
  /** Another thread changed something since this one paused last. */
  changed: boolean
  /** How many times in a row it paused although nothing had changed. */
  fruitless: number
}

/** Thrown through a body to suspend it. One object for all: making an error is slow, and its stack is of no interest. */
const SUSPENSION = new ModelError("The model checker suspends this thread here; let this exception pass")

export class ModelThread {
  readonly number: number
  readonly name: string
  readonly history: Entry[] = []
  readonly state: ThreadState

  readonly #body: () => unknown
  readonly #enter: () => void
  /** Takes and records a step that is no scheduling point, as part of the step before; false if it is one. */
  readonly #fuse: (operation: Operation) => boolean

  // Of the current replay.
  #cursor = 0
  #fusing = false
  #suspended = false
  #fault: { readonly error: unknown } | undefined
  #rung: (() => void)[] = []
  #isDone: () => boolean = always
  #ended = false
  #now = 1

  constructor(
    number: number,
    name: string,
    body: () => unknown,
    enter: () => void,
    fuse: (thread: ModelThread, operation: Operation) => boolean,
  ) {
    this.number = number
    this.name = name
    this.#body = body
    this.#enter = enter
    this.#fuse = (operation) => fuse(this, operation)
    this.state = {
      phase: "absent",
      pending: undefined,
      done: false,
      outcome: undefined,
      steps: 0,
      high: mix(number, 1),
      low: mixOther(number, 1),
      listening: [],
      listeners: 0,
      due: [],
      changed: false,
      fruitless: 0,
    }
  }

  /** A copy of the state to {@link restore}. */
  save(): ThreadState {
    return { ...this.state }
  }

  restore(saved: ThreadState): void {
    Object.assign(this.state, saved)
    this.history.length = saved.steps
  }

  /** The thread has not finished until this holds, though its body has returned. */
  until(condition: () => boolean): void {
    this.#isDone = condition
  }

  record(operation: Operation | undefined, result: number): void {
    this.history.push({ operation, result })
    const { state } = this
    state.steps = this.history.length
    state.high = mix(state.high, result)
    state.low = mixOther(state.low, result)
  }

  /**
   * Runs the thread from its beginning to the first step beyond its history, which becomes `pending`, or to its end.
   *
   * @param fusing whether steps that are no scheduling points are taken on the way. Not if the thread was just started
   *   or woken: it was another one that took a step, and this one's next comes later.
   */
  replay(fusing: boolean): void {
    this.#cursor = 0
    this.#fusing = fusing
    this.#suspended = false
    this.#fault = undefined
    this.#rung = []
    this.#isDone = always
    this.#ended = false
    this.#now = 1
    this.state.pending = undefined
    const waker = context.thread // it may be another one's step that lets this one go on
    context.thread = this
    try {
      this.#enter()
      this.state.outcome = this.#body()
      this.#turnEventLoop()
      if (this.#suspended) this.#stop(new ModelError(`${this.name} caught the suspension and went on`))
    } catch (error) {
      const fault = this.#fault as { readonly error: unknown } | undefined
      if (fault !== undefined) throw fault.error
      if (error instanceof ModelError && error !== SUSPENSION) throw error
      if (!this.#suspended) throw new BodyError(this.name, error)
      if (error !== SUSPENSION)
        throw new ModelError(`${this.name} caught the suspension and threw something else: ${String(error)}`)
    } finally {
      context.thread = waker
    }
  }

  #turnEventLoop(): void {
    if (this.state.outcome instanceof Promise)
      throw new ModelError(`${this.name} is asynchronous, and only a synchronous body can be replayed`)
    while (!this.#suspended && this.#cursor < this.history.length) {
      const { operation, result } = this.history[this.#cursor] as Entry
      if (operation !== undefined) throw new ModelError(this.#deviation("it ended"))
      this.#cursor++
      this.#enter()
      this.#rung[result]?.()
    }
    this.state.phase = "idle"
    this.#ended = true
    this.state.done = this.#isDone()
  }

  /** What the facade calls for every step of this thread. */
  step(code: Code, words: Int32Array, index: number, a: number, b: number, address: number): number {
    if (this.#suspended) throw SUSPENSION
    if (this.#ended) return this.#stop(new ModelError(`${this.name}'s condition of until is not to look at memory`))
    const past = this.history[this.#cursor]
    if (past !== undefined) {
      const was = past.operation
      if (was?.code !== code || was.address !== address || was.a !== a || was.b !== b)
        return this.#stop(new ModelError(this.#deviation(`it came to ${code} with ${a}, ${b} at address ${address}`)))
      return this.#pass(past)
    }
    const operation: Operation = { code, words, index, address, a, b }
    if (this.#fusing) {
      let fused: boolean
      try {
        fused = this.#fuse(operation)
      } catch (error) {
        return this.#stop(error)
      }
      if (fused) return this.#pass(this.history[this.#cursor] as Entry)
    }
    this.state.pending = operation
    this.state.phase = "ready"
    this.#suspended = true
    throw SUSPENSION
  }

  #pass({ operation, result }: Entry): number {
    this.#cursor++
    if (operation?.code === "wait" && result === TIMED_OUT) this.#now += operation.b
    else if (operation?.code === "block") this.#now += operation.a
    return result
  }

  /** What `performance.now()` says. Time passes for a thread only as its waits time out and its blocks end. */
  get now(): number {
    return this.#now
  }

  /** As {@link step}. The callback gets the number that the world gives the listener: they are numbered as they come. */
  listen(words: Int32Array, index: number, value: number, address: number, rung: () => void): number {
    const registered = this.step("listen", words, index, value, 0, address)
    if (registered !== 0) this.#rung.push(rung)
    return registered
  }

  /** Ends the replay with an error, past whatever the body catches. */
  #stop(error: unknown): never {
    this.#fault = { error }
    this.#suspended = true
    throw SUSPENSION
  }

  #deviation(instead: string): string {
    const was = this.history[this.#cursor]?.operation
    const before = was === undefined ? "its end" : `${was.code} with ${was.a}, ${was.b} at address ${was.address}`
    return (
      `${this.name} is not deterministic: step ${this.#cursor + 1} was ${before}, and when replayed ${instead}. ` +
      "A body must make all its objects itself, and nothing but the model's words may outlive a replay."
    )
  }
}

/** A body threw: an assertion of the test, or an error of the code under test. */
export class BodyError extends Error {
  readonly thread: string

  constructor(thread: string, cause: unknown) {
    super(`${thread} threw`, { cause })
    this.thread = thread
  }
}

function always(): boolean {
  return true
}
