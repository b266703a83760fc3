/**
 * A pool whose threads are worker threads. The owner, which is the thread that made the pool, is one more submitter; but it
 * alone can make threads, hears of their end, and has the user's factory, handler and hooks. Others ask it by ringing its
 * bell, which it answers also while it blocks.
 */
import { encode } from "../codec/codec.ts"
import { RejectedExecutionError, ThreadDeathError } from "../errors.ts"
import { callable as keepApart } from "../future/call.ts"
import type { Callable, Runnable } from "../future/runnable.ts"
import { COMPLETING, EXCEPTIONAL, NEW } from "../future/task-state.ts"
import { atLeast, TERMINATED, TIDYING } from "../pool/control-word.ts"
import { PoolCore } from "../pool/pool-core.ts"
import type { PoolEngine, PoolShell } from "../pool/pool-engine.ts"
import type { PoolHost } from "../pool/pool-host.ts"
import type { PoolState } from "../pool/pool-state.ts"
import { type Capabilities, PLATFORM } from "../pool/thread-pool-options.ts"
import type { BlockingQueue } from "../queue/blocking-queue.ts"
import { platformTarget } from "../thread/platform-threads.ts"
import { Thread } from "../thread/thread.ts"
import { Boxes } from "./boxes.ts"
import { Executioner } from "./executioner.ts"
import { FunctionTable } from "./function-table.ts"
import { PoolMemory } from "./pool-memory.ts"
import { REQUESTED, RUNNING, SharedRoster, type SharedWorker, STARTING } from "./shared-roster.ts"
import { type Service, Submissions } from "./submissions.ts"
import { boundOf, TaskForm } from "./task-form.ts"
import { TaskRecords } from "./task-records.ts"
import { type Death, WorkerBody } from "./thread-body.ts"
import { WorkRing } from "./work-ring.ts"

export class PlatformEngine implements PoolEngine, Service {
  readonly state: PoolState
  readonly queue: BlockingQueue<Runnable>
  readonly #shell: PoolShell
  readonly #memory: PoolMemory
  readonly #tasks: TaskRecords
  readonly #boxes: Boxes
  readonly #ring: WorkRing
  readonly #roster: SharedRoster
  readonly #submissions: Submissions
  readonly #core: PoolCore<number>
  readonly #executioner: Executioner
  /** The threads, by the number of their worker. */
  readonly #bodies: (WorkerBody | undefined)[] = []
  readonly #threads: (Thread | undefined)[] = []
  #deathsSeen: number
  #isShuttingDown = false

  constructor(queue: BlockingQueue<Runnable>, shell: PoolShell, maximum: number) {
    this.#shell = shell
    const memory = PoolMemory.create(boundOf(queue), maximum)
    this.#memory = memory
    this.state = memory.state
    this.#deathsSeen = memory.here.space.deaths
    this.#tasks = new TaskRecords(memory)
    this.#boxes = new Boxes(memory, this.#tasks)
    this.#ring = new WorkRing(memory)
    this.#roster = new SharedRoster(memory, (worker) => this.#startThread(worker))
    this.#executioner = new Executioner(
      this.#tasks,
      (worker) => this.#bodies[worker.number],
      () => this.#execute(),
    )
    this.#submissions = new Submissions(memory, this.#tasks, this.#boxes, new FunctionTable(memory.texts), this)
    memory.setOwner(this.#submissions.bell.index)
    this.#core = new PoolCore<number>(this.state, this.#ring, this.#host(), this.#roster)
    this.queue = queue
    const inside: Runnable[] = []
    queue.drainTo(inside)
    queue.holdTasks(new TaskForm(this.#ring, this.#submissions))
    for (const task of inside) queue.add(task)
  }

  get capabilities(): Capabilities {
    return PLATFORM
  }

  get poolSize(): number {
    return this.#roster.size
  }

  get activeCount(): number {
    return this.#roster.activeCount
  }

  get completedTaskCount(): number {
    return this.state.completed.value + this.#roster.completed
  }

  // ------------------------------------------------------------------ tasks

  execute(task: Runnable): void {
    const slot = this.#submissions.record(task)
    if (slot === 0) this.#shell.reject(task)
    else this.#core.execute(slot)
  }

  callable<A extends unknown[], T>(fn: (...args: A) => T | PromiseLike<T>, args: A): Callable<T> {
    return args.length === 0 ? fn : keepApart(fn, args)
  }

  remove(task: Runnable): boolean {
    const slot = this.#submissions.slotOf(task)
    if (slot <= 0 || !this.#core.remove(slot)) return false
    this.#submissions.takeBack(slot)
    return true
  }

  drain(): Runnable[] {
    const tasks: Runnable[] = []
    for (let slot = this.#ring.seize(); slot !== undefined; slot = this.#ring.seize()) {
      const task = this.#submissions.takeBack(slot)
      if (task !== undefined) tasks.push(task)
    }
    return tasks
  }

  // ------------------------------------------------------------------ workers

  addWorker(bound: "core" | "maximum"): boolean {
    return this.#core.addWorker(bound)
  }

  ensureWorker(): void {
    this.#core.ensureWorker()
  }

  interruptIdleWorkers(): void {
    this.#core.interruptIdleWorkers()
  }

  interruptWorkers(): void {
    this.#core.interruptWorkers()
    for (const worker of this.#roster) if (worker.isBusy) this.#executioner.mark(worker)
  }

  tryTerminate(): void {
    this.#core.tryTerminate()
  }

  hasThread(thread: unknown): boolean {
    return this.#threads.includes(thread as Thread)
  }

  /** The process stays until the pool has ended. */
  shuttingDown(): void {
    if (this.#isShuttingDown || atLeast(this.state.control.snapshot, TERMINATED)) return
    this.#isShuttingDown = true
    this.#submissions.keepAlive(true)
  }

  #host(): PoolHost<number> {
    const unused = (): never => {
      throw new Error("corepool: the owner of a pool of platform threads runs no tasks")
    }
    return {
      newWorker: (firstTask) => this.#newWorker(firstTask),
      reject: (slot) => {
        const task = this.#submissions.takeBack(slot)
        if (task !== undefined) this.#shell.reject(task)
      },
      endPool: () => this.#endPool(),
      beforeExecute: unused,
      begin: unused,
      complete: unused,
      fail: unused,
      afterExecute: unused,
      abandon: unused,
    }
  }

  #newWorker(firstTask: number | undefined): SharedWorker | undefined {
    const worker = this.#roster.enlist(firstTask)
    if (worker === undefined) return undefined
    let made = false
    try {
      made = this.#makeThread(worker)
    } finally {
      if (!made) {
        worker.release()
        worker.vacate()
      }
    }
    return made ? worker : undefined
  }

  #makeThread(worker: SharedWorker): boolean {
    worker.take()
    const thread = this.#shell.newThread(
      platformTarget((options) => {
        const body = new WorkerBody(this.#memory.handle, worker, options, (it) => this.#hearOf(it))
        this.#bodies[worker.number] = body
        return body
      }),
    )
    this.#threads[worker.number] = thread
    return thread !== undefined
  }

  #startThread(worker: SharedWorker): void {
    this.#threads[worker.number]?.start()
  }

  // ------------------------------------------------------------------ service

  serve(isBlocked: boolean): void {
    const { deaths } = this.#memory.here.space
    if (isBlocked && deaths !== this.#deathsSeen) {
      this.#deathsSeen = deaths
      this.#mourn()
    }
    for (const worker of this.#roster) if (worker.status === REQUESTED) this.#grant(worker)
    if (this.#executioner.dueIn <= 0) this.#execute()
    const seen = this.state.control.snapshot
    if (atLeast(seen, TIDYING) && !atLeast(seen, TERMINATED)) this.#endPool()
  }

  /** Another thread has admitted a worker. */
  #grant(worker: SharedWorker): void {
    let made = false
    try {
      made = this.#makeThread(worker)
    } catch (error) {
      Thread.currentThread().reportUncaught(error)
    }
    if (made) {
      worker.start()
      return
    }
    const task = worker.handheld
    worker.vacate()
    this.state.control.removeWorker()
    if (task !== 0) this.#failTask(task, new RejectedExecutionError("The thread factory refused to make a thread"))
    this.#core.tryTerminate()
  }

  stop(slot: number): void {
    for (const worker of this.#roster) {
      if (worker.handheld !== slot) continue
      worker.interrupt()
      this.#executioner.mark(worker)
    }
  }

  #execute(): void {
    for (const body of this.#executioner.strike()) {
      this.#bury(
        body,
        new ThreadDeathError(`Thread "${body.name}" was terminated: its task did not stop when it was interrupted`),
      )
    }
  }

  get dueIn(): number {
    return this.#executioner.dueIn
  }

  help(): boolean {
    return false
  }

  reportUncaught(error: unknown, worker: number): void {
    const thread = this.#threads[worker] ?? Thread.currentThread()
    thread.reportUncaught(error)
  }

  // ------------------------------------------------------------------ death

  /** Somebody has died, and the runtime cannot tell of it while this thread blocks, nor of the reason. */
  #mourn(): void {
    for (const worker of this.#roster) {
      const body = this.#bodies[worker.number]
      if (body !== undefined && worker.status === RUNNING && !worker.isAlive) this.#bury(body, causeOf(body, undefined))
    }
  }

  /** The runtime says that a thread has ended. */
  #hearOf(body: WorkerBody): void {
    const { worker } = body
    if (this.#bodies[worker.number] !== body) return
    if (worker.status === RUNNING || worker.status === STARTING) this.#bury(body, causeOf(body, body.death))
    else this.#forget(worker)
  }

  #bury(body: WorkerBody, cause: ThreadDeathError): void {
    const { worker } = body
    const { token, claimed } = worker
    const task = worker.handheld
    this.#forget(worker)
    if (token !== 0) this.#memory.here.space.bury(token)
    worker.release()
    if (task !== 0) this.#failTask(task, cause)
    else if (claimed !== 0 && this.#isOrphan(claimed)) this.#ring.restore(claimed)
    else if (token === 0) this.#failNext(cause)
    if (task !== 0) this.state.completed.increment()
    this.#core.workerExit(worker, true)
  }

  #forget(worker: SharedWorker): void {
    this.#bodies[worker.number] = undefined
    this.#threads[worker.number] = undefined
  }

  /** A thread that could not even begin costs a task: otherwise threads would be made for ever. */
  #failNext(cause: ThreadDeathError): void {
    const slot = this.#ring.seize()
    if (slot !== undefined) this.#failTask(slot, cause)
  }

  #failTask(slot: number, error: unknown): void {
    if (this.#tasks.leaveNew(slot, COMPLETING)) {
      this.#tasks.fill(slot, encode(error))
      this.#tasks.settle(slot, EXCEPTIONAL)
      this.#boxes.put(slot)
    } else this.#boxes.put(slot)
  }

  /** Whether a slot that a dead worker was about to take is in nobody's hands now. */
  #isOrphan(slot: number): boolean {
    if (this.#tasks.stateOf(slot) !== NEW || this.#ring.toArray().includes(slot)) return false
    for (const worker of this.#roster) if (worker.handheld === slot || worker.claimed === slot) return false
    return true
  }

  #endPool(): void {
    try {
      this.#shell.terminated()
    } finally {
      this.state.control.terminate()
      this.#submissions.keepAlive(false)
      this.#shell.announceTermination()
    }
  }
}

function causeOf({ name }: WorkerBody, death: Death | undefined): ThreadDeathError {
  if (death?.error !== undefined) {
    const { error } = death
    const why = error instanceof Error ? error.message : String(error)
    return new ThreadDeathError(`Thread "${name}" died while it ran the task: ${why}`, { cause: error })
  }
  const code = death === undefined ? "" : ` with exit code ${death.code}`
  return new ThreadDeathError(`Thread "${name}" ended${code} while it ran the task`)
}
