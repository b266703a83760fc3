/**
 * How memory that threads share becomes more. A buffer reserves address space for all it may ever hold, which costs
 * nothing, and grows into it. A view of fixed length over it is as fast as over an ordinary buffer (one that follows
 * the length is four times slower), so each thread holds a fixed view and takes a longer one when it meets something
 * beyond its end.
 */

/** A view of all the words that there are now. */
export function wordsOf(buffer: SharedArrayBuffer): Int32Array {
  return new Int32Array(buffer, 0, Math.floor(buffer.byteLength / 4))
}

/** How long it can become. */
export function mostBytesOf(buffer: SharedArrayBuffer): number {
  return buffer.growable ? buffer.maxByteLength : buffer.byteLength
}

/**
 * Makes the buffer so long, or longer; false if it cannot become so long, or the machine has no more. Any thread may at
 * any time, without a lock.
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
    // There is no more; or another thread has just made it larger than we asked for, and then all is well.
    if (!(error instanceof RangeError)) throw error
  }
  return buffer.byteLength >= bytes
}
