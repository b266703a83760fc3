/**
 * The facade over Atomics: the only file that names them. All access to words that two threads may touch goes through
 * these functions, so that a model checker can replace them (imported as `#atomics`, condition `model`) and walk all
 * interleavings.
 *
 * They work alike on an ordinary `Int32Array` (state of virtual threads) and on a shared one. Only `wait`, `listen` and
 * `notify` need a shared one.
 *
 * The functions of Atomics are taken when this file is loaded. A task may replace or break them in its thread: the
 * thread must still be able to report that it fails.
 */

const {
  load: atomicLoad,
  store: atomicStore,
  add: atomicAdd,
  exchange: atomicExchange,
  compareExchange: atomicCompareExchange,
  wait: atomicWait,
  notify: atomicNotify,
} = Atomics

export function load(words: Int32Array, index: number): number {
  return atomicLoad(words, index)
}

export function store(words: Int32Array, index: number, value: number): void {
  atomicStore(words, index, value)
}

/** Adds and returns the value *before* the addition. */
export function add(words: Int32Array, index: number, amount: number): number {
  return atomicAdd(words, index, amount)
}

export function exchange(words: Int32Array, index: number, value: number): number {
  return atomicExchange(words, index, value)
}

/** True if the word held `expected` and now holds `value`. */
export function compareAndSet(words: Int32Array, index: number, expected: number, value: number): boolean {
  return atomicCompareExchange(words, index, expected, value) === expected
}

/**
 * A plain read, twenty times cheaper than `load`. For words that only one thread can be writing at this moment: those a
 * lock protects, or that the reader alone writes.
 */
export function read(words: Int32Array, index: number): number {
  return words[index] as number
}

/** A plain write; see {@link read}. Another thread sees it after an atomic access that both have made. */
export function write(words: Int32Array, index: number, value: number): void {
  words[index] = value
}

/**
 * Blocks this thread while the word holds `value`, until a thread notifies the word or the time is up. May end early.
 */
export function wait(words: Int32Array, index: number, value: number, ms: number): void {
  atomicWait(words, index, value, ms)
}

/** `Atomics.waitAsync` is newer than the library of types that Node 20 is built with. */
type WaitAsync = (
  words: Int32Array,
  index: number,
  value: number,
) => { async: false; value: string } | { async: true; value: Promise<string> }

const waitAsync = /* @__PURE__ */ own("waitAsync") as WaitAsync

/** A method of Atomics that the types do not know. */
function own(name: string): unknown {
  return (Atomics as unknown as Record<string, unknown>)[name]
}

/**
 * Calls `rung` once, from the event loop, after a thread notifies the word. Returns false, and never calls it, if the
 * word does not hold `value`. Cannot be called off, and does not keep the process alive.
 */
export function listen(words: Int32Array, index: number, value: number, rung: () => void): boolean {
  const waiting = waitAsync(words, index, value)
  if (!waiting.async) return false
  void whenRung(waiting.value, rung)
  return true
}

/** Uses `await` and not `then`, which a task may have replaced in its thread. */
async function whenRung(notified: Promise<string>, rung: () => void): Promise<void> {
  await notified
  rung()
}

/** Wakes all threads that wait for the word or listen to it. */
export function notify(words: Int32Array, index: number): void {
  atomicNotify(words, index)
}

/** Wakes one thread that waits for the word or listens to it; false if there is none. */
export function notifyOne(words: Int32Array, index: number): boolean {
  return atomicNotify(words, index, 1) > 0
}

/*
 * Words of 64 bits, for values that must change at once and do not fit into 32. All accesses to such a word go through
 * these three functions. They cost two to three times as much as their 32-bit counterparts.
 */

export function loadLong(longs: BigInt64Array, index: number): bigint {
  return atomicLoad(longs, index)
}

export function exchangeLong(longs: BigInt64Array, index: number, value: bigint): bigint {
  return atomicExchange(longs, index, value)
}

/** True if the word held `expected` and now holds `value`. */
export function compareAndSetLong(longs: BigInt64Array, index: number, expected: bigint, value: bigint): boolean {
  return atomicCompareExchange(longs, index, expected, value) === expected
}

const pauseHint = /* @__PURE__ */ own("pause") as ((count?: number) => void) | undefined

/** A hint to the processor, for the time between two looks at a word that another thread is about to change. */
export const pause: () => void = pauseHint === undefined ? () => undefined : () => pauseHint()

const never = new Int32Array(new SharedArrayBuffer(4))

/** Blocks this thread, event loop and all. Throws where the runtime forbids it (a browser's window). */
export function block(ms: number): void {
  atomicWait(never, 0, 0, ms)
}

/** Makes words that threads can share, all 0. They live as long as any thread refers to them. */
export function sharedWords(count: number): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(count * 4))
}

/**
 * To be called first with every error that a guard has caught (see guard.ts). Does nothing; but in a model, where
 * threads are suspended by exceptions, and where no error is to be hidden, it throws the error on.
 */
export function letPass(_error: unknown): void {}
