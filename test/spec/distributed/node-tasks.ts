/** The catalogue of the nodes in these tests. */
import { CancellationError, InterruptedError, registerClass, RejectedExecutionError, task, Thread } from "corepool"
import { currentJob, type CurrentJob } from "#src/distributed/node/job-in-thread.js"
import { setTimeout as pause } from "node:timers/promises"
import { isMainThread, threadId } from "node:worker_threads"
import { words } from "../../support/inherited-words.ts"

export const add = task(import.meta.url, function add(a: number, b: number): number {
  return a + b
})

export const same = task(import.meta.url, function same(value: unknown): unknown {
  return value
})

export const later = task(import.meta.url, async function later(value: unknown): Promise<unknown> {
  await pause(1)
  return value
})

/** Counts its calls, in a word that all threads have. */
export const count = task(import.meta.url, function count(index: number): number {
  return Atomics.add(words, index, 1) + 1
})

/** Fails so many times, and then gives how often it was called. */
export const failTimes = task(import.meta.url, function failTimes(index: number, times: number): number {
  const calls = Atomics.add(words, index, 1) + 1
  if (calls <= times) throw new Error(`call ${calls}`)
  return calls
})

const FINAL = { CancellationError, RejectedExecutionError }

/** Counts its calls, and fails with an error after which no task is tried again. */
export const giveUp = task(import.meta.url, function giveUp(index: number, name: keyof typeof FINAL): never {
  const calls = Atomics.add(words, index, 1) + 1
  throw new FINAL[name](`call ${calls}`)
})

/** Says that it is there and waits until the gate is open, deaf to interrupts; says when it leaves. */
export const pass = task(import.meta.url, async function pass(gate: number): Promise<number> {
  Atomics.add(words, gate, 1)
  while (Atomics.load(words, gate + 1) === 0) await pause(1)
  Atomics.add(words, gate + 2, 1)
  return gate
})

/** Says that it is there and waits for an interrupt; says that it has come. */
export const awaitInterrupt = task(import.meta.url, async function awaitInterrupt(gate: number): Promise<void> {
  Atomics.add(words, gate, 1)
  try {
    await Thread.sleep(Infinity)
  } catch (error) {
    if (error instanceof InterruptedError) Atomics.add(words, gate + 2, 1)
    throw error
  }
})

/** Says that it is there, and never ends. */
export const spin = task(import.meta.url, function spin(gate: number): never {
  Atomics.add(words, gate, 1)
  for (;;);
})

export const exit = task(import.meta.url, function exit(): void {
  process.exit(3)
})

export const fail = task(import.meta.url, function fail(message: string): never {
  throw Object.assign(new RangeError(message, { cause: new TypeError("inner") }), { code: "E_OWN", detail: { n: 1 } })
})

const strange: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  text: () => "text",
  symbol: () => Symbol("s"),
  revoked: () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    return proxy
  },
  frozen: () => Object.freeze(new Error("frozen")),
  getters: () =>
    Object.defineProperty(new Error("getters"), "stack", {
      get() {
        throw new Error("no stack")
      },
    }),
  function: () => () => 1,
  huge: () => new Error("x".repeat(2 ** 21)),
}

export const strangeKinds: readonly string[] = Object.keys(strange)

export const throwStrange = task(import.meta.url, function throwStrange(kind: string): never {
  throw strange[kind]?.()
})

export const giveStrange = task(import.meta.url, function giveStrange(kind: string): unknown {
  return { inner: strange[kind]?.() }
})

export const giveShared = task(import.meta.url, function giveShared(): unknown {
  return new SharedArrayBuffer(8)
})

export const giveBytes = task(import.meta.url, function giveBytes(size: number): Uint8Array {
  return new Uint8Array(size)
})

/** Knows in which threads it was read and written. */
export class Traveller {
  readonly path: readonly string[]

  constructor(path: readonly string[]) {
    this.path = path
  }
}

function place(): string {
  return isMainThread ? "main" : `worker ${threadId > 0}`
}

registerClass(Traveller, {
  name: "Traveller",
  encode: ({ path }: Traveller) => [...path, `written in ${place()}`],
  decode: (path: readonly string[]) => new Traveller([...path, `read in ${place()}`]),
})

export const travel = task(import.meta.url, function travel({ path }: Traveller): Traveller {
  return new Traveller([...path, `used in ${place()}`])
})

export const job = task(import.meta.url, async function job(): Promise<(CurrentJob | undefined)[]> {
  const before = currentJob()
  await pause(1)
  return [before, currentJob()]
})

/** Reports all of these, one after the other. */
export const report = task(import.meta.url, function report(values: readonly unknown[]): number {
  for (const value of values) Thread.currentThread().reportProgress(value)
  return values.length
})

/** Reports without pause, and then gives how many. */
export const flood = task(import.meta.url, function flood(times: number): number {
  for (let i = 1; i <= times; i++) Thread.currentThread().reportProgress(i)
  return times
})

export const reportStrange = task(import.meta.url, function reportStrange(kind: string): string {
  const value = { function: () => undefined, bigint: 1n, long: "x".repeat(2 ** 17) }[kind]
  try {
    Thread.currentThread().reportProgress(value)
  } catch (error) {
    return (error as Error).name
  }
  return "nothing"
})

/** Goes on reporting after it has ended, until the gate is open; then says so. */
export const reportLater = task(import.meta.url, function reportLater(gate: number): void {
  const goOn = async (): Promise<void> => {
    while (Atomics.load(words, gate + 1) === 0) await pause(1)
    Thread.currentThread().reportProgress("too late")
    Atomics.add(words, gate + 2, 1)
  }
  void goOn()
})
