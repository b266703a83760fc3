/**
 * Makes the memory that grows (growth.ts), and makes sure that dropped memory is given back in time.
 *
 * A buffer that can grow takes two mappings of the process, of which Linux grants 65,530, and stretches of addresses.
 * Both are given back when the garbage collector finds the buffer unused. But V8 counts nothing for shared memory, so
 * that a program may drop ten thousand pools or queues before the collector looks at the older part of the heap, and be
 * out of mappings by then. So this module counts reservations, and triggers a collection once every {@link EVERY}.
 *
 * All runtimes react to one trigger only: an ordinary buffer, large but never touched, is made and dropped. When memory
 * outside of the heap has grown by so much, the runtime starts a collection, which runs in the background.
 *
 * A road not taken: using the memory of an ended pool for the next one. The collector alone knows that no future, no
 * thread, no view of a queue refers to it any more.
 */
import { sharedWords } from "#atomics"
import { countsSharedMemory } from "#host/runtime/capabilities"

/**
 * After how many reservations the collector is triggered. They share the cost of a collection: a millisecond or two.
 */
const EVERY = 1024

/** More than what V8 lets the memory outside of its heap grow by before it collects: 64 MB. */
const PRESSURE = 2 ** 27

/** From this size on, the pages of a buffer should be touched only when they are used. */
const LARGE = 2 ** 16

let reserved = 0

/**
 * Makes a buffer of that many bytes, all 0, that can grow to `most`. Throws RangeError if the runtime has no such
 * stretch of addresses.
 */
export function reserve(bytes: number, most: number): SharedArrayBuffer {
  const buffer = new SharedArrayBuffer(bytes, { maxByteLength: most })
  noteReservation(buffer)
  return buffer
}

/**
 * A fixed number of words, all 0, most of which may never be used. A runtime fills the memory of an ordinary buffer
 * with zeros from end to end if it was used before; the memory of a buffer that can grow is fresh.
 */
export function reserveWords(count: number): Int32Array<SharedArrayBuffer> {
  return count * 4 < LARGE ? sharedWords(count) : new Int32Array(reserve(count * 4, count * 4), 0, count)
}

/**
 * To be called when this thread has made the buffer, or got it from another thread: the memory is not given back before
 * both have dropped it. A buffer that cannot grow uses up neither mappings nor addresses, so it is not counted; models,
 * which open one in each replay, use such buffers.
 */
export function noteReservation(buffer: SharedArrayBuffer): void {
  if (buffer.growable && ++reserved % EVERY === 0 && !countsSharedMemory) askCollector()
}

let shared = 0

/**
 * To be called when this thread holds, or has sent, that much more shared memory, of which the collector knows nothing.
 */
export function noteSharedBytes(bytes: number): void {
  shared += bytes
  if (shared < PRESSURE) return
  shared = 0
  if (!countsSharedMemory) askCollector()
}

let pressure: ArrayBuffer | undefined

function askCollector(): void {
  try {
    pressure = new ArrayBuffer(PRESSURE)
  } catch (error) {
    // With so little memory left, the collector runs without a trigger.
    if (!(error instanceof RangeError)) throw error
  }
  pressure &&= undefined
}
