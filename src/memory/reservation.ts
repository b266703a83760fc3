/**
 * Makes the memory that grows (growth.ts), and sees to it that the memory of what has been dropped is given back.
 *
 * A buffer that can grow takes two mappings of the process, of which Linux grants 65,530, and stretches of addresses.
 * Both are given back when the garbage collector finds the buffer unused. But V8 counts nothing for shared memory, so
 * that a program may drop ten thousand pools or queues before the collector looks at the older part of the heap, and be
 * out of mappings by then. So this module counts what was reserved, and has the collector look once for so many
 * reservations.
 *
 * The collector is asked by the only thing that all runtimes listen to: an ordinary buffer, large but never touched, is
 * made and dropped. Memory outside of the heap that has grown by so much starts a collection, which goes on in the
 * background.
 *
 * A road not taken: to use the memory of an ended pool for the next one. The collector alone knows that no future, no
 * thread, no view of a queue refers to it any more.
 */
import { sharedWords } from "#atomics"

/**
 * How many reservations the collector is asked to look for. One is a millisecond or two of collecting, shared by so
 * many.
 */
const EVERY = 1024

/** More than what V8 lets the memory outside of its heap grow by before it collects: 64 MB. */
const PRESSURE = 2 ** 27

/** From so many bytes on, the pages of a buffer are worth being touched only when they are used. */
const LARGE = 2 ** 16

/** JavaScriptCore counts shared memory as any other. */
const isNeeded = !("bun" in process.versions)

let reserved = 0

/**
 * A buffer of so many bytes, all 0, that can grow to `most`. Throws RangeError if the runtime has no such stretch of
 * addresses.
 */
export function reserve(bytes: number, most: number): SharedArrayBuffer {
  const buffer = new SharedArrayBuffer(bytes, { maxByteLength: most })
  noteReservation(buffer)
  return buffer
}

/**
 * Words that never become more, all 0, most of which may never be used. The memory of an ordinary buffer, if it was
 * another's before, is written with zeros from end to end; that of one that can grow is fresh.
 */
export function reserveWords(count: number): Int32Array<SharedArrayBuffer> {
  return count * 4 < LARGE ? sharedWords(count) : new Int32Array(reserve(count * 4, count * 4), 0, count)
}

/**
 * This thread has made the buffer, or has it from another thread: the memory is not given back before both have dropped
 * it. A buffer that cannot grow takes none of what is scarce; models, which open one in each replay, are made of such.
 */
export function noteReservation(buffer: SharedArrayBuffer): void {
  if (buffer.growable && ++reserved % EVERY === 0 && isNeeded) askCollector()
}

let shared = 0

/** This thread has come to hold, or to have sent, so much more shared memory, of which the collector knows nothing. */
export function noteSharedBytes(bytes: number): void {
  shared += bytes
  if (shared < PRESSURE) return
  shared = 0
  if (isNeeded) askCollector()
}

let pressure: ArrayBuffer | undefined

function askCollector(): void {
  try {
    pressure = new ArrayBuffer(PRESSURE)
  } catch (error) {
    // Where there is so little memory the collector needs no asking.
    if (!(error instanceof RangeError)) throw error
  }
  pressure &&= undefined
}
