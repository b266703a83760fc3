/**
 * How memory that threads share grows. A buffer reserves address space for all it may ever hold, which costs nothing,
 * and grows into it. A view of fixed length is as fast as over an ordinary buffer; a view that follows the length is
 * four times slower. So each thread holds a fixed view and takes a longer one when it meets an index beyond its end.
 */

/** A view of all the words that there are now. */
export function wordsOf(buffer: SharedArrayBuffer): Int32Array {
  return new Int32Array(buffer, 0, Math.floor(buffer.byteLength / 4))
}

/** How long the buffer can become. */
export function mostBytesOf(buffer: SharedArrayBuffer): number {
  return buffer.growable ? buffer.maxByteLength : buffer.byteLength
}

/**
 * Makes the buffer at least that long; false if it cannot become so long, or the machine has no more. Any thread may
 * call this at any time, without a lock.
 */
export function growTo(buffer: SharedArrayBuffer, bytes: number): boolean {
  if (bytes <= buffer.byteLength) return true
  const most = mostBytesOf(buffer)
  if (bytes > most) return false
  const ample = Math.min(Math.max(bytes, buffer.byteLength * 2), most)
  return grow(buffer, ample, bytes) || grow(buffer, bytes, bytes)
}

function grow(buffer: SharedArrayBuffer, target: number, bytes: number): boolean {
  try {
    buffer.grow(target)
  } catch (error) {
    // The machine has no more; or another thread has just made the buffer larger than asked for, and then all is well.
    if (!(error instanceof RangeError)) throw error
  }
  return buffer.byteLength >= bytes
}
