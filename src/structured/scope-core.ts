/**
 * How a scope works. `running` has the forks that have not stopped. A fork is done when its outcome is decided, and has
 * stopped when no thread runs it any more (subtask.ts); if it was cancelled, there may be time between the two. `join`
 * waits until all are done or the scope is cancelled, and then until all have stopped.
 */
import { IllegalStateError, TimeoutError } from "../errors.ts"
import type { Executor } from "../executor/executor.ts"
import { keptApart } from "../future/call.ts"
import { currentFlow, type Flow, knownFlows } from "../memory/flow/flow.ts"
import { guarded } from "../memory/flow/guard.ts"
import { awaiting, type Steps, WaitList } from "../memory/flow/waiting.ts"
import { perThread } from "../per-thread.ts"
import { ThreadPerTaskExecutor } from "../pool/thread-per-task-executor.ts"
import { naming, plainThreads } from "../thread/thread-factory.ts"
import { Timer, type TimerKeeper } from "../time/timer.ts"
import { type Bindings, currentBindings, noteOpenScope, type OpenScope } from "./context.ts"
import { type ForkRun, Inheritance, runFork } from "./fork-call.ts"
import type { Joiner } from "./joiner.ts"
import { sender } from "./sending.ts"
import { Fork, type ForkHost, type ScopeOfSubtask, Subtask } from "./subtask.ts"

type AnyFunction = (...args: never[]) => unknown

/** Not interruptible: a scope does not end before its forks. */
class Stopping extends WaitList {
  override get interruptible(): boolean {
    return false
  }
}

/** The scope was opened, `join` was called, `join` has waited. */
type Phase = "open" | "joining" | "joined"

export interface ScopeSettings {
  readonly executor: Executor | undefined
  readonly timeout: number
  readonly name: string
}

/** The scopes of this thread that have forks, for thread dumps. */
export const busyScopes: Set<ScopeCore<never, unknown>> = /* @__PURE__ */ perThread("busy scopes", () => new Set())

export class ScopeCore<T, R> implements ForkHost, ScopeOfSubtask, OpenScope {
  readonly #joiner: Joiner<T, R>
  readonly #settings: ScopeSettings
  readonly #owner: Flow = currentFlow()
  readonly #bindings: Bindings = currentBindings()
  readonly #noteClosed: () => void
  readonly #timer: Timer | undefined
  #executor: Executor | undefined
  #phase: Phase = "open"
  #isClosed = false
  #isCancelled = false
  #hasTimedOut = false
  #hasForked = false
  /** Whether a method of the joiner is running, which may look at outcomes. */
  #isInJoiner = false
  readonly #running = new Set<Fork>()
  /** How many forks have no outcome yet. */
  #undecided = 0
  readonly #decided = new WaitList()
  readonly #stopped = new Stopping()

  constructor(joiner: Joiner<T, R>, settings: ScopeSettings) {
    this.#joiner = joiner
    this.#settings = settings
    this.#executor = settings.executor
    this.#noteClosed = noteOpenScope(this)
    const { timeout } = settings
    if (timeout <= 0) this.#timeOut()
    else if (timeout !== Infinity) this.#timer = new Timer(timeout, false, () => this.#timeOut())
  }

  get isCancelled(): boolean {
    return this.#isCancelled
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  get phase(): Phase {
    return this.#phase
  }

  /** The flow that has opened the scope. */
  get owner(): Flow {
    return this.#owner
  }

  get name(): string {
    return this.#settings.name
  }

  /** The executor of the forks, once there is one. */
  get executor(): Executor | undefined {
    return this.#executor
  }

  /** The forks that have not stopped. */
  get forks(): readonly Fork[] {
    return [...this.#running]
  }

  /** How many forks have not stopped. */
  get runningCount(): number {
    return this.#running.size
  }

  // ------------------------------------------------------------------ forking

  fork(task: AnyFunction, args: readonly unknown[]): Subtask<unknown> {
    this.#requireOpen("fork()")
    if (this.#phase !== "open")
      throw new IllegalStateError("fork() was called after join(): the scope takes no more forks")
    if (currentBindings() !== this.#bindings) {
      throw new IllegalStateError(
        "fork() was called with other bindings of scoped values than the scope was opened with: open a scope inside of where().run()",
      )
    }
    const subtask = new Subtask<unknown>(this)
    if (this.#callJoiner(() => this.#joiner.onFork?.(subtask as Subtask<T>)) === true) this.cancelOpen()
    this.#requireOpen("fork()") // the joiner may have closed it
    if (!this.#isCancelled) this.#start(subtask, task, args)
    return subtask
  }

  #start(subtask: Subtask<unknown>, task: AnyFunction, args: readonly unknown[]): void {
    const executor = (this.#executor ??= newExecutor(this.#settings.name))
    // A thread of its own for each task is a virtual one there.
    const remote = executor instanceof ThreadPerTaskExecutor ? undefined : sender()
    let fork: Fork | undefined
    const run: ForkRun = { begun: () => fork?.begun(), ended: () => fork?.ended() }
    if (remote === undefined) {
      const inheritance = new Inheritance(this.#bindings, run)
      fork = new Fork(this, subtask, task, () => runFork({ functions: [task] }, inheritance, ...args))
    } else {
      const { call, args: all } = remote.callOf(task, args)
      fork = new Fork(this, subtask, task, keptApart(call, [remote.inheritance(this.#bindings, run), ...all]))
    }
    this.#running.add(fork)
    busyScopes.add(this)
    this.#undecided++
    try {
      executor.execute(fork)
    } catch (error) {
      this.#undecided -= this.#running.delete(fork) ? 1 : 0
      if (this.#running.size === 0) busyScopes.delete(this)
      const refused = fork
      guarded(() => refused.cancel())
      throw remote === undefined ? error : remote.explain(error)
    }
    this.#hasForked = true
    const sent = fork
    if (remote?.whenStopped(sent, () => sent.released()) === true) sent.away()
  }

  /** The outcome of the fork is decided. */
  forkDone(fork: Fork): void {
    if (!this.#running.has(fork)) return
    this.#undecided--
    if (!this.#isCancelled) this.#complete(fork)
    if (this.#undecided === 0) this.#decided.signalAll()
  }

  #complete(fork: Fork): void {
    const { subtask } = fork
    Subtask.settle(subtask, fork)
    let answer: unknown
    guarded(() => (answer = this.#callJoiner(() => this.#joiner.onComplete(subtask as Subtask<T>))))
    if (answer === true) this.cancelOpen()
  }

  forkStopped(fork: Fork): void {
    if (!this.#running.delete(fork) || this.#running.size > 0) return
    busyScopes.delete(this)
    this.#stopped.signalAll()
  }

  forkRunsHere(keeper: TimerKeeper): void {
    this.#timer?.keepBy(keeper)
  }

  /** Calls a method of the joiner, which may look at outcomes. */
  #callJoiner<A>(call: () => A): A {
    const before = this.#isInJoiner
    this.#isInJoiner = true
    try {
      return call()
    } finally {
      this.#isInJoiner = before
    }
  }

  requireLook(what: string): void {
    if (this.#phase === "joined" || this.#isInJoiner || currentFlow() !== this.#owner) return
    throw new IllegalStateError(`The ${what} of a subtask was asked for before join(): await scope.join() first`)
  }

  // ------------------------------------------------------------------ ending

  async join(): Promise<Awaited<R>> {
    this.#requireOpen("join()")
    if (this.#phase !== "open") throw new IllegalStateError("join() was called before: a scope is joined once")
    this.#phase = "joining"
    const remote = sender()
    try {
      this.#owner.throwIfInterrupted()
      if (remote !== undefined) for (const fork of [...this.#running]) remote.willBeAwaited(fork)
      await this.#asOwner(() => awaiting(this.#deciding(), undefined, "StructuredTaskScope", this))
    } catch (error) {
      this.cancelOpen() // the interrupt reaches all forks
      throw error
    } finally {
      await awaiting(this.#stopping())
      this.#phase = "joined"
      this.#timer?.cancel()
    }
    if (this.#hasTimedOut) throw new TimeoutError(`The scope was not complete within ${this.#settings.timeout} ms`)
    return await this.#callJoiner(() => this.#joiner.result())
  }

  *#deciding(): Steps<void> {
    while (!this.#isCancelled && this.#undecided > 0) yield this.#decided
  }

  *#stopping(): Steps<void> {
    while (this.#running.size > 0) yield this.#stopped
  }

  async close(): Promise<void> {
    this.#requireOwner("close()")
    const isForgotten = !this.#isClosed && this.#hasForked && this.#phase === "open"
    await this.closeOpen()
    if (isForgotten) {
      throw new IllegalStateError(
        "The scope was closed without join(): its forks were cancelled. If an error has ended the block before join(), that error is the one to look at",
      )
    }
  }

  async closeOpen(): Promise<void> {
    this.#isClosed = true
    if (this.#phase !== "joined") this.cancelOpen()
    await awaiting(this.#stopping())
    this.#timer?.cancel()
    this.#noteClosed()
  }

  cancelOpen(): void {
    if (this.#isCancelled) return
    this.#isCancelled = true
    const remote = sender()
    for (const fork of [...this.#running]) {
      guarded(() => (remote === undefined ? void fork.cancel(true) : remote.cancel(fork)))
    }
    this.#decided.signalAll()
  }

  #timeOut(): void {
    if (this.#isCancelled || this.#phase === "joined") return
    this.#hasTimedOut = true
    this.cancelOpen()
  }

  #requireOpen(what: string): void {
    this.#requireOwner(what)
    if (this.#isClosed) throw new IllegalStateError(`${what} was called after close()`)
  }

  /** Interrupts of the owner end its waits, also where it is not known that the owner waits. */
  #asOwner<A>(wait: () => A): A {
    return knownFlows.isCertain() ? wait() : this.#owner.runInside(wait)
  }

  #requireOwner(what: string): void {
    // In a browser the flow is unknown after an `await`: the scope then belongs to the code that has it.
    if (currentFlow() === this.#owner || !knownFlows.isCertain()) return
    throw new IllegalStateError(
      `${what} was called by another thread than the one that has opened the scope. A fork opens a scope of its own`,
    )
  }
}

function newExecutor(name: string): Executor {
  const threads = plainThreads(naming(name === "" ? () => "" : name))
  return new ThreadPerTaskExecutor(threads, name === "" ? "StructuredTaskScope" : name)
}
