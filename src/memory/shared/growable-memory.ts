import { growTo, wordsOf } from "../growth.ts"
import type { ThreadContext } from "../thread/thread-context.ts"
import { noteReservation, reserve } from "../reservation.ts"
import { type Handle, type Shared, SharedMemory } from "./shared-memory.ts"
import { threadContext } from "../thread/this-thread.ts"

/** The memory of a shared object that may come to need more of it (growth.ts). It never gets smaller. */
export class GrowableMemory extends SharedMemory {
  /** Called when the object becomes known to other threads. */
  onShared: (() => void) | undefined
  readonly #buffer: SharedArrayBuffer
  #view: Int32Array

  constructor(thread: ThreadContext, buffer: SharedArrayBuffer, isShared: boolean) {
    const view = wordsOf(buffer)
    super(thread, view, isShared)
    this.#buffer = buffer
    this.#view = view
  }

  /** New memory, all 0, of `words` words, which can grow to `most`. */
  static create(words: number, most: number): GrowableMemory {
    return new GrowableMemory(threadContext(), reserve(words * 4, most * 4), false)
  }

  /** The memory of an object of this class that another thread has sent. */
  static openGrown(type: string, sent: Shared): GrowableMemory {
    const { threadContext: thread, words } = SharedMemory.open(type, sent)
    const buffer = words.buffer as SharedArrayBuffer
    noteReservation(buffer)
    return new GrowableMemory(thread, buffer, true)
  }

  override handleAs(type: string): Handle {
    const wasShared = this.isShared
    const handle = super.handleAs(type)
    if (!wasShared) this.onShared?.()
    return handle
  }

  /**
   * The words, in a view that has all those before `end`: the thread that wrote the number of a word has made room for
   * it.
   */
  reach(end: number): Int32Array {
    if (end > this.#view.length) this.#view = wordsOf(this.#buffer)
    return this.#view
  }

  /** Makes room for that many words; false if there is none. */
  grow(words: number): boolean {
    return growTo(this.#buffer, words * 4)
  }

  /** Writes bytes from a word on. Other threads see them after an atomic access that both have made. */
  writeBytes(index: number, bytes: Uint8Array): void {
    new Uint8Array(this.#buffer, index * 4, bytes.length).set(bytes)
  }

  /** A copy of `length` bytes from a word on. Decoding them in place would trust every thread that may write there. */
  readBytes(index: number, length: number): Uint8Array {
    const copy = new Uint8Array(length)
    copy.set(new Uint8Array(this.#buffer, index * 4, length))
    return copy
  }
}
