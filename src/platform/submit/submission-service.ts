/** What a pool does for a thread that has submitted tasks to it. */
export interface SubmissionService {
  /** Looks whether there is anything else to do; called whenever the bell rings, perhaps while this thread blocks. */
  serve(isBlocked: boolean): void
  /**
   * The worker with this slot in hand is to stop; it is killed if it does not in time. Its number; 0 if nobody has it.
   */
  stop(slot: number, handle: number): number
  /** What a command has thrown, and the number of the worker that ran it. */
  reportUncaught(error: unknown, worker: number): void
  /**
   * An error of this thread's making, which the worker, if there was one, does not know: a command has run out of time,
   * or the `done()` of a future has thrown.
   */
  reportLocal(error: unknown, worker: number): void
  /**
   * Runs a task that is still queued in this thread, if it might never run otherwise, and the wait for it is not
   * limited in time; true if there may be news.
   */
  help(slot: number, isBlocked: boolean, isLimited: boolean): boolean
  /** Whether a worker has it in hand. */
  isRunning(slot: number, handle: number): boolean
  /** In how many ms this thread may be asked to help with a task that is not yet due; Infinity if never. */
  untilHelp(slot: number): number
  /**
   * When something is to be done for who waits for this slot, in ms from now, though nobody rings; Infinity if nothing
   * is.
   */
  dueIn(slot: number): number
}
