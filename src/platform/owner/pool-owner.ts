/**
 * The owner of a pool of platform threads: the thread that made it. It alone can make threads, hears of their end, and has the
 * user's factory, handler and hooks. Others ask it by ringing its bell, which it answers also while it blocks.
 */
import { RejectedExecutionError, ThreadDeathError } from "../../errors.ts"
import type { Runnable } from "../../future/runnable.ts"
import { guarded, heed, type Report } from "../../memory/flow/guard.ts"
import { atLeast, SHUTDOWN, STOP, TERMINATED, TIDYING } from "../../core/control-word.ts"
import { handBack } from "../../pool/hand-back.ts"
import type { PoolShell } from "../../pool/pool-engine.ts"
import type { PoolHost } from "../../core/pool-host.ts"
import type { RejectedExecutionHandler } from "../../pool/rejection.ts"
import type { BlockingQueue } from "../../queue/base/blocking-queue.ts"
import { Thread } from "../../thread/thread.ts"
import { Crew } from "./crew.ts"
import { isEnding } from "../memory/endings.ts"
import { Executioner } from "./executioner.ts"
import { unwatchPool, warnOfForgotten } from "./forgotten-pools.ts"
import { Hooks } from "./hooks.ts"
import { DONE, HEADER } from "../memory/layout.ts"
import { failOrphan, isUndelivered } from "../member/orphans.ts"
import { Burials } from "../memory/burials.ts"
import { policyNumber } from "../member/policies.ts"
import { PoolMember } from "../member/pool-member.ts"
import { PoolMemory } from "../memory/pool-memory.ts"
import { Remains } from "./remains.ts"
import { REQUESTED, type SharedWorker } from "../memory/shared-worker.ts"
import { boundOf, orderingOf } from "../member/task-form.ts"
import type { WorkerBody } from "../start/thread-body.ts"

/** One of so many slots at most the owner keeps for itself while it does not need them. */
const SPARE_PART = 8

export class PoolOwner extends PoolMember {
  readonly #shell: PoolShell
  readonly #executioner: Executioner
  readonly #hooks: Hooks
  readonly #crew: Crew
  readonly #burials: Burials
  #isShuttingDown = false
  #makesNoThreads = false
  #deathsSeen = 0

  /** `deques` if the workers are to have tasks of their own: see platform/queue/deques.ts. */
  constructor(queue: BlockingQueue<Runnable>, shell: PoolShell, maximum: number, deques?: Int32Array) {
    const memory = PoolMemory.create(boundOf(queue), orderingOf(queue), maximum, deques)
    const inside: Runnable[] = []
    queue.drainTo(inside)
    super(memory, queue)
    this.tasks.keepSpare(Math.floor(memory.capacity / SPARE_PART))
    this.#shell = shell
    this.#burials = new Burials(memory)
    this.#crew = new Crew(memory, this.roster, {
      newThread: (target) => shell.newThread(target),
      look: () => this.submissions.look(),
      bury: (body, cause, hasStopped) => this.#bury(body, cause, hasStopped),
      review: () => this.#review(),
      inherit: (token) => this.inherit(token),
      relieve: (thread) => this.core.relieve((error) => thread.reportUncaught(error)),
    })
    this.#executioner = new Executioner(
      this.tasks,
      (worker) => this.#crew.bodyOf(worker),
      memory.here.chores,
      () => this.#execute(),
    )
    this.#hooks = new Hooks(this.tasks, this.boxes, this.submissions, (slot) => this.foreign(slot, false), {
      before: (worker, task) => shell.beforeExecute(this.#crew.threadOf(worker), task),
      after: (task, error) => shell.afterExecute(task, error),
      report: (worker, error) => this.#crew.threadOf(worker).reportUncaught(error),
    })
    memory.setHeader(HEADER.HOOKS, shell.hooks)
    memory.setOwner(this.submissions.bell.index)
    this.submissions.bell.onRest = () => shell.rest()
    for (const task of inside) queue.add(task)
  }

  /** The process stays until the pool has ended. */
  shuttingDown(): void {
    if (this.#isShuttingDown || atLeast(this.state.control.snapshot, TERMINATED)) return
    this.#isShuttingDown = true
    this.submissions.keepAlive(true)
  }

  /** The pool is garbage: nothing is to be done, and nothing can come. */
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
    const worker = this.#makesNoThreads ? undefined : this.roster.enlist(firstTask)
    if (worker === undefined) return undefined
    let made = false
    try {
      made = this.#crew.make(worker)
    } finally {
      if (!made) {
        worker.release()
        worker.vacate()
      }
    }
    return made ? worker : undefined
  }

  protected override startWorker(worker: SharedWorker): void {
    this.#crew.start(worker)
  }

  override finishEnd(): void {
    super.finishEnd()
    this.#relieve()
  }

  #relieve(): void {
    this.core.relieve((error) => this.reportLocal(error, 0))
  }

  // ------------------------------------------------------------------ service

  /** Does for other threads what only the owner can. Much of it is code of the user's, of which one piece must not keep the next from being called. */
  serve(isBlocked: boolean): void {
    this.#crew.look(isBlocked)
    for (const worker of this.roster) this.#attend(worker)
    this.#rejectForOthers()
    this.#inherit()
    this.#reviewForeignWork()
    if (this.#executioner.dueIn <= 0) this.#execute()
    const seen = this.state.control.snapshot
    if (!atLeast(seen, SHUTDOWN) || atLeast(seen, TERMINATED)) return
    this.shuttingDown() // another thread may have said so
    this.#relieve()
    // The last worker rings and goes if the pool may not end yet: because of this thread, perhaps, which has just looked for what the dead have left.
    const last = this.memory.header(HEADER.LAST)
    guarded(
      () => (atLeast(seen, TIDYING) ? this.endPool() : this.core.tryTerminate()),
      (error) => this.reportLocal(error, last),
    )
  }

  // ------------------------------------------------------------------ the end

  /** Does what dead threads have left undone that were no workers, see taker.ts and endings.ts. The caller asks then whether the pool may end. */
  #inherit(): void {
    const { deaths } = this.memory.here.space
    if (deaths === this.#deathsSeen) return
    this.#deathsSeen = deaths
    this.endings.inherit(({ claims, ends }) => {
      for (const slot of claims) this.#restore(slot)
      if (ends || atLeast(this.state.control.snapshot, STOP)) this.finishEnding()
    })
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

  /** The pool has stopped, and something has been left in its queue, or got there since: it is cancelled. */
  #sweep(): void {
    this.endings.begin()
    this.drain((task) => handBack(task, "The pool"))
    this.endings.end()
  }

  /** The last worker has left. What is still in the queue of a pool that has stopped, no other thread is going to take. */
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
      if (handle !== 0) this.#executioner.mark(worker, handle)
      const { asked } = worker
      if (asked !== 0 && asked < DONE) this.#hooks.call(worker, asked)
    } catch (error) {
      this.reportLocal(error, worker.number)
    }
  }

  /** Other threads have no function of this one's, so they leave it the tasks that the pool has not taken. */
  #rejectForOthers(): void {
    for (let slot = this.memory.setHeader(HEADER.REJECTED, 0); slot !== 0;) {
      const next = this.tasks.nextOf(slot)
      const task = this.foreign(slot, true)
      guarded(
        () => this.#shell.reject(task),
        (error) => task.fail(error),
      )
      slot = next
    }
  }

  /** The process stays for what other threads have submitted; they see to it that this is looked at when it is over. */
  #reviewForeignWork(): void {
    while (this.memory.header(HEADER.FOREIGN) !== 0) {
      if (!this.isQuiet) {
        this.submissions.keepAlive(true)
        return
      }
      this.memory.setHeader(HEADER.FOREIGN, 0)
      if (this.isQuiet) {
        if (!this.#isShuttingDown) this.submissions.keepAlive(false)
        return
      }
      // A task has come in between, from a thread that has seen FOREIGN set. It may be over by now, on a thread that has not.
      this.memory.setHeader(HEADER.FOREIGN, 1)
    }
  }

  /** Whether nothing is to be done. */
  protected get isQuiet(): boolean {
    return this.waiting.isEmpty && this.activeCount === 0
  }

  /** Another thread has admitted a worker. */
  #grant(worker: SharedWorker): void {
    try {
      if (this.#crew.make(worker)) {
        worker.start()
        return
      }
    } catch (error) {
      this.core.noteFactoryThrew()
      this.reportLocal(error, 0) // the place of the worker was perhaps another's: which one is to be replaced is not known
    }
    const task = worker.handheld
    worker.vacate()
    this.state.control.removeWorker()
    const refusal = new RejectedExecutionError("The thread factory refused to make a thread")
    if (task !== 0) this.#failTasks([task], refusal, Thread.currentThread())
    this.#relieve()
    this.core.tryTerminate()
  }

  protected override sentence(worker: SharedWorker): void {
    this.#executioner.mark(worker)
  }

  protected override rejectTask(task: Runnable): void {
    this.#shell.reject(task)
  }

  #execute(): void {
    for (const body of this.#executioner.condemn()) {
      const why = `Thread "${body.name}" was terminated: its task did not stop when it was interrupted`
      guarded(
        () => this.#bury(body, new ThreadDeathError(why), false), // whatever becomes of that, the others are condemned too
        (error) => this.reportLocal(error, body.worker.number),
      )
    }
  }

  reportUncaught(error: unknown, worker: number): void {
    this.#crew.threadOf(this.roster.at(worker)).reportUncaught(error)
  }

  reportLocal(error: unknown, worker: number): void {
    this.#crew.threadOf(worker === 0 ? undefined : this.roster.at(worker)).reportUncaught(error)
  }

  setHandler(handler: RejectedExecutionHandler): void {
    this.memory.setHeader(HEADER.POLICY, policyNumber(handler))
  }

  // ------------------------------------------------------------------ death

  /**
   * A worker is lost: its tasks are over, and there will be another one in its place. What else it had, locks for instance, is
   * others' as soon as its thread has stopped; it is still its own if it has only been told to.
   */
  #bury(body: WorkerBody, cause: ThreadDeathError, hasStopped: boolean): void {
    const { worker } = body
    this.#burials.begin()
    const left = new Remains(worker)
    const { token, task } = left
    const thread = hasStopped ? this.#crew.forget(worker) : this.#crew.dismiss(body)
    if (!hasStopped) {
      worker.retire()
      body.terminate()
    } else if (token !== 0) this.memory.here.space.bury(token)
    this.submissions.look() // what has arrived is not in its hand any more, whatever that says
    const inHand = left.inHand(worker, this.tasks, () => this.#isUndelivered(worker))
    worker.release()
    if (left.waited) this.waiting.forgetWaiter()
    body.isBlamed = inHand.size > 0
    this.#failTasks(inHand, cause, thread)
    this.state.completed.add(left.uncounted(inHand))
    if (left.toRestore !== 0) this.#restore(left.toRestore)
    else if (task === 0 && token === 0) body.isBlamed ||= this.#failNext(cause, thread)
    if (token !== 0 && hasStopped) this.inherit(token)
    this.#burials.end()
    // One that could not even begin is replaced only if there is something to do: the next one would fare alike.
    this.#makesNoThreads = token === 0 && this.waiting.isEmpty
    guarded(
      () => this.core.workerExit(worker, true), // of the factory, or terminated(): here is nobody to hear of it
      (error) => thread.reportUncaught(error),
    )
    this.#makesNoThreads = false
    this.core.relieve((error) => thread.reportUncaught(error))
    this.memory.ringIfIdle()
  }

  #review(): void {
    guarded(
      () => {
        if (!this.waiting.isEmpty) this.core.ensureWorker()
        this.core.tryTerminate()
      },
      (error) => this.reportLocal(error, 0),
    )
  }

  #restore(slot: number): void {
    if (this.isOrphan(slot)) this.waiting.restore(slot)
  }

  /** What else a worker has left whose thread has stopped. */
  protected inherit(_token: number): void {}

  #isUndelivered(worker: SharedWorker): boolean {
    return isUndelivered(worker, this.tasks, this.boxes) && !this.submissions.hasArrived(worker.handheld)
  }

  /** A thread that could not even begin costs a task: otherwise threads would be made for ever. True if there was one. */
  #failNext(cause: ThreadDeathError, thread: Thread): boolean {
    const slot = this.waiting.seize()
    if (slot === undefined) return false
    this.#failTasks([slot], cause, thread)
    this.state.completed.increment()
    return true
  }

  protected override host(): PoolHost<number> {
    return { ...super.host(), failWaiting: (error, tell) => this.#failWaiting(error, tell) }
  }

  /** All that waits now: what the user's code submits when it hears of that is not among it. */
  #failWaiting(error: unknown, tell: Report): void {
    this.endings.begin()
    try {
      const slots: number[] = []
      for (let slot = this.waiting.draw(); slot !== undefined; slot = this.waiting.draw()) slots.push(slot)
      this.#failTasks(slots, error, { reportUncaught: tell })
      this.state.completed.add(slots.length)
    } finally {
      this.endings.end()
    }
  }

  #failTasks(slots: Iterable<number>, error: unknown, thread: Pick<Thread, "reportUncaught">): void {
    for (const slot of slots) failOrphan(slot, error, this.tasks, this.boxes, (it) => thread.reportUncaught(it))
  }

  protected override endPool(): void {
    try {
      heed(this.#shell.terminated(), (error) => this.reportLocal(error, this.memory.header(HEADER.LAST)))
    } finally {
      this.state.control.terminate()
      this.memory.noteEnd()
      unwatchPool(this)
      this.submissions.keepAlive(false)
      this.submissions.retire()
      this.boxes.ringAll()
      this.#shell.announceTermination()
    }
  }
}
