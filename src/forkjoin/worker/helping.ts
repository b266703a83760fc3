import { InterruptedError, TimeoutError } from "../../errors.ts"
import type { ThreadContext } from "../../memory/thread/thread-context.ts"
import { currentFlow } from "../../memory/flow/flow.ts"
import { SpinWait } from "../../memory/flow/spin-wait.ts"
import type { ParkPlace } from "../../memory/flow/wait-list.ts"
import { blocking, type Steps, TIMEOUT } from "../../memory/flow/waiting.ts"
import { Channels } from "../../platform/transport/channels.ts"
import { HelperWakeups } from "./helper-wakeups.ts"
import { isJoinCycle } from "./join-cycles.ts"
import { type Deques, PLACE } from "../../platform/queue/deques.ts"
import type { ForkJoinTask } from "../task/fork-join-task.ts"
import type { Forks, WorkerParts } from "./forks.ts"
import { neverCompleted, waitInCycle } from "../task/refusals.ts"
import { wouldWaitForItself } from "../../platform/worker/this-worker.ts"
import type { Compensation } from "./compensation.ts"
import type { StealingStore } from "../../platform/queue/stealing-store.ts"

/** How long a thread looks before it sleeps, in ms. */
const WATCH = 0.1

/** How many threads that wait for each other are followed. */
const LONGEST_CHAIN = 16

/**
 * What a worker does while it waits for a task that another one has stolen: it helps the thief, and sleeps if there is
 * nothing to help with.
 *
 * It takes tasks of the thief only, or of the one for whom the thief waits in turn (leapfrogging: D. Wagner and B.
 * Calder, 1993). These are parts of what it waits for. Any other task would do to keep the processor busy, but it may
 * take long, or wait itself for something that can only happen when this thread goes on.
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
  readonly #spinWait = new SpinWait(WATCH)
  /** The bell, for one who has been interrupted already. */
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

  /** Returns when the task is over. It was stolen. */
  join(task: ForkJoinTask<unknown>): void {
    blocking(this.waiting(task, false))
  }

  /** Returns when the completer is over, or no part of it is under way any more. */
  settle(task: ForkJoinTask<unknown>): void {
    blocking(this.waiting(task, false, true))
  }

  /**
   * The same for who may have a time limit. If it is not interruptible, an interrupt is left for afterwards; but one
   * that says that the task this thread has taken was cancelled ends the wait. `isForNothing` if no task waits: then it
   * also ends when nothing is under way that could complete the task.
   */
  *waiting(task: ForkJoinTask<unknown>, isInterruptible: boolean, isForNothing = false): Steps<void> {
    const { self } = this.#parts
    const wasInUserCode = self.isInUserCode
    if (wasInUserCode) self.leaveUserCode() // should this thread have to be killed, then not in here
    const flow = currentFlow()
    let wasInterrupted = false
    try {
      for (;;) {
        this.#forks.look()
        if (task.isSettled) return
        this.#forks.throwIfStopped()
        if (this.#runOwn()) continue
        if (!task.canBeJoined) throw wouldWaitForItself() // it was put back, and has turned out to be asynchronous
        if (task.slot === 0 && !this.#forks.hasPartsOf(task)) {
          if (isForNothing) return
          throw neverCompleted()
        }
        const victim = this.#victim(task)
        if ((victim === 0 && this.#runReturned(task)) || this.#helpWith(victim) || this.#glance(task, victim)) continue
        this.#announce(task, victim)
        try {
          if (this.#hasNews(task, victim)) continue
          if (isJoinCycle(this.#self, this.#deques, this.#parts.tasks)) throw waitInCycle()
          this.#compensation.compensate()
          const wake = yield this.#parkPlace(wasInterrupted)
          if (wake === TIMEOUT) throw new TimeoutError("The task did not complete in time")
        } catch (error) {
          if (isInterruptible || !(error instanceof InterruptedError)) throw error
          wasInterrupted = true
        } finally {
          this.#withdraw(task, victim)
        }
      }
    } finally {
      if (wasInterrupted) flow.interrupt()
      if (wasInUserCode) self.enterUserCode()
    }
  }

  /**
   * The same with a time limit: runs nothing meanwhile, as it is not known how long that would take. Another thread has
   * to run the task, so one is made if all others wait, too.
   */
  *idling(task: ForkJoinTask<unknown>): Steps<void> {
    const { self } = this.#parts
    const wasInUserCode = self.isInUserCode
    if (wasInUserCode) self.leaveUserCode()
    const hasNews = (): boolean => this.#forks.hasMail || task.isSettled || this.#forks.isStopped
    try {
      for (;;) {
        this.#forks.look()
        if (task.isSettled) return
        this.#forks.throwIfStopped()
        if (!task.canBeJoined) throw wouldWaitForItself()
        if (this.#spinWait.isWorthwhile && this.#spinWait.until(hasNews)) continue
        this.#helperWakeups.announce(0)
        try {
          if (hasNews()) continue
          this.#compensation.compensate()
          const wake = yield this.#forks.bell
          if (wake === TIMEOUT) throw new TimeoutError("The task did not complete in time")
        } finally {
          this.#helperWakeups.withdraw()
        }
      }
    } finally {
      if (wasInUserCode) self.enterUserCode()
    }
  }

  /** The bell; deaf to interrupts if there was one already. */
  #parkPlace(isDeaf: boolean): ParkPlace {
    return isDeaf ? this.#undisturbed : this.#forks.bell
  }

  /** Who was told that a part is over may have forked another one. */
  #runOwn(): boolean {
    return this.#inUserCode(() => this.#forks.runNewest())
  }

  /** A thief may have put it back. */
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

  /** Whose tasks are parts of this one; 0 if that is not known. */
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
   * Runs the task in the midst of the one in hand. If that cannot be done, because it is asynchronous or its module has
   * yet to be loaded, it is put where any idle worker finds it, and also the one that waits for it.
   */
  runInside(slot: number): boolean {
    const { runner, queue, self } = this.#parts
    if (runner.canRunInside(slot, true)) {
      runner.runInside(slot, true)
      return true
    }
    this.#forks.during(() => queue.restore(slot)) // which counts, before the claim goes: see quiescence.ts
    self.disclaim()
    this.#tellForker(slot)
    return false
  }

  /** It may await the task, with nothing else to do. */
  #tellForker(slot: number): void {
    const { completionQueues, tasks, workerTable } = this.#parts
    const token = completionQueues.holderOf(tasks.completionQueueOf(slot))
    for (const worker of workerTable) {
      if (worker.token === token && worker.number <= this.#deques.count) this.#helperWakeups.wake(worker.number)
    }
  }

  /** The same, for a thread that is in code of the user's. */
  runInsideUserCode(slot: number): void {
    const { self } = this.#parts
    self.leaveUserCode()
    try {
      this.runInside(slot)
    } finally {
      self.enterUserCode()
    }
  }

  /** Keeps looking for a moment: to be woken takes longer than most tasks. */
  #glance(task: ForkJoinTask<unknown>, victim: number): boolean {
    return this.#spinWait.isWorthwhile && this.#spinWait.until(() => this.#hasNews(task, victim, true))
  }

  /** If it is not urgent, what the victim may take back at once does not count. */
  #hasNews(task: ForkJoinTask<unknown>, victim: number, isLeisurely = false): boolean {
    if (this.#forks.hasMail || task.isSettled || this.#forks.isStopped) return true
    // Nobody had begun it a moment ago, so it could not be known whom to help.
    if (victim === 0) return this.#forks.thiefOf(task) !== 0
    const deque = this.#deques.of(victim)
    return isLeisurely ? deque.isSteady : !deque.isEmpty
  }

  #announce(task: ForkJoinTask<unknown>, victim: number): void {
    this.#helperWakeups.announce(victim)
    if (victim === 0) this.#forks.noteWaiter(task, this.#self)
    this.#deques.store(this.#self, PLACE.JOINS, task.slot)
  }

  #withdraw(task: ForkJoinTask<unknown>, victim: number): void {
    this.#deques.store(this.#self, PLACE.JOINS, 0)
    if (victim === 0) this.#forks.noteWaiter(task, 0)
    this.#helperWakeups.withdraw()
  }

  /** This worker has forked something, and is to call. */
  call(): void {
    this.#channels.look() // somebody may have asked for arguments
    this.#helperWakeups.call()
  }

  /** Nobody is idle: has one more thread made, if there are fewer than there should be. */
  #grow(): boolean {
    const { core, memory } = this.#parts
    return memory.state.control.workerCount < memory.state.corePoolSize && core.addWorker("core")
  }

  /** Somebody has begun what this worker waits for. */
  wake(worker: number): void {
    this.#helperWakeups.wake(worker)
  }

  /** Has the worker with this token look what it is asked for when it forks or joins something. */
  remind(token: number): void {
    for (const { token: other, number } of this.#parts.workerTable) {
      if (other === token && number <= this.#deques.count) this.#deques.store(number, PLACE.ASKED, 1)
    }
    this.#helperWakeups.remind(token)
  }

  /**
   * Somebody has reminded this worker. What it asks may come later than that: two workers that have not met are
   * introduced by the owner of the pool, who takes its time.
   */
  answer(): void {
    this.#deques.store(this.#self, PLACE.ASKED, 0)
    if (!this.#channels.look()) this.#deques.store(this.#self, PLACE.ASKED, 1)
  }
}
