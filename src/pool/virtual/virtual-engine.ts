import { CORE } from "../../queue/base/internals.ts"
import { CAPTURE } from "../../future/internals.ts"
import { NotSerializableError } from "../../errors.ts"
import { FutureTask } from "../../future/future-task.ts"
import { bind, type Callable, type Runnable } from "../../future/runnable.ts"
import { guarded, uncaught } from "../../memory/flow/guard.ts"
import { observing } from "../../observing.ts"
import type { BlockingQueue } from "../../queue/base/blocking-queue.ts"
import type { RateLimiter } from "../../sync/rate-limiter.ts"
import { PACE } from "../../memory/flow/internals.ts"
import { CommandFrames } from "./command-frames.ts"
import type { LocalWorker } from "./local-worker.ts"
import { atLeast, STOP } from "../../core/control-word.ts"
import type { Place } from "./overstay.ts"
import { PoolCore } from "../../core/pool-core.ts"
import { WorkerLoop } from "../../core/worker-loop.ts"
import type { PoolEngine, PoolShell, PoolThread } from "../engine/pool-engine.ts"
import { LocalState, type PoolState } from "../../core/pool-state.ts"
import { localTimes, type PoolTimes } from "../../core/pool-times.ts"
import { Probe } from "./probe.ts"
import { RunnableHost } from "./runnable-host.ts"
import { type Capabilities, VIRTUAL } from "../engine/capabilities.ts"

/** The engine of a pool whose threads are flows of this event loop, and whose tasks wait in the user's own queue. */
export class VirtualEngine extends PoolCore<Runnable> implements PoolEngine {
  readonly state: PoolState
  readonly queue: BlockingQueue<Runnable>
  readonly times: PoolTimes
  readonly #probe: Probe
  readonly #frames: CommandFrames
  readonly #shell: PoolShell
  readonly #loop: WorkerLoop<Runnable>
  readonly #workers: Set<LocalWorker<Runnable>>
  readonly #host: RunnableHost
  /** How many abandoned tasks have not ended yet. */
  abandoned = 0
  /** Whether the shell wants to know when the pool is quiescent. */
  #isWatched = false

  readonly rateLimiter: RateLimiter | undefined

  constructor(queue: BlockingQueue<Runnable>, shell: PoolShell, rateLimiter?: RateLimiter) {
    const state = new LocalState()
    const times = localTimes()
    const probe = new Probe(times)
    const workers = new Set<LocalWorker<Runnable>>()
    const frames = new CommandFrames()
    queue[CORE].holdTasks()
    const host = new RunnableHost(
      state,
      shell,
      probe,
      frames,
      // A factory that has started the thread itself is refused: the worker of that thread must not take tasks. [TP28]
      (worker) => (workers.has(worker) ? this.#run(worker) : Promise.resolve()),
      () => this.drain((task) => task),
    )
    super(state, queue, host, workers)
    this.state = state
    this.queue = queue
    this.times = times
    this.#probe = probe
    this.#frames = frames
    this.#shell = shell
    this.rateLimiter = rateLimiter
    const pacing = rateLimiter?.[PACE]<Runnable>({
      queue,
      looking: (_flow, isPatient) => queue[CORE].looking(isPatient),
      isOver: (task) => host.isOver(task),
      takeOver: () => {
        const first = queue[CORE].ready("first")
        return first !== undefined && host.isOver(first) ? queue[CORE].poll() : undefined
      },
      isLast: () => workers.size <= 1,
      sleeps: () => undefined,
      linger: 0,
    })
    this.#loop = new WorkerLoop<Runnable>(state, pacing ?? queue, pacing ?? queue[CORE], host, this)
    this.#workers = workers
    this.#host = host
  }

  #run(worker: LocalWorker<Runnable>): Promise<void> {
    observing.by?.started(this.#shell.info, worker.info)
    const { stopping } = worker.flow
    if (stopping !== undefined) worker.overstay = stopping.watch = stopping.watchOver(this.#placeOf(worker))
    return this.#loop.run(worker)
  }

  #placeOf(worker: LocalWorker<Runnable>): Place {
    const { control } = this.state
    return {
      thread: worker.thread,
      get task() {
        return worker.task
      },
      get isStopped() {
        return atLeast(control.snapshot, STOP)
      },
      giveFree: (task, error) => {
        this.abandoned++
        this.#host.overstayed(worker, task, error)
        worker.countCompleted()
        worker.release()
        guarded(() => this.ended(worker, true))
      },
      strayEnded: () => this.abandoned--,
    }
  }

  override ended(worker: LocalWorker<Runnable>, died: boolean): void {
    observing.by?.exited(this.#shell.info, worker.info, died)
    super.ended(worker, died)
    this.rests()
  }

  get isOwner(): boolean {
    return true
  }

  get handle(): never {
    throw new NotSerializableError(
      "A pool of virtual threads cannot be sent to another thread: its threads are flows of this one",
    )
  }

  get capabilities(): Capabilities {
    return VIRTUAL
  }

  get poolSize(): number {
    return this.#workers.size
  }

  get activeCount(): number {
    return this.state.activeCount
  }

  get completedTaskCount(): number {
    return this.state.completed.value
  }

  /** Always true: the queued and running tasks keep the engine alive, and so the pool. */
  get isBusy(): boolean {
    return true
  }

  execute(task: Runnable): void {
    this.#probe.executed(task)
    const isFuture = task instanceof FutureTask
    if (isFuture) task[CAPTURE]()
    else this.#frames.note(task)
    if (this.admit(task)) return
    if (!isFuture) this.#frames.forgetNewest(task)
    this.#probe.forget(task)
    this.#shell.reject(task)
  }

  override remove(task: Runnable): boolean {
    const isRemoved = super.remove(task)
    if (isRemoved && !(task instanceof FutureTask)) this.#frames.take(task)
    return isRemoved
  }

  callable<A extends unknown[], T>(fn: (...args: A) => T | PromiseLike<T>, args: A): Callable<T> {
    return bind(fn, ...args)
  }

  drain(handBack: (task: Runnable) => Runnable): Runnable[] {
    const tasks: Runnable[] = []
    guarded(() => this.queue.drainTo(tasks))
    // A queue may keep tasks that drainTo does not return, such as tasks that are not yet due. (Not by `remove(task)`:
    // tasks may have an `equals` of their own.)
    for (const task of this.queue.toArray()) tasks.push(task)
    this.queue.clear()
    return tasks.map(handBack)
  }

  /** Nothing to do: no other code of this thread runs until `shutdownNow` has returned. */
  beginEnd(): void {}

  finishEnd(): void {
    this.tryTerminate()
    this.relieve(uncaught)
  }

  watchForQuiescence(): boolean {
    const { isQuiet } = this
    this.#isWatched = !isQuiet
    return isQuiet
  }

  get isQuiet(): boolean {
    return this.queue.isEmpty && this.state.activeCount === 0
  }

  /** A worker has nothing to do, or a task has left the queue. */
  rests(): void {
    if (!this.#isWatched || !this.isQuiet) return
    this.#isWatched = false
    this.#shell.quiescent()
  }

  override tryTerminate(): void {
    super.tryTerminate()
    this.rests()
  }

  threads(): PoolThread[] {
    return Array.from(this.#workers, ({ thread, task }) => ({ thread, task, runs: (future) => future === task }))
  }

  hasThread(thread: unknown): boolean {
    for (const worker of this.#workers) if (worker.thread === thread) return true
    return false
  }
}
