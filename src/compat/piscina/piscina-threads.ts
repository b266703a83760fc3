import { runtime } from "#host/runtime/clock"
import { equip, handle } from "../in-thread/handlers-in-thread.ts"
import { unwrapped } from "../in-thread/movable.ts"
import type { PiscinaSettings } from "./piscina-options.ts"
import { urlOf } from "../in-thread/worker-thread.ts"
import { PiscinaAbortError, type RunningTask } from "./piscina-task.ts"
import { PiscinaThread } from "./piscina-worker.ts"
import { RunTimes } from "./run-times.ts"

/** The threads and the queue of a Piscina: which thread gets which task, and when threads come and go. */
export class PiscinaThreads {
  readonly settings: PiscinaSettings
  readonly workers: PiscinaThread[] = []
  readonly #tell: (event: string, ...args: unknown[]) => void
  /** A task that has been taken out of the queue, and for which there was no thread. */
  #held: RunningTask | undefined
  readonly #quiet = new Set<() => void>()
  completed = 0
  needsDrain = false
  isClosing = false
  runTimes: RunTimes | undefined
  waitTimes: RunTimes | undefined

  constructor(settings: PiscinaSettings, tell: (event: string, ...args: unknown[]) => void) {
    this.settings = settings
    this.#tell = tell
    this.runTimes = settings.recordTiming ? new RunTimes() : undefined
    this.waitTimes = settings.recordTiming ? new RunTimes() : undefined
    this.keepMinimum()
    for (const worker of this.workers) runtime.microtask(() => this.#present(worker))
  }

  // ------------------------------------------------------------------ tasks

  /** How many tasks wait. */
  get queueSize(): number {
    return this.settings.taskQueue.size + (this.#held === undefined ? 0 : 1)
  }

  /** Tasks that are not over. */
  get load(): number {
    return this.workers.reduce((sum, worker) => sum + worker.currentUsage, this.queueSize)
  }

  /** Takes a task in, or rejects it. */
  add(task: RunningTask): void {
    task.watch(() => this.#abort(task))
    if (!this.#give(task)) this.#enqueue(task)
    const { maxThreads, concurrentTasksPerWorker } = this.settings
    if (this.needsDrain || this.load <= maxThreads * concurrentTasksPerWorker) return
    this.needsDrain = true
    this.#tell("needsDrain")
  }

  #enqueue(task: RunningTask): void {
    const { maxQueue, taskQueue } = this.settings
    if (this.queueSize < maxQueue) taskQueue.push(task)
    else if (maxQueue === 0) task.fail(new Error("No task queue available and all Workers are busy"))
    else task.fail(new Error("Task queue is at limit"))
  }

  /** Gives the task to a thread; false if there is none for it. */
  #give(task: RunningTask): boolean {
    let worker = this.#choose(task)
    if (worker === undefined && this.workers.length < this.settings.maxThreads) worker = this.#addWorker()
    if (worker === undefined) return false
    this.#begin(task, worker)
    return true
  }

  #choose(task: RunningTask): PiscinaThread | undefined {
    const { loadBalancer, concurrentTasksPerWorker } = this.settings
    /** A task with a signal shares its thread with no other: its end is the end of the thread. */
    const isExclusive = (worker: PiscinaThread): boolean =>
      worker.isRunningAbortableTask || (task.isAbortable && worker.currentUsage > 0)
    if (loadBalancer !== undefined && this.workers.length > 0) {
      const chosen = loadBalancer(task, [...this.workers])
      return this.workers.find((worker) => worker === chosen && !isExclusive(worker))
    }
    let best: PiscinaThread | undefined
    for (const worker of this.workers) {
      const { currentUsage } = worker
      if (currentUsage >= concurrentTasksPerWorker || isExclusive(worker)) continue
      if (best === undefined || currentUsage < best.currentUsage) best = worker
    }
    return best
  }

  #begin(task: RunningTask, worker: PiscinaThread): void {
    const started = runtime.now()
    this.waitTimes?.record(started - task.created)
    worker.wake()
    worker.tasks.add(task)
    task.worker = worker
    const { value, list } = unwrapped(task.task)
    const { url, name } = task
    let running
    try {
      running = worker.thread.submit(handle, [url, name, value], [...list, ...task.transferList])
    } catch (error) {
      this.#settle(task, worker, started, () => task.fail(error))
      return
    }
    void running.then(
      (result) => this.#settle(task, worker, started, () => task.succeed(result)),
      (error: unknown) => {
        const death = worker.thread.deathIn(error)
        if (death === undefined) this.#settle(task, worker, started, () => task.fail(error))
        else this.#reap(worker, death.reason)
      },
    )
  }

  #settle(task: RunningTask, worker: PiscinaThread, started: number, end: () => void): void {
    if (!worker.tasks.delete(task)) return // it was aborted, or its thread has died
    const time = runtime.now() - started
    this.runTimes?.record(time)
    worker.record(time)
    this.completed++
    this.#review()
    end()
  }

  #abort(task: RunningTask): void {
    if (task.isDone) return
    const worker = task.worker as PiscinaThread | undefined
    if (worker !== undefined) this.#drop(worker, true)
    else if (this.#held === task) this.#held = undefined
    else this.settings.taskQueue.remove(task)
    task.fail(new PiscinaAbortError(task.reason))
    this.#review()
  }

  /** All tasks that wait; none does afterwards. */
  takeAll(): RunningTask[] {
    const tasks: RunningTask[] = []
    for (let task = this.#take(); task !== undefined; task = this.#take()) tasks.push(task)
    return tasks
  }

  #take(): RunningTask | undefined {
    const held = this.#held
    this.#held = undefined
    return held ?? ((this.settings.taskQueue.shift() ?? undefined) as unknown as RunningTask | undefined)
  }

  get #hasRoom(): boolean {
    const { maxThreads, concurrentTasksPerWorker } = this.settings
    if (this.workers.length < maxThreads) return true
    return this.workers.some((worker) => worker.currentUsage < concurrentTasksPerWorker)
  }

  /** Gives waiting tasks to free threads. */
  #review(): void {
    let task = this.#take()
    while (task !== undefined && this.#give(task)) task = this.#hasRoom ? this.#take() : undefined
    this.#held = task
    for (const worker of this.workers) if (worker.currentUsage === 0) this.#letRest(worker)
    const { maxThreads, concurrentTasksPerWorker } = this.settings
    const load = this.load
    if (this.needsDrain && load <= maxThreads * concurrentTasksPerWorker) {
      this.needsDrain = false
      this.#tell("drain")
    }
    if (load === 0) this.beQuiet()
  }

  // ------------------------------------------------------------------ threads

  /** Sees that there are `minThreads` threads. */
  keepMinimum(): void {
    while (!this.isClosing && this.workers.length < this.settings.minThreads) this.#addWorker()
  }

  #addWorker(): PiscinaThread {
    const { resourceLimits, env, execArgv, filename, name, workerData, argv = [] } = this.settings
    const worker: PiscinaThread = new PiscinaThread(
      {
        terminateAfter: 0,
        ...(resourceLimits && { resourceLimits }),
        ...(env && { env }),
        ...(execArgv && { execArgv }),
      },
      this.settings.workerHistogram === true,
      {
        message: (value) => this.#tell("message", value),
        died: (error) => this.#died(worker, error),
      },
    )
    this.workers.push(worker)
    const setup = { workerData, argv, url: filename === null ? undefined : urlOf(filename), name }
    void worker.thread.submit(equip, [setup], []).then(
      () => {
        worker.isReady = true
        this.#present(worker)
        if (!worker.destroyed) this.#review()
      },
      (error: unknown) => this.#died(worker, worker.thread.deathIn(error)?.reason ?? error),
    )
    return worker
  }

  /** Tells of a new thread: of those of the beginning at once, of others when they are ready. */
  #present(worker: PiscinaThread): void {
    if (worker.isKnown) return
    worker.isKnown = true
    this.#tell("workerCreate", worker)
  }

  #letRest(worker: PiscinaThread): void {
    const { idleTimeout, minThreads } = this.settings
    if (this.workers.length <= minThreads) return
    worker.rest(idleTimeout, () => {
      if (worker.currentUsage > 0 || this.workers.length <= minThreads) return
      this.#remove(worker)
      void worker.end().then(() => this.#tell("workerDestroy", worker))
    })
  }

  #died(worker: PiscinaThread, reason: unknown): void {
    if (!this.workers.includes(worker)) return // that is known
    if (worker.currentUsage === 0) this.#tell("error", reason)
    this.#reap(worker, reason)
  }

  /**
   * The thread has ended by itself: its tasks fail. If it has ended before it could have tasks, so would the next one,
   * and the next: then a new thread is made only for a task, which fails if that thread ends as well.
   */
  #reap(worker: PiscinaThread, reason: unknown): void {
    const tasks = [...worker.tasks]
    this.#drop(worker, worker.isReady)
    for (const task of tasks) task.fail(reason)
    this.#review()
  }

  /** Ends the thread, and has another one in its place if there must be one. */
  #drop(worker: PiscinaThread, isReplaced: boolean): void {
    if (!this.#remove(worker)) return
    void this.lose(worker)
    if (isReplaced) this.keepMinimum()
  }

  /** Ends a thread that belongs to the pool no more. */
  async lose(worker: PiscinaThread): Promise<void> {
    worker.tasks.clear()
    const end = worker.stop()
    this.#tell("workerDestroy", worker)
    await end
  }

  #remove(worker: PiscinaThread): boolean {
    const index = this.workers.indexOf(worker)
    if (index >= 0) this.workers.splice(index, 1)
    return index >= 0
  }

  // ------------------------------------------------------------------ the end

  /** Ends all waits for quiescence. */
  beQuiet(): void {
    for (const told of this.#quiet) told()
    this.#quiet.clear()
  }

  /** Waits until no task is left; false if the time is up. */
  quiescence(ms: number): Promise<boolean> {
    if (this.load === 0) return Promise.resolve(true)
    return new Promise((resolve) => {
      const timer = ms === Infinity ? undefined : runtime.startTimeout(() => resolve(false), ms).unref()
      this.#quiet.add(() => {
        runtime.stopTimeout(timer)
        resolve(true)
      })
    })
  }
}
