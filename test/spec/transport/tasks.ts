/** What the threads of these tests run. */
import {
  type AtomicInteger,
  type CountDownLatch,
  type ExecutorService,
  type LinkedBlockingQueue,
  ReentrantLock,
  tasksOf,
  Thread,
  TimeoutError,
  transfer,
} from "corepool"
import { registerClass } from "#src/codec/revival.js"
import { createHmac, type KeyObject } from "node:crypto"
import { threadId, type MessagePort } from "node:worker_threads"
import { collectGarbage } from "../../support/garbage.ts"
import { words } from "../../support/shared-words.ts"

export class Temperature {
  readonly degrees: number
  constructor(degrees: number) {
    this.degrees = degrees
  }
}
registerClass(Temperature)

export class TooHot extends RangeError {
  override readonly name = "TooHot"
  readonly temperature: Temperature
  constructor(message: string, temperature: Temperature) {
    super(message)
    this.temperature = temperature
  }
}
registerClass(TooHot)

export function same<T>(value: T): T {
  return value
}

export function addTo(view: Int32Array, index: number, amount: number): number {
  return Atomics.add(view, index, amount)
}

export function useAll(shared: {
  counter: AtomicInteger
  lock: ReentrantLock
  latch: CountDownLatch
  queue: LinkedBlockingQueue<string>
}): number {
  using _guard = shared.lock.lockSync()
  shared.queue.add("from the thread")
  shared.latch.countDown()
  return shared.counter.incrementAndGet()
}

export function areSame(first: unknown, second: unknown): boolean {
  return first === second
}

let last: WeakRef<object> | undefined

/** Whether this thread was given the same object the last time. */
export function isSameAsLast(thing: object): boolean {
  const before = last?.deref()
  last = new WeakRef(thing)
  return before === thing
}

/** Collects what nobody holds; whether the object of the last time is among it. */
export async function forget(): Promise<boolean> {
  await new Promise((resolve) => setTimeout(resolve))
  collectGarbage()
  return last?.deref() === undefined
}

export function newShared(): { bytes: SharedArrayBuffer; view: Int32Array } {
  const view = new Int32Array(new SharedArrayBuffer(16)).fill(7)
  return { bytes: view.buffer, view }
}

export function throwShared(view: Int32Array): never {
  throw Object.assign(new Error("with shared memory"), { view, fresh: new SharedArrayBuffer(3) })
}

/** The sum of the bytes, and how many. */
export function sum(bytes: Uint8Array): [number, number] {
  return [bytes.reduce((total, byte) => total + byte, 0), bytes.length]
}

/** Says it in a word, too. */
export function tellSum(bytes: Uint8Array, index: number): void {
  Atomics.store(words, index, sum(bytes)[0])
  Atomics.notify(words, index)
}

export function countCall(index: number, _: unknown): void {
  Atomics.add(words, index, 1)
}

/** Whether the second half of each is a view of the same buffer. */
export function areViewsOf(value: { arrays: Uint8Array[]; half: Uint8Array[]; copied: Uint8Array }): unknown {
  const { arrays, half, copied } = value
  const isOneBuffer = half.every((view, i) => {
    const whole = arrays[i] as Uint8Array
    return (
      view.buffer === whole.buffer &&
      view.byteOffset === whole.length >> 1 &&
      view.length === whole.length - view.byteOffset
    )
  })
  return { arrays, isOneBuffer, copied }
}

/** A list of so many equal bytes, moved to whoever has asked for it. */
export function filled(length: number, byte: number): Uint8Array {
  return transfer(new Uint8Array(length).fill(byte))
}

const kept: ArrayBuffer[] = []

/** Two buffers, of which one is moved; it is kept here too. */
export function moveOne(): { moved: ArrayBuffer; copied: ArrayBuffer } {
  const result = { moved: new ArrayBuffer(10), copied: new ArrayBuffer(20) }
  kept.push(result.moved, result.copied)
  return transfer(result, [result.moved])
}

export function keptSizes(): number[] {
  return kept.splice(0).map((buffer) => buffer.byteLength)
}

let own = new Uint8Array()

/** So many bytes, which the thread keeps. */
export function begin(length: number): Uint8Array {
  own = new Uint8Array(length).fill(1)
  return own
}

/** The same bytes, changed. */
export function change(by: number): { bytes: Uint8Array; length: number } {
  own.forEach((byte, i) => (own[i] = byte + by))
  return { bytes: own, length: own.length }
}

/** As {@link begin} and {@link change}, in this thread, by tasks of the pool that it runs itself meanwhile. */
export function changeInside(pool: ExecutorService, module: string, length: number): [Uint8Array, Uint8Array] {
  const tasks = tasksOf<typeof import("./tasks.ts")>(module)
  const first = pool.submit(tasks.begin, length).getSync()
  return [first, pool.submit(tasks.change, 1).getSync().bytes]
}

export function answerOn(port: MessagePort, word: string): void {
  port.postMessage(word)
  port.close()
}

export async function textOf(blob: Blob): Promise<string> {
  return await blob.text()
}

export function sign(key: KeyObject, text: string): string {
  return createHmac("sha256", key).update(text).digest("hex")
}

export function upperCased(text: string): Blob {
  return new Blob([text.toUpperCase()])
}

/** Comes, and goes on when the gate is open. */
export function pass(gate: number): void {
  Atomics.add(words, gate, 1)
  while (Atomics.load(words, gate + 1) === 0) Atomics.wait(words, gate + 1, 0)
}

// ------------------------------------------------------------------ tasks that submit

export async function addInPool(pool: ExecutorService, a: number, b: number): Promise<number> {
  return await pool.submit((x: number, y: number) => x + y, a, b)
}

/** Passes shared memory on to other tasks, and gets it back from them. */
export async function spread(pool: ExecutorService, count: number): Promise<[number, boolean]> {
  const view = new Int32Array(new SharedArrayBuffer(4))
  const futures = Array.from({ length: count }, () =>
    pool.submit((it: Int32Array) => {
      Atomics.add(it, 0, 1)
      return it
    }, view),
  )
  const views = await Promise.all(futures)
  return [Atomics.load(view, 0), views.every((it) => it.buffer === view.buffer)]
}

/** Moves a buffer to another thread, and gets shared memory and much data back: which threads it were, and what came. */
export async function sendOn(pool: ExecutorService, module: string, gate: number): Promise<unknown> {
  const { report: reportThere } = tasksOf<typeof import("./tasks.ts")>(module)
  const bytes = new Uint8Array(1000).fill(3)
  const future = pool.with({ transfer: [bytes.buffer] }).submit(reportThere, bytes, gate)
  const sent = bytes.length
  const [thread, total, view, much] = await future
  return [sent, thread === threadId, total, view[0], much.length]
}

export function report(bytes: Uint8Array, gate: number): [number, number, Int32Array, string] {
  Atomics.add(words, gate, 1)
  return [threadId, sum(bytes)[0], new Int32Array(new SharedArrayBuffer(4)).fill(9), "x".repeat(20_000_000)]
}

/** Blocks for tasks of the pool it runs in, which are given things that cannot be written down. */
export function blockForOwn(pool: ExecutorService): [number, number, number] {
  const bytes = new Uint8Array(100).fill(2)
  const view = new Int32Array(new SharedArrayBuffer(4)).fill(5)
  const moved = pool.with({ transfer: [bytes.buffer] }).submit((it: Uint8Array) => it.length, bytes)
  const shared = pool.submit((it: Int32Array) => it, view)
  return [bytes.length, moved.getSync(), shared.getSync()[0] as number]
}

/** Submits what it alone could hand out, and ends. */
export function submitAndExit(pool: ExecutorService, count: number): void {
  const bytes = new Uint8Array(8)
  const task = (_: Uint8Array, memory: Int32Array): void => void Atomics.add(memory, 0, 1)
  pool.with({ transfer: [bytes.buffer] }).execute(task, bytes, words.subarray(count))
  process.exit(0)
}

// ------------------------------------------------------------------ errors

export function fail(): never {
  const cause = new TypeError("the cause")
  throw Object.assign(new RangeError("too hot", { cause }), { code: "E_HOT", detail: { degrees: 100 } })
}

export function failTogether(): never {
  throw new AggregateError([new TimeoutError("late"), new TooHot("hot", new Temperature(99))], "both")
}

const constant = new Error("always the same")

export function throwConstant(): never {
  throw constant
}

export async function failInside(pool: ExecutorService): Promise<never> {
  await Thread.sleep(0)
  return pool
    .submit(() => {
      throw new Error("inside")
    })
    .getSync()
}

export function notPassable(kind: "function" | "getter" | "list" | "moved" | "thrown"): unknown {
  switch (kind) {
    case "function":
      return { a: [() => 1] }
    case "getter":
      return {
        get a() {
          throw new Error("no")
        },
      }
    case "list":
      return transfer({ a: 1 }, [new ArrayBuffer(1)])
    case "moved": {
      const buffer = new ArrayBuffer(1)
      structuredClone(buffer, { transfer: [buffer] })
      return transfer(buffer)
    }
    case "thrown":
      // oxlint-disable-next-line typescript/only-throw-error -- anything can be thrown
      throw { a: () => 1 }
  }
}

/** Says that it runs, and that it has got its arguments. */
export function mark(index: number, ...things: object[]): number {
  Atomics.store(words, index, 1 + things.length)
  Atomics.notify(words, index)
  return things.length
}

/** Has the pool mark it, with a thing that it was given; or with one of its own, and blocks until that is done. */
export function markInPool(executor: ExecutorService, index: number, thing?: object): void {
  const { mark: markThere } = tasksOf<{ mark: typeof mark }>(import.meta.url)
  void executor.submit(markThere, index, thing ?? new SharedArrayBuffer(8))
  if (thing === undefined) blockUntilMarked(index)
}

/** Blocks the thread, without corepool knowing of it. */
export function blockUntilMarked(index: number): number {
  while (Atomics.load(words, index) === 0) {
    if (Atomics.wait(words, index, 0, 60_000) === "timed-out") throw new Error("The task has not run")
  }
  return Atomics.load(words, index)
}

const seen: WeakRef<object>[] = []

export function see(...things: object[]): void {
  for (const thing of things) seen.push(new WeakRef(thing))
}

/** How many of the things that the thread has seen it still has. */
export async function countSeen(): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve))
  collectGarbage()
  return seen.filter((thing) => thing.deref() !== undefined).length
}

/** Has the pool see things of this thread, which drops them. */
export async function seeInPool(executor: ExecutorService): Promise<void> {
  const { see: seeThere } = tasksOf<{ see: typeof see }>(import.meta.url)
  await executor.submit(seeThere, new SharedArrayBuffer(8), new ReentrantLock())
}

/** The thread ends as soon as the gate is open. */
export function passAndExit(gate: number): void {
  pass(gate)
  process.exit(0)
}

export function countDown(latch: CountDownLatch, buffer: ArrayBuffer): number {
  latch.countDown()
  return buffer.byteLength
}

/** As {@link markInPool}, when the gate is open. */
export function markInPoolLater(executor: ExecutorService, gate: number, index: number): void {
  pass(gate)
  markInPool(executor, index)
}

export function giveFunction(): unknown {
  return () => 1
}
