/** What a pool does for a thread that has submitted tasks to it. */
export interface SubmissionService {
  /** Looks for other requests. Called whenever the bell rings, perhaps while this thread blocks. */
  serve(isBlocked: boolean): void
  /**
   * Interrupts the worker that runs this slot, and terminates it if it does not stop in time. Returns its number; 0 if
   * no worker runs the slot.
   */
  stop(slot: number, handle: number): number
  /** Reports what a command has thrown, with the number of the worker that ran it. */
  reportUncaught(error: unknown, worker: number): void
  /** A command of this thread is over. */
  commandEnded(handle: number, state: number, outcome: unknown): void
  /**
   * Reports an error that arose in this thread and that the worker, if any, does not know: a command has run out of
   * time, or `done()` of a future has thrown.
   */
  reportLocal(error: unknown, worker: number): void
  /**
   * Runs a queued task in this thread, if it might otherwise never run and the wait for it has no time limit. True if
   * the state may have changed.
   */
  help(slot: number, isBlocked: boolean, isLimited: boolean): boolean
  /** Whether a worker runs the task. */
  isRunning(slot: number, handle: number): boolean
  /** In how many ms this thread may help with a task that is not yet due; Infinity if never. */
  untilHelp(slot: number): number
  /**
   * In how many ms a thread that waits for this slot must call {@link serve} though its bell does not ring; Infinity if
   * never.
   */
  dueIn(slot: number): number
}
