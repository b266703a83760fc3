/**
 * Functions that refer to nothing around them, and so run on every kind of thread: virtual ones call them, platform threads get their text, other machines
 * know them by name.
 */

export function alive(): string {
  return "alive"
}

export function quick(): string {
  return "quick"
}

export async function slow(): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve))
  return "slow"
}

export function one(): number {
  return 1
}

export function giveNull(): null {
  return null
}

export function giveUndefined(): unknown {
  return undefined
}

export function join(a: number, b: string): string {
  return b + a
}

export function throwUndefined(): never {
  // oxlint-disable-next-line typescript/only-throw-error -- a task may throw anything
  throw undefined
}

export function rejectUnseen(): Promise<never> {
  return Promise.reject(new Error("unseen"))
}

/** Some of them at once, others after a while. */
export async function half(n: number): Promise<number> {
  if (n % 3 > 0) await new Promise((resolve) => setTimeout(resolve))
  return n / 2
}

export function timeOfDay(): number {
  return Date.now()
}
