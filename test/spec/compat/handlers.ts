/** A module for the threads of a Piscina: it exports functions, as such modules do. */
import { isWorkerThread, move, Piscina, workerData } from "corepool/compat"
import { parentPort, threadId } from "node:worker_threads"

export default function add({ a, b }: { a: number; b: number }): number {
  return a + b
}

export async function multiply({ a, b }: { a: number; b: number }): Promise<number> {
  return a * b
}

export function fail(message: string): never {
  throw new RangeError(message)
}

/** Says that it has begun, and blocks until the word is set. */
export function hold(words: Int32Array): number {
  Atomics.add(words, 1, 1)
  Atomics.notify(words, 1)
  Atomics.wait(words, 0, 0)
  return threadId
}

export function spin(words: Int32Array): never {
  Atomics.add(words, 1, 1)
  Atomics.notify(words, 1)
  for (;;) Atomics.load(words, 0)
}

export function exit(code: number): never {
  process.exit(code)
}

export function leaveError(message: string): string {
  setImmediate(() => {
    throw new Error(message)
  })
  return "done"
}

export function whereAmI(): unknown {
  return { isWorkerThread, again: Piscina.isWorkerThread, workerData, arguments: process.argv.slice(-2) }
}

export function say(message: string): void {
  parentPort?.postMessage(message)
}

let kept: ArrayBuffer | undefined

export function give(size: number): unknown {
  kept = new ArrayBuffer(size)
  return move(kept)
}

export function rest(): number {
  return kept?.byteLength ?? -1
}

export function length(buffer: ArrayBuffer): number {
  return buffer.byteLength
}

const log: unknown[] = []

export function note(value: { n: number }): void {
  log.push(value.n)
}

export function notes(): unknown[] {
  return log
}
