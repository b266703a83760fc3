import { IS_SETTLED } from "../../future/internals.ts"
import { CAN_BE_JOINED, SLOT } from "../task/internals.ts"
import { readsWhileBlocked } from "#host/runtime/capabilities"
import { InterruptedError, TimeoutError } from "../../errors.ts"
import type { ThreadContext } from "../../memory/thread/thread-context.ts"
import { currentFlow } from "../../memory/flow/flow.ts"
import { SpinWait } from "../../memory/flow/spin-wait.ts"
import type { ParkPlace } from "../../memory/flow/wait-list.ts"
import { blocking, type Steps, TIMEOUT } from "../../memory/flow/waiting.ts"
import { Channels } from "../../platform/transport/channels.ts"
import { HelperWakeups, type Sleep } from "./helper-wakeups.ts"
import { isJoinCycle } from "./join-cycles.ts"
import { type Deques, PLACE } from "../../platform/queue/deques.ts"
import type { ForkJoinTask } from "../task/fork-join-task.ts"
import type { Forks, WorkerParts } from "./forks.ts"
import { neverCompleted, waitInCycle } from "../task/refusals.ts"
import { wouldWaitForItself } from "../../platform/worker/this-worker.ts"
import type { Compensation } from "./compensation.ts"
import type { StealingStore } from "../../platform/queue/stealing-store.ts"

/** How long a thread polls before it sleeps, in ms. */
const SPIN_TIME = 0.1

/** How many workers that wait for each other are followed. */
const LONGEST_CHAIN = 16

/**
 * What a worker does while it waits for a stolen task: it helps the thief, and sleeps if there is nothing to help with.
 *
 * It takes only tasks of the thief, or of the worker for which the thief waits in turn (leapfrogging: D. Wagner and B.
 * Calder, 1993). These are parts of the task it waits for. Any other task would keep the processor busy, too, but may
 * take long, or may itself wait for something that happens only after this thread goes on.
 *
 * Why no wake-up is lost: see README.md.
 */
export class Helping {
  readonly #forks: Forks
  readonly #parts: WorkerParts
  readonly #threadContext: ThreadContext
  readonly #deques: Deques
  readonly #store: StealingStore
  readonly #self: number
  readonly #channels: Channels
  readonly #helperWakeups: HelperWakeups
  readonly #compensation: Compensation
  readonly #spinWait = new SpinWait(SPIN_TIME)
  /** The bell, for a wait that was interrupted already: further interrupts do not end it. */
  readonly #undisturbed: ParkPlace

  constructor(forks: Forks, parts: WorkerParts, compensation: Compensation) {
    this.#forks = forks
    this.#parts = parts
    this.#compensation = compensation
    this.#threadContext = parts.memory.threadContext
    this.#store = parts.queue.stealing as StealingStore
    this.#deques = this.#store.deques
    this.#self = parts.self.number
    this.#channels = Channels.of(this.#threadContext)
    this.#helperWakeups = new HelperWakeups(
      this.#threadContext,
      this.#deques,
      parts.workerTable,
      parts.queue,
      this.#self,
      () => this.#grow(),
    )
    const { bell } = forks
    this.#undisturbed = {
      interruptible: false,
      limited: true,
      append: () => false,
      unlink: () => undefined,
      block: (_flow, ms) => this.#threadContext.block(bell, undefined, ms),
    }
  }

  /** Waits until the stolen task is over. */
  join(task: ForkJoinTask<unknown>): void {
    blocking(this.waiting(task, false))
  }

  /** Waits until the completer is over, or no part of it is under way any more. */
  settle(task: ForkJoinTask<unknown>): void {
    blocking(this.waiting(task, false, true))
  }

  /**
   * The wait itself; its driver may set a time limit. If it is not interruptible, an interrupt is raised again
   * afterwards; but if the task that this thread has taken was cancelled, the wait ends. With `isForNothing` no task
   * waits: then the wait also ends when nothing under way can complete the task.
   */
  *waiting(task: ForkJoinTask<unknown>, isInterruptible: boolean, isForNothing = false): Steps<void> {
    const { self } = this.#parts
    const wasInUserCode = self.isInUserCode
    if (wasInUserCode) self.leaveUserCode() // a thread that has to be killed is not killed in here
    const flow = currentFlow()
    let wasInterrupted = false
    try {
      for (;;) {
        if (this.#isOver(task)) return
        if (this.#runOwn()) continue
        if (!task[CAN_BE_JOINED]) throw wouldWaitForItself() // it was put back, and has turned out to be asynchronous
        if (task[SLOT] === 0 && !this.#forks.hasPartsOf(task)) {
          if (isForNothing) return
          throw neverCompleted()
        }
        const victim = this.#victim(task)
        if ((victim === 0 && this.#runReturned(task)) || this.#helpWith(victim) || this.#glance(task, victim)) continue
        try {
          const wake = yield* this.#helperWakeups.sleeping(this.#sleep(task, victim, wasInterrupted))
          if (wake === TIMEOUT) throw new TimeoutError("The task did not complete in time")
        } catch (error) {
          if (isInterruptible || !(error instanceof InterruptedError)) throw error
          wasInterrupted = true
        }
      }
    } finally {
      if (wasInterrupted) flow.interrupt()
      if (wasInUserCode) self.enterUserCode()
    }
  }

  /**
   * The wait with a time limit: runs nothing meanwhile, as that could take longer than the limit. Another thread has to
   * run the task, so one is made if all other workers are blocked, too.
   */
  *idling(task: ForkJoinTask<unknown>): Steps<void> {
    const { self } = this.#parts
    const wasInUserCode = self.isInUserCode
    if (wasInUserCode) self.leaveUserCode()
    const hasNews = (): boolean => this.#forks.hasMail || task[IS_SETTLED] || this.#forks.isStopped
    const idle: Sleep = {
      victim: 0,
      announced: () => undefined,
      hasNews,
      place: () => {
        this.#compensation.compensate()
        return this.#forks.bell
      },
    }
    try {
      for (;;) {
        if (this.#isOver(task)) return
        if (!task[CAN_BE_JOINED]) throw wouldWaitForItself()
        if (this.#spinWait.isWorthwhile && this.#spinWait.until(hasNews)) continue
        const wake = yield* this.#helperWakeups.sleeping(idle)
        if (wake === TIMEOUT) throw new TimeoutError("The task did not complete in time")
      }
    } finally {
      if (wasInUserCode) self.enterUserCode()
    }
  }

  /** Looks for news of the task. Throws if this worker has to stop, or if it could never learn of the task's end. */
  #isOver(task: ForkJoinTask<unknown>): boolean {
    this.#forks.look()
    if (task[IS_SETTLED]) return true
    this.#forks.throwIfStopped()
    if (!readsWhileBlocked) this.#forks.requireNoMessage(task[SLOT])
    return false
  }

  /** The sleep of {@link waiting}. With `isDeaf` an interrupt does not end it. */
  #sleep(task: ForkJoinTask<unknown>, victim: number, isDeaf: boolean): Sleep {
    return {
      victim,
      announced: (worker) => {
        if (victim === 0) this.#forks.noteWaiter(task, worker)
        this.#deques.store(this.#self, PLACE.JOINS, worker === 0 ? 0 : task[SLOT])
      },
      hasNews: () => this.#hasNews(task, victim),
      place: () => {
        if (isJoinCycle(this.#self, this.#deques, this.#parts.tasks)) throw waitInCycle()
        this.#compensation.compensate()
        return isDeaf ? this.#undisturbed : this.#forks.bell
      },
    }
  }

  /** Runs what this worker has forked: a completer that received a part may have forked another one. */
  #runOwn(): boolean {
    return this.#inUserCode(() => this.#forks.runNewest())
  }

  /** Runs the task, if a thief has put it back. */
  #runReturned(task: ForkJoinTask<unknown>): boolean {
    return this.#inUserCode(() => this.#forks.runReturned(task))
  }

  #inUserCode(run: () => boolean): boolean {
    const { self } = this.#parts
    self.enterUserCode()
    try {
      return run()
    } finally {
      self.leaveUserCode()
    }
  }

  /** The worker whose tasks are parts of this one; 0 if that is not known. */
  #victim(task: ForkJoinTask<unknown>): number {
    let victim = this.#forks.thiefOf(task)
    for (let i = 0; i < LONGEST_CHAIN && victim !== 0; i++) {
      if (!this.#deques.of(victim).isEmpty) break
      const next = this.#deques.load(victim, PLACE.HELPS)
      if (next === 0 || next === this.#self) break
      victim = next
    }
    return victim === this.#self ? 0 : victim
  }

  #helpWith(victim: number): boolean {
    if (victim === 0) return false
    const slot = this.#store.stealFrom(victim, this.#parts.self.claim)
    return slot !== 0 && this.runInside(slot)
  }

  /**
   * Runs the task on top of the current one. If that is impossible, because it is asynchronous or its module has yet to
   * be loaded, the task is put where any idle worker finds it, and also the worker that waits for it.
   */
  runInside(slot: number): boolean {
    const { runner, queue, self } = this.#parts
    if (runner.canRunInside(slot, true)) {
      runner.runInside(slot, true)
      return true
    }
    this.#forks.during(() => queue.restore(slot)) // SETTLES counts before the claim is cleared: see quiescence.ts
    self.disclaim()
    this.#tellForker(slot)
    return false
  }

  /** Wakes the worker that forked the task: it may await the task, with nothing else to do. */
  #tellForker(slot: number): void {
    const { completionQueues, tasks, workerTable } = this.#parts
    const token = completionQueues.holderOf(tasks.completionQueueOf(slot))
    for (const worker of workerTable) {
      if (worker.token === token && worker.number <= this.#deques.count) this.#helperWakeups.wake(worker.number)
    }
  }

  /** The same, called from user code. */
  runInsideUserCode(slot: number): void {
    const { self } = this.#parts
    self.leaveUserCode()
    try {
      this.runInside(slot)
    } finally {
      self.enterUserCode()
    }
  }

  /** Polls for a moment: being woken takes longer than most tasks. */
  #glance(task: ForkJoinTask<unknown>, victim: number): boolean {
    return this.#spinWait.isWorthwhile && this.#spinWait.until(() => this.#hasNews(task, victim, true))
  }

  /** If it is leisurely, a task that the victim may take back at once does not count. */
  #hasNews(task: ForkJoinTask<unknown>, victim: number, isLeisurely = false): boolean {
    if (this.#forks.hasMail || task[IS_SETTLED] || this.#forks.isStopped) return true
    // No worker had begun the task a moment ago, so the victim was unknown.
    if (victim === 0) return this.#forks.thiefOf(task) !== 0
    const deque = this.#deques.of(victim)
    return isLeisurely ? deque.isSteady : !deque.isEmpty
  }

  /** This worker has forked something and found CALL set. */
  call(): void {
    this.#channels.look() // a thief may have asked for arguments
    this.#helperWakeups.call()
  }

  /** No worker is idle: adds a thread if there are fewer than the parallelism. */
  #grow(): boolean {
    const { core, memory } = this.#parts
    return memory.state.control.workerCount < memory.state.corePoolSize && core.addWorker("core")
  }

  /** This worker has begun the task for which that worker waits. */
  wake(worker: number): void {
    this.#helperWakeups.wake(worker)
  }

  /** Makes the worker with this token look for requests at its next fork or join. */
  remind(token: number): void {
    for (const { token: other, number } of this.#parts.workerTable) {
      if (other === token && number <= this.#deques.count) this.#deques.store(number, PLACE.ASKED, 1)
    }
    this.#helperWakeups.remind(token)
  }

  /**
   * Answers requests of a thief that has set ASKED. The request itself may come later: two workers that have not met
   * are introduced by the owner of the pool, which may take a while. ASKED stays set until then.
   */
  answer(): void {
    this.#deques.store(this.#self, PLACE.ASKED, 0)
    if (!this.#channels.look()) this.#deques.store(this.#self, PLACE.ASKED, 1)
  }
}
