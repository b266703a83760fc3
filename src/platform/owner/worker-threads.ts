import { show } from "../../checks.ts"
import { ThreadDeathError } from "../../errors.ts"
import { REPORT_UNCAUGHT } from "../../memory/flow/internals.ts"
import type { Chore } from "../../memory/flow/chores.ts"
import { platformTarget } from "../../thread/platform-threads.ts"
import { Thread, threadHere } from "../../thread/thread.ts"
import { runtime } from "#host/runtime/clock"
import { now, Timer } from "../../time/timer.ts"
import { isError, messageOf } from "../../user-values.ts"
import type { PoolMemory } from "../memory/pool-memory.ts"
import { SideChannel } from "../transport/side-channel.ts"
import type { SharedWorkerTable } from "../memory/workers/shared-worker-table.ts"
import type { SharedWorker } from "../memory/workers/shared-worker.ts"
import { ENDING, FREE, STARTING, TEARDOWN } from "../memory/workers/worker-line.ts"
import { endTeardown } from "../memory/workers/teardowns.ts"
import { type Death, PULSE, WorkerBody } from "../start/thread-body.ts"
import { BROKEN } from "../start/worker-orders.ts"
import { TeardownLimits } from "./teardown-limits.ts"

/** How often the owner looks whether a thread that has left has reported its error, in ms. */
const LOOK_AGAIN = 100

/** What the owner of the pool does for its WorkerThreads. */
export interface WorkerThreadsOwner {
  /** Makes a thread by the user's factory; undefined if the factory refuses. */
  newThread(target: () => unknown): Thread | undefined
  /**
   * Receives all tasks that are over: what a thread has thrown must be reported while it is known which thread that
   * was.
   */
  look(): void
  /** The worker is lost to the pool; `hasStopped` if its thread is known to have stopped. */
  reap(body: WorkerBody, cause: ThreadDeathError, hasStopped: boolean): void
  /** The thread of a worker that has left has ended. */
  exited(worker: SharedWorker, thread: Thread, died: boolean): void
  /**
   * A thread has left and then failed. It may not have made sure that there is another thread for the rest, or that the
   * pool terminates.
   */
  review(): void
  /** A thread has left in order, and has ended. */
  left(): void
  /** The thread of a worker that was lost before has stopped. */
  inherit(token: number): void
  /**
   * A thread that was no worker any more has ended. It may have been the last one, and unable to have another one made.
   */
  relieve(thread: Thread): void
}

/**
 * The threads of a pool, as its owner has them, and how the owner finds out that one has ended. Usually an event of the
 * runtime says so. While the owner blocks, it receives no events: it then reads the thread registry, which counts the
 * threads that die, and the pulses of the threads.
 *
 * A thread that the owner ends is *ending* until it is known to have stopped. By then the pool has a new worker in its
 * place. As long as the ending thread may run, it keeps its line in the worker table and all that it holds.
 */
export class WorkerThreads implements Chore {
  readonly #memory: PoolMemory
  readonly #sideChannel: SideChannel
  readonly #workerTable: SharedWorkerTable
  readonly #owner: WorkerThreadsOwner
  /** By the number of their worker. */
  readonly #bodies: (WorkerBody | undefined)[] = []
  readonly #threads: (Thread | undefined)[] = []
  /** The thread that was made last. */
  #latest: Thread | undefined
  /** Whether the factory, when it was last asked, has refused or thrown. */
  isRefused = false
  readonly #ending = new Set<WorkerBody>()
  /** Threads that have left, perhaps by an error: see {@link #follow}. */
  readonly #followed = new WeakSet<WorkerBody>()
  readonly #teardowns = new TeardownLimits((body, ms) => this.#endTeardown(body, ms))
  #deathsSeen: number
  #nextPulse = 0
  /** Whether the event loop has not turned since the last pulse. */
  #isDeaf = false

  constructor(memory: PoolMemory, workerTable: SharedWorkerTable, owner: WorkerThreadsOwner) {
    this.#memory = memory
    this.#sideChannel = SideChannel.of(memory)
    this.#workerTable = workerTable
    this.#owner = owner
    this.#deathsSeen = memory.threadContext.registry.deaths
  }

  /** Makes the thread of a worker that is to be started; false if the factory refuses. */
  make(worker: SharedWorker): boolean {
    // The worker that had this line before may have died of a command: its error must be reported with the right
    // thread.
    if (this.#threads[worker.number] !== undefined) {
      this.#owner.look()
      this.#tellExit(worker)
    }
    worker.request() // if the owner itself has admitted it
    worker.take()
    this.isRefused = true // should the factory throw
    const thread = this.#owner.newThread(
      platformTarget((options) => {
        const body = new WorkerBody(this.#memory.handle, this.#sideChannel, worker, options, (it) => this.#hearOf(it))
        this.#bodies[worker.number] = body
        this.#teardowns.add(body)
        return body
      }),
    )
    this.#memory.threadContext.chores.add(this)
    this.#threads[worker.number] = worker.thread = thread
    this.#latest = thread ?? this.#latest
    this.isRefused = thread === undefined
    return thread !== undefined
  }

  /** Throws what the runtime, or the user's `workerFactory`, throws: then the worker has no thread. */
  start(worker: SharedWorker): void {
    try {
      this.#threads[worker.number]?.start()
    } catch (error) {
      this.forget(worker)
      throw error
    }
  }

  /** Whether a thread of the pool has begun and is not known to have ended, also one that has left. */
  get areSome(): boolean {
    return this.#bodies.some((body) => body !== undefined)
  }

  bodyOf(worker: SharedWorker): WorkerBody | undefined {
    return this.#bodies[worker.number]
  }

  /**
   * The thread in whose name an error of this worker is reported. If the worker has no thread any more, or is not
   * known, the latest thread of the pool, whose handler is usually the same; the current thread if there has never been
   * one.
   */
  threadOf(worker: SharedWorker | undefined): Thread {
    return (worker && this.#threads[worker.number]) ?? this.#latest ?? threadHere()
  }

  /** The worker no longer belongs to the pool: returns its thread. */
  forget(worker: SharedWorker): Thread {
    const thread = this.threadOf(worker)
    this.#bodies[worker.number] = undefined
    this.#threads[worker.number] = worker.thread = undefined
    if (!this.areSome) this.#memory.threadContext.chores.delete(this)
    return thread
  }

  /** The same for a thread that was asked to end and is not known to have stopped. */
  dismiss(body: WorkerBody): Thread {
    this.#ending.add(body)
    this.#memory.threadContext.ending.add(body.worker.token)
    return this.forget(body.worker)
  }

  /** Reaps the workers that are found dead. */
  look(isBlocked: boolean): void {
    this.#teardowns.look()
    const { deaths } = this.#memory.threadContext.registry
    if (deaths === this.#deathsSeen) return
    this.#deathsSeen = deaths
    this.#onDeath(isBlocked)
    this.#owner.relieve(this.threadOf(undefined))
  }

  /**
   * A thread has died. If it has said why, there is no need to wait for the runtime, which cannot say so while this
   * thread blocks.
   */
  #onDeath(isBlocked: boolean): void {
    this.#release()
    for (const worker of this.#workerTable) {
      const body = this.#bodies[worker.number]
      if (body === undefined || !worker.hasDied) continue
      const { farewell } = body
      if (isBlocked || farewell !== undefined) this.#owner.reap(body, causeOf(body, farewell), true)
      if (farewell === undefined) this.#follow(body)
      else if (farewell.code === BROKEN) body.terminate() // it has stopped, and does not end by itself
    }
  }

  /**
   * The thread has left, usually by an error. It is ended once it has reported the error, however late that is, and not
   * before: what a thread has not reported when it is ended is lost.
   */
  #follow(body: WorkerBody): void {
    if (this.#followed.has(body)) return
    this.#followed.add(body)
    const look = (): void => {
      if (body.death !== undefined) return
      if (body.hasSaidAll) body.end()
      else Timer.after(LOOK_AGAIN, look)
    }
    Timer.after(LOOK_AGAIN, look)
  }

  /** Releases what threads that were ending, and have stopped, still had. */
  #release(): void {
    for (const body of this.#ending) {
      const { worker } = body
      if (worker.isAlive) continue
      this.#ending.delete(body)
      this.#owner.inherit(worker.token)
      worker.free()
    }
  }

  // ------------------------------------------------------------------ while the owner blocks

  get dueIn(): number {
    return this.#nextPulse - now()
  }

  /**
   * Looks for threads that are gone, also those without a farewell, for lack of memory. Not if the event loop has
   * turned: it would learn more.
   */
  run(): void {
    this.#nextPulse = now() + PULSE
    const isDeaf = this.#isDeaf
    this.#isDeaf = true
    if (!isDeaf) {
      runtime.afterTurn(() => (this.#isDeaf = false))
      return
    }
    this.look(true)
    for (const body of this.#bodies) {
      if (body === undefined || !body.worker.isCounted || !body.isGone) continue
      // Once more, now that the thread is known to be gone: it may have left in order in between.
      if (body.worker.isCounted) this.#owner.reap(body, causeOf(body, undefined), true)
    }
  }

  /** The runtime says that a thread has ended. The worker may have been reaped before that. */
  #hearOf(body: WorkerBody): void {
    const { worker } = body
    this.#owner.look()
    this.#teardowns.delete(body)
    if (this.#bodies[worker.number] === body) {
      if (worker.status === TEARDOWN) this.#diedInTeardown(body)
      else if (!worker.isCounted && worker.status !== STARTING) {
        this.#tellExit(worker)
        const thread = this.forget(worker)
        if (body.death?.code === 0) this.#owner.left()
        else this.#owner.review()
        this.#owner.relieve(thread)
      } else this.#owner.reap(body, causeOf(body, body.death), body.hasStopped)
    }
    body.tellIfUnheard()
  }

  /** A worker has left by itself. */
  #tellExit(worker: SharedWorker): void {
    this.#owner.exited(worker, this.threadOf(worker), this.bodyOf(worker)?.hasThrown === true)
  }

  /** Reports the error before the pool may terminate. */
  #diedInTeardown(body: WorkerBody): void {
    const { hasStopped, worker } = body
    body.tellIfUnheard()
    body.isBlamed = true // for the error: it is not reported again
    if (hasStopped) {
      this.#memory.threadContext.registry.reap(worker.token)
      this.#owner.inherit(worker.token)
    }
    this.#leaveTeardown(body, hasStopped)
    this.#owner.review()
  }

  /** The time is up. */
  #endTeardown(body: WorkerBody, ms: number): void {
    const thread = this.threadOf(body.worker)
    if (!this.#leaveTeardown(body, false)) return
    body.terminate()
    const why = `Thread "${body.name}" was terminated: its teardown did not end within ${ms} ms`
    thread[REPORT_UNCAUGHT](new ThreadDeathError(why))
    this.#owner.review()
  }

  #leaveTeardown(body: WorkerBody, hasStopped: boolean): boolean {
    const { worker } = body
    if (!endTeardown(this.#memory, worker.number, hasStopped ? FREE : ENDING)) return false
    this.#owner.exited(worker, this.threadOf(worker), true)
    if (hasStopped) this.forget(worker)
    else this.dismiss(body)
    return true
  }
}

function causeOf({ name, worker, reason }: WorkerBody, death: Death | undefined): ThreadDeathError {
  const when = worker.token === 0 ? "before it could begin the task" : "while it ran the task"
  if (death?.error !== undefined) {
    const { error } = death
    const why = isError(error) ? messageOf(error) : show(error)
    return new ThreadDeathError(`Thread "${name}" died ${when}: ${why}`, { cause: error })
  }
  if (death?.code === BROKEN) {
    const why = "the code of corepool has failed there, as it does if a task breaks built-in objects"
    const ended = `Thread "${name}" was ended ${when}: ${why}`
    return reason === ""
      ? new ThreadDeathError(ended)
      : new ThreadDeathError(`${ended} (${reason})`, { cause: new Error(reason) })
  }
  const code = death === undefined ? "" : ` with exit code ${death.code}`
  return new ThreadDeathError(`Thread "${name}" ended${code} ${when}`)
}
