/** A queue that takes nothing, not even for a thread that is waiting. */
import { SynchronousQueue } from "../../queue/synchronous-queue.ts"

export class NoQueue<E> extends SynchronousQueue<E> {}
