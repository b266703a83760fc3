import { SynchronousQueue } from "../../queue/synchronous-queue.ts"

/** A queue that takes nothing, not even for a thread that is waiting. */
export class NoQueue<E> extends SynchronousQueue<E> {}
