import { FAIL } from "../../future/internals.ts"
import { REPORT_UNCAUGHT } from "../../memory/flow/internals.ts"
import { RejectedExecutionError, ThreadDeathError } from "../../errors.ts"
import type { Runnable } from "../../future/runnable.ts"
import { guarded, heed, type Report } from "../../memory/flow/guard.ts"
import { atLeast, SHUTDOWN, STOP, TERMINATED, TIDYING } from "../../core/control-word.ts"
import { handBack } from "../../pool/engine/unrun-tasks.ts"
import type { PoolShell } from "../../pool/engine/pool-engine.ts"
import type { Admission } from "../../core/pool-host.ts"
import type { PoolInfo } from "../../observing.ts"
import type { WorkerBody } from "../start/thread-body.ts"
import { ThreadEvents } from "./thread-events.ts"
import type { BlockingQueue } from "../../queue/base/blocking-queue.ts"
import type { Extras } from "./extras.ts"
import { threadHere } from "../../thread/thread.ts"
import { WorkerThreads } from "./worker-threads.ts"
import { isEnding } from "../memory/workers/endings.ts"
import { TerminationTimer } from "./termination-timer.ts"
import { unwatchPool, warnOfForgotten } from "./forgotten-pools.ts"
import { ForeignWork } from "./foreign-work.ts"
import { HalfDone } from "./half-done.ts"
import { HeldUpThreads } from "./held-up-threads.ts"
import { Hooks } from "./hooks.ts"
import { endOrphanedForks } from "./orphaned-forks.ts"
import { DONE, HEADER } from "../memory/layout.ts"
import { policyNumber } from "../member/policies.ts"
import { PoolMember } from "../member/pool-member.ts"
import { PoolMemory } from "../memory/pool-memory.ts"
import { WorkerReaper } from "./worker-reaper.ts"
import type { SharedWorker } from "../memory/workers/shared-worker.ts"
import { REQUESTED } from "../memory/workers/worker-line.ts"
import { boundOf, orderingOf } from "../member/task-queue-backend.ts"

const DIED_BEFORE = "The thread that has submitted the task died before the task could begin"

const SPARE_PART = 8 // The owner keeps at most one slot in this many for its own next tasks.

/**
 * The owner's side of a pool of platform threads, in the thread that made it. Only the owner makes threads, is notified
 * of their end, and has the user's factory, handler and hooks. Other threads ring its bell, also while it blocks.
 */
export class PoolOwner extends PoolMember {
  readonly #shell: PoolShell
  readonly info: PoolInfo
  readonly #events: ThreadEvents
  readonly #terminationTimer: TerminationTimer
  readonly #hooks: Hooks
  readonly #heldUpThreads: HeldUpThreads
  readonly #workerThreads: WorkerThreads
  readonly #reaper: WorkerReaper
  readonly #halfDone: HalfDone
  readonly #foreignWork: ForeignWork
  #isShuttingDown = false
  #deathsSeen = 0

  constructor(queue: BlockingQueue<Runnable>, shell: PoolShell, maximum: number, { deques, limiter }: Extras = {}) {
    const memory = PoolMemory.create(boundOf(queue), orderingOf(queue), maximum, deques, limiter?.handle)
    const inside: Runnable[] = []
    queue.drainTo(inside)
    super(memory, queue)
    this.tasks.keepSpare(Math.floor(memory.capacity / SPARE_PART))
    this.waiting.openEntrance?.()
    this.limiter = limiter
    this.#shell = shell
    this.info = shell.info
    this.#workerThreads = new WorkerThreads(memory, this.workerTable, {
      newThread: (target) => shell.newThread(target),
      look: () => this.submissions.look(),
      reap: (body, cause, hasStopped) => this.#reap(body, cause, hasStopped),
      exited: (worker, thread, died) => this.#events.exited(worker, thread, died),
      review: () => this.#review(),
      left: () => this.#halfDone.admitForDead(),
      inherit: (token) => this.inherit(token),
      relieve: (thread) => this.core.relieve((error) => thread[REPORT_UNCAUGHT](error)),
    })
    const { tasks, completionQueues, waiting, submissions, core } = this
    this.#reaper = new WorkerReaper(
      { memory, tasks, completionQueues, waiting, submissions, core, workerThreads: this.#workerThreads },
      {
        restore: (slot) => this.#restore(slot),
        inherit: (token) => this.inherit(token),
        recount: () => this.#halfDone.miscounted(),
      },
    )
    this.#halfDone = new HalfDone({
      memory,
      workerTable: this.workerTable,
      core,
      waiting,
      workerThreads: this.#workerThreads,
      fail: (slot) => this.#reaper.failTasks([slot], new ThreadDeathError(DIED_BEFORE), threadHere()),
      report: (error) => this.reportLocal(error, 0),
    })
    this.#foreignWork = new ForeignWork({
      memory,
      submissions,
      waiting,
      completionQueues,
      isQuiet: () => this.isQuiet,
      activeCount: () => this.activeCount,
      isShuttingDown: () => this.#isShuttingDown,
      quiescent: () => shell.quiescent(),
    })
    const bodyOf = (worker: SharedWorker): WorkerBody | undefined => this.#workerThreads.bodyOf(worker)
    this.#terminationTimer = new TerminationTimer(tasks, bodyOf, memory.threadContext.chores, () =>
      this.#terminateOverdue(),
    )
    this.#heldUpThreads = new HeldUpThreads(memory, this.workerTable, bodyOf, submissions.bell)
    this.#hooks = new Hooks(this.tasks, this.completionQueues, this.submissions, (slot) => this.foreign(slot, false), {
      before: (worker, task) => shell.beforeExecute(this.#workerThreads.threadOf(worker), task),
      after: (task, error) => shell.afterExecute(task, error),
      report: (worker, error) => this.#workerThreads.threadOf(worker)[REPORT_UNCAUGHT](error),
    })
    this.#events = new ThreadEvents(memory, shell.info, this.functions, (number) =>
      this.#workerThreads.threadOf(this.workerTable.at(number)),
    )
    memory.setHeader(HEADER.HOOKS, shell.hooks)
    memory.setOwner(this.submissions.bell.index)
    this.submissions.bell.onRest = () => shell.rest()
    for (const task of inside) queue.add(task)
  }

  /** The process stays alive until the pool has terminated. */
  shuttingDown(): void {
    const seen = this.state.control.snapshot
    if (atLeast(seen, STOP)) this.#terminationTimer.markAll(this.workerTable)
    if (this.#isShuttingDown || atLeast(seen, TERMINATED)) return
    this.#isShuttingDown = true
    this.submissions.keepAlive(true)
  }

  /** The pool is garbage: it has no tasks, and none can come. */
  forget(): void {
    if (!this.state.control.isRunning) return
    warnOfForgotten(this.poolSize)
    this.beginEnd()
    this.state.control.advanceTo(SHUTDOWN)
    this.shuttingDown()
    this.interruptIdleWorkers()
    this.dropUnwanted()
    this.finishEnd()
  }

  // ------------------------------------------------------------------ threads

  protected override newWorker(firstTask: number | undefined): SharedWorker | undefined {
    const worker = this.#reaper.makesNoThreads ? undefined : this.workerTable.enlist(firstTask)
    if (worker === undefined) return undefined
    let made = false
    try {
      made = this.#workerThreads.make(worker)
    } finally {
      if (!made) {
        worker.release()
        worker.vacate()
      }
    }
    return made ? worker : undefined
  }

  protected override startWorker(worker: SharedWorker): void {
    this.#workerThreads.start(worker)
    this.#events.started(worker, this.#workerThreads.threadOf(worker))
  }

  #reap(body: WorkerBody, cause: ThreadDeathError, hasStopped: boolean): void {
    this.#events.exited(body.worker, this.#workerThreads.threadOf(body.worker), true)
    this.#halfDone.reaping(() => this.#reaper.reap(body, cause, hasStopped))
  }

  override finishEnd(): void {
    super.finishEnd()
    this.#relieve()
  }

  #relieve(): void {
    this.core.relieve((error) => this.reportLocal(error, 0))
  }

  // ------------------------------------------------------------------ service

  /** Does for other threads what only the owner can. An error of one piece of user code must not stop the next. */
  serve(isBlocked: boolean): void {
    this.#workerThreads.look(isBlocked)
    for (const worker of this.workerTable) this.#attend(worker)
    this.#rejectForOthers()
    this.#inherit()
    this.#foreignWork.review()
    this.#foreignWork.announce()
    if (this.#terminationTimer.dueIn <= 0) this.#terminateOverdue()
    const seen = this.state.control.snapshot
    if (!atLeast(seen, SHUTDOWN) || atLeast(seen, TERMINATED)) return
    this.shuttingDown() // another thread may have shut it down
    this.#relieve()
    // The last worker rings and leaves if the pool may not terminate yet, perhaps because of #inherit in this thread.
    const last = this.memory.header(HEADER.LAST)
    guarded(
      () => (atLeast(seen, TIDYING) ? this.endPool() : this.core.tryTerminate()),
      (error) => this.reportLocal(error, last),
    )
  }

  // ------------------------------------------------------------------ the end

  /**
   * Does what dead threads that were no workers have left undone, see taker.ts and endings.ts. The caller then asks
   * whether the pool may terminate.
   */
  #inherit(): void {
    const { deaths } = this.memory.threadContext.registry
    if (deaths === this.#deathsSeen) return
    this.#deathsSeen = deaths
    this.endings.inherit(({ claims, ends, resumes }) => {
      for (const slot of claims) this.#restore(slot)
      if (resumes) this.#halfDone.resume()
      if (ends || atLeast(this.state.control.snapshot, STOP)) this.finishEnding()
    })
    this.#halfDone.afterDeath()
    const { memory, tasks, waiting, workerTable } = this
    endOrphanedForks({ memory, tasks, waiting, workerTable, stop: (slot, handle) => this.stop(slot, handle) })
  }

  /** A thread has died while it was shutting the pool down. */
  protected finishEnding(): void {
    const seen = this.state.control.snapshot
    if (!atLeast(seen, SHUTDOWN)) return // it had not begun
    if (atLeast(seen, STOP)) {
      this.interruptWorkers()
      this.#sweep()
    } else {
      this.interruptIdleWorkers()
      this.dropUnwanted()
    }
  }

  /** The pool has stopped: cancels what was left in its queue, or got there since. */
  #sweep(): void {
    this.endings.begin()
    this.drain((task) => handBack(task, "The pool"))
    this.endings.end()
  }

  /** The last worker has left. If the pool has stopped, no other thread takes what is still in the queue. */
  protected override mayEnd(isEmpty: boolean): boolean {
    this.#inherit()
    if (isEmpty || !atLeast(this.state.control.snapshot, STOP) || isEnding(this.memory)) return super.mayEnd(isEmpty)
    this.#sweep()
    return super.mayEnd(this.waiting.isEmpty)
  }

  /** Does for a worker what only the owner can. */
  #attend(worker: SharedWorker): void {
    try {
      if (worker.status === REQUESTED) this.#grant(worker)
      const handle = worker.takeStop()
      if (handle !== 0) this.#terminationTimer.mark(worker, handle)
      const { asked } = worker
      if (asked !== 0 && asked < DONE) this.#hooks.call(worker, asked)
    } catch (error) {
      this.reportLocal(error, worker.number)
    }
  }

  /** Guests do not have the owner's handler, so they leave it the tasks that the pool has rejected. */
  #rejectForOthers(): void {
    for (let slot = this.memory.setHeader(HEADER.REJECTED, 0); slot !== 0;) {
      const next = this.tasks.nextOf(slot)
      const task = this.foreign(slot, true)
      guarded(
        () => this.#shell.reject(task),
        (error) => task[FAIL](error),
      )
      slot = next
    }
  }

  watchForQuiescence(): boolean {
    return this.#foreignWork.watch()
  }

  /** Another thread has admitted a worker. */
  #grant(worker: SharedWorker): void {
    try {
      if (this.#workerThreads.make(worker)) {
        worker.start()
        return
      }
    } catch (error) {
      this.core.noteFactoryThrew()
      this.reportLocal(error, 0) // 0: another worker may have had this line before
    }
    const task = worker.currentSlot
    worker.vacate()
    this.state.control.removeWorker()
    const refusal = new RejectedExecutionError("The thread factory refused to make a thread")
    if (task !== 0) this.#reaper.failTasks([task], refusal, threadHere())
    this.#relieve()
    this.core.tryTerminate()
  }

  protected override limitStop(worker: SharedWorker): void {
    this.#terminationTimer.mark(worker)
  }

  protected override rejectTask(task: Runnable): void {
    this.#shell.reject(task)
  }

  /** Reaps the workers whose time to stop is over. */
  #terminateOverdue(): void {
    for (const body of this.#terminationTimer.markTerminating()) {
      const what = body.worker.currentSlot === 0 ? "code that a task has left behind" : "its task"
      const why = `Thread "${body.name}" was terminated: ${what} did not stop when it was interrupted`
      guarded(
        // Guarded: whatever happens, the others are terminated too.
        () => this.#reap(body, new ThreadDeathError(why), false),
        (error) => this.reportLocal(error, body.worker.number),
      )
    }
  }

  /** A command has thrown this. The thread of the worker ends. */
  reportUncaught(error: unknown, worker: number): void {
    const threw = this.workerTable.at(worker)
    const body = this.#workerThreads.bodyOf(threw)
    if (body !== undefined) body.hasThrown = true
    this.#workerThreads.threadOf(threw)[REPORT_UNCAUGHT](error)
  }

  reportLocal(error: unknown, worker: number): void {
    this.#workerThreads.threadOf(worker === 0 ? undefined : this.workerTable.at(worker))[REPORT_UNCAUGHT](error)
  }

  setHandler(handler: object): void {
    this.memory.setHeader(HEADER.POLICY, policyNumber(handler))
  }

  // ------------------------------------------------------------------ death

  #review(): void {
    guarded(
      () => {
        if (!this.waiting.isEmpty) this.core.ensureWorker()
        this.core.tryTerminate()
        this.#foreignWork.announce()
      },
      (error) => this.reportLocal(error, 0),
    )
  }

  #restore(slot: number): void {
    if (this.isOrphan(slot)) this.waiting.restore(slot)
  }

  /** Settles what else the worker with this token has left. Its thread has stopped. */
  protected inherit(_token: number): void {}

  protected override admission(): Admission<number> {
    return { ...super.admission(), failWaiting: (error, report) => this.#failWaiting(error, report) }
  }

  /** Fails the tasks that wait now; not those that user code submits because of that. */
  #failWaiting(error: unknown, report: Report): void {
    this.endings.begin()
    try {
      const slots: number[] = []
      for (let slot = this.waiting.draw(); slot !== undefined; slot = this.waiting.draw()) slots.push(slot)
      this.#reaper.failTasks(slots, error, { [REPORT_UNCAUGHT]: report })
      this.state.completed.add(slots.length)
    } finally {
      this.endings.end()
    }
  }

  protected override endPool(): void {
    try {
      heed(this.#shell.terminated(), (error) => this.reportLocal(error, this.memory.header(HEADER.LAST)))
    } finally {
      this.state.control.terminate()
      this.memory.noteEnd()
      this.#heldUpThreads.stop()
      this.#events.end()
      unwatchPool(this)
      this.submissions.keepAlive(false)
      this.submissions.retire()
      this.completionQueues.ringAll()
      this.#shell.announceTermination()
    }
  }
}
