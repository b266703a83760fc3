/** The tasks of the tests of this folder. Nodes and tests are in one process, so the tasks can leave marks here. */
import { Thread } from "corepool"

/** What tasks have done, in order. */
export const marks: unknown[] = []

let isOpen = false
let waiting: (() => void)[] = []
let entered: (() => void)[] = []

export function reset(): void {
  marks.length = 0
  isOpen = false
  waiting = []
  entered = []
}

/** Lets all tasks at the gate go on. */
export function open(): void {
  isOpen = true
  for (const go of waiting.splice(0)) go()
}

/** Is fulfilled when a task has come to the gate. */
export function someoneEntered(): Promise<void> {
  return new Promise((resolve) => entered.push(resolve))
}

export function mark<T>(value: T): T {
  marks.push(value)
  return value
}

export function add(a: number, b: number): number {
  return a + b
}

export function fail(message: string): never {
  throw Object.assign(new RangeError(message), { code: "E_OWN" })
}

/** Waits at the gate, and does not heed interrupts. */
export async function wait(value: unknown): Promise<unknown> {
  marks.push(`begun ${String(value)}`)
  for (const tell of entered.splice(0)) tell()
  if (!isOpen) await new Promise<void>((resolve) => waiting.push(resolve))
  marks.push(`passed ${String(value)}`)
  return value
}

/** The same, but ends if it is interrupted. */
export async function waitAlert(value: unknown): Promise<unknown> {
  const { signal } = Thread.currentThread()
  marks.push(`begun ${String(value)}`)
  for (const tell of entered.splice(0)) tell()
  await new Promise<void>((resolve, reject) => {
    if (isOpen) resolve()
    waiting.push(resolve)
    signal.addEventListener("abort", () => {
      marks.push(`interrupted ${String(value)}`)
      reject(new Error("interrupted"))
    })
  })
  return value
}

let failures = 0

/** Fails so many times, and then gives how often it has failed. */
export function failTimes(count: number): number {
  if (failures < count) {
    failures++
    throw new Error(`failure ${failures}`)
  }
  const result = failures
  failures = 0
  return result
}

/** Leaves no mark. */
export function tick(..._args: unknown[]): void {}
