import type { PoolCore } from "../../core/pool-core.ts"
import type { ThreadDeathError } from "../../errors.ts"
import { REPORT_UNCAUGHT } from "../../memory/flow/internals.ts"
import { guarded } from "../../memory/flow/guard.ts"
import type { Thread } from "../../thread/thread.ts"
import { failOrphan, isUndelivered } from "../member/orphans.ts"
import type { CompletionQueues } from "../memory/completion-queues.ts"
import type { PoolMemory } from "../memory/pool-memory.ts"
import { Reaping } from "../memory/workers/reaping.ts"
import type { TaskRecords } from "../memory/task-records.ts"
import type { SlotQueue } from "../queue/slot-queue.ts"
import type { WorkerBody } from "../start/thread-body.ts"
import type { Submissions } from "../submit/submissions.ts"
import { DeadWorker } from "./dead-worker.ts"
import type { WorkerThreads } from "./worker-threads.ts"

/** The pool of the workers. */
interface ReapedPool {
  readonly memory: PoolMemory
  readonly tasks: TaskRecords
  readonly completionQueues: CompletionQueues
  readonly waiting: SlotQueue
  readonly submissions: Submissions
  readonly core: PoolCore<number>
  readonly workerThreads: WorkerThreads
}

/** What the owner does with things that a dead thread has left. */
interface Heirs {
  /** Puts the slot back into the queue, unless another thread has it. */
  restore(slot: number): void
  /** Settles what else the thread with this token has left. The thread has stopped. */
  inherit(token: number): void
  /** A worker that was leaving has died. Its line is free, and it may still be counted. */
  recount(): void
}

/**
 * Reaps workers that are lost to the pool: their tasks are over, and other workers replace them. The thread of such a
 * worker has stopped, or was asked to end because its task did not stop in time. Other threads get the locks and
 * whatever else the thread held as soon as it has stopped: at once in the first case, later in the second.
 *
 * The order of the steps matters. {@link reap} has them in this order, by these numbers:
 *
 *     1  announce    REAPS is odd until step 8. The tasks of the worker are in no place where other threads find them;
 *                    a thread that asks whether the pool is quiet must know that.
 *     2  read        TOKEN, TASK, CLAIM and so on: steps 3 and 6 clear the worker's line.
 *     3  stop        After this the thread takes no task and settles none, so what step 2 has read stays true. A
 *                    thread that has stopped is declared dead; one that runs is retired first, then terminated.
 *     4  receive     What the worker delivered before its death counts, even if TASK still names it: it must have been
 *                    received before step 5 asks which tasks are undelivered.
 *     5  collect     The tasks that the worker had: TASK, and those below and beside it. Their lists begin in the
 *                    worker's line.
 *     6  release     The worker has no task any more; if it waited for a hand-over, it is not counted any longer.
 *     7  settle      The collected tasks fail and are counted. The task that the worker had claimed goes back into the
 *                    queue. A thread that could not even begin costs the next waiting task: otherwise threads would be
 *                    made and fail for ever.
 *     8  end         All tasks are settled or queued: REAPS is even again. The rest may call user code for long.
 *     9  replace     Not before step 8, because the factory is user code; and not for a thread that could not begin,
 *                    unless a task waits: the next thread would fail alike. A worker that died while it was leaving
 *                    may have counted itself down: the workers are counted anew, and replaced if there are too few.
 *     10 relieve     If the factory has thrown, and no thread is left, waiting tasks fail.
 */
export class WorkerReaper {
  readonly #pool: ReapedPool
  readonly #heirs: Heirs
  readonly #reaping: Reaping
  /** Whether step 9 must not make a thread. */
  makesNoThreads = false

  constructor(pool: ReapedPool, heirs: Heirs) {
    this.#pool = pool
    this.#heirs = heirs
    this.#reaping = new Reaping(pool.memory)
  }

  /** Reaps the worker. `hasStopped` is false if its thread was only asked to end. */
  reap(body: WorkerBody, cause: ThreadDeathError, hasStopped: boolean): void {
    const { worker } = body
    const { memory, tasks, completionQueues, waiting, submissions, core, workerThreads } = this.#pool
    this.#reaping.begin() // 1
    const left = new DeadWorker(worker) // 2
    const { token, task } = left
    const thread = hasStopped ? workerThreads.forget(worker) : workerThreads.dismiss(body) // 3
    if (!hasStopped) {
      worker.retire()
      body.terminate()
    } else if (token !== 0) memory.threadContext.registry.reap(token)
    submissions.look() // 4
    const heldTasks = left.heldTasks(worker, tasks, () => {
      return isUndelivered(worker, tasks, completionQueues) && !submissions.hasArrived(worker.currentSlot)
    }) // 5
    worker.release() // 6
    if (left.waited) waiting.forgetWaiter()
    body.isBlamed = heldTasks.size > 0 // 7
    this.failTasks(heldTasks, cause, thread)
    memory.state.completed.add(left.uncounted(heldTasks))
    if (left.toRestore !== 0) this.#heirs.restore(left.toRestore)
    else if (task === 0 && token === 0) body.isBlamed ||= this.#failNext(cause, thread)
    if (token !== 0 && hasStopped) this.#heirs.inherit(token)
    this.#reaping.end() // 8
    this.makesNoThreads = token === 0 && waiting.isEmpty // 9
    if (left.isUncounting) {
      worker.vacate()
      this.#heirs.recount()
    } else
      guarded(
        () => core.workerExit(worker, true), // the factory or terminated() may throw, and there is no caller to tell
        (error) => thread[REPORT_UNCAUGHT](error),
      )
    this.makesNoThreads = false
    core.relieve((error) => thread[REPORT_UNCAUGHT](error)) // 10
    memory.ringIfIdle()
  }

  /** Fails a waiting task; false if there is none. */
  #failNext(cause: ThreadDeathError, thread: Thread): boolean {
    const slot = this.#pool.waiting.seize()
    if (slot === undefined) return false
    this.failTasks([slot], cause, thread)
    this.#pool.memory.state.completed.increment()
    return true
  }

  /** Fails these tasks, which no thread has. */
  failTasks(slots: Iterable<number>, error: unknown, thread: Pick<Thread, typeof REPORT_UNCAUGHT>): void {
    const { tasks, completionQueues } = this.#pool
    for (const slot of slots) failOrphan(slot, error, tasks, completionQueues, (it) => thread[REPORT_UNCAUGHT](it))
  }
}
