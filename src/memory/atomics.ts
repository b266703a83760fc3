/**
 * The facade over Atomics: the only file that names them. Everything that two threads may touch is
 * touched through these functions, so that a model checker can stand in their place (imported as
 * `#atomics`) and walk all interleavings.
 *
 * They work alike on an ordinary `Int32Array` (state of virtual threads) and on a shared one.
 */

export function load(words: Int32Array, index: number): number {
  return Atomics.load(words, index)
}

export function store(words: Int32Array, index: number, value: number): void {
  Atomics.store(words, index, value)
}

/** Adds and returns the value *before* the addition. */
export function add(words: Int32Array, index: number, amount: number): number {
  return Atomics.add(words, index, amount)
}

export function exchange(words: Int32Array, index: number, value: number): number {
  return Atomics.exchange(words, index, value)
}

/** True if the word held `expected` and now holds `value`. */
export function compareAndSet(words: Int32Array, index: number, expected: number, value: number): boolean {
  return Atomics.compareExchange(words, index, expected, value) === expected
}

const never = new Int32Array(new SharedArrayBuffer(4))

/** Blocks this thread, event loop and all. Throws where the runtime forbids it (a browser's window). */
export function block(ms: number): void {
  Atomics.wait(never, 0, 0, ms)
}
