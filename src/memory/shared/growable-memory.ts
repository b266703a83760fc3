import { growTo, wordsOf } from "../growth.ts"
import type { ThreadContext } from "../thread/thread-context.ts"
import { noteReservation, reserve } from "../reservation.ts"
import { type Handle, type Shared, SharedMemory } from "./shared-memory.ts"
import { threadContext } from "../thread/this-thread.ts"

/** The memory of a shared object that may come to need more of it (growth.ts). It never gets smaller. */
export class GrowableMemory extends SharedMemory {
  /** Called when the object has become known to other threads. */
  onShared: (() => void) | undefined
  readonly #buffer: SharedArrayBuffer
  #view: Int32Array

  constructor(thread: ThreadContext, buffer: SharedArrayBuffer, isShared: boolean) {
    const view = wordsOf(buffer)
    super(thread, view, isShared)
    this.#buffer = buffer
    this.#view = view
  }

  /** New memory, all 0, of so many words and at most so many later. */
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

  /** The words, with all those before `end` among them: whoever speaks of a word has made room for it. */
  reach(end: number): Int32Array {
    if (end > this.#view.length) this.#view = wordsOf(this.#buffer)
    return this.#view
  }

  /** Makes room for so many words; false if there is none. */
  grow(words: number): boolean {
    return growTo(this.#buffer, words * 4)
  }

  /** Writes bytes from a word on. Others see them after an atomic access that both have made. */
  writeBytes(index: number, bytes: Uint8Array): void {
    new Uint8Array(this.#buffer, index * 4, bytes.length).set(bytes)
  }

  /** A copy of so many bytes from a word on. To decode them where they lie is to trust whoever may write there. */
  readBytes(index: number, length: number): Uint8Array {
    const copy = new Uint8Array(length)
    copy.set(new Uint8Array(this.#buffer, index * 4, length))
    return copy
  }
}
