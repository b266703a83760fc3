/**
 * The memory of a shared object that may come to need more of it: it reserves address space, which costs nothing, and
 * grows into it. It never gets smaller. See space.ts for why the views over it are of fixed length.
 */
import type { Here } from "./here.ts"
import { type Handle, type Shared, SharedMemory } from "./shared-memory.ts"
import { here } from "./this-thread.ts"

export class GrowableMemory extends SharedMemory {
  /** Called when the object has become known to other threads. */
  onShared: (() => void) | undefined
  readonly #buffer: SharedArrayBuffer
  #view: Int32Array

  constructor(thread: Here, buffer: SharedArrayBuffer, isShared: boolean) {
    const view = wholeOf(buffer)
    super(thread, view, isShared)
    this.#buffer = buffer
    this.#view = view
  }

  /** New memory, all 0, of so many words and at most so many later. */
  static create(words: number, most: number): GrowableMemory {
    return new GrowableMemory(here(), new SharedArrayBuffer(words * 4, { maxByteLength: most * 4 }), false)
  }

  /** The memory of an object of this class that another thread has sent. */
  static openGrown(type: string, sent: Shared): GrowableMemory {
    const { here: thread, words } = SharedMemory.open(type, sent)
    return new GrowableMemory(thread, words.buffer as SharedArrayBuffer, true)
  }

  override handleAs(type: string): Handle {
    const wasShared = this.isShared
    const handle = super.handleAs(type)
    if (!wasShared) this.onShared?.()
    return handle
  }

  /** The words, with all those before `end` among them: whoever speaks of a word has made room for it. */
  reach(end: number): Int32Array {
    if (end > this.#view.length) this.#view = wholeOf(this.#buffer)
    return this.#view
  }

  /** Makes room for so many words; false if that is too much. For one thread at a time. */
  grow(words: number): boolean {
    const bytes = words * 4
    if (bytes > this.#buffer.maxByteLength) return false
    if (bytes > this.#buffer.byteLength) {
      this.#buffer.grow(Math.min(Math.max(bytes, this.#buffer.byteLength * 2), this.#buffer.maxByteLength))
    }
    return true
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

function wholeOf(buffer: SharedArrayBuffer): Int32Array {
  return new Int32Array(buffer, 0, buffer.byteLength / 4)
}
