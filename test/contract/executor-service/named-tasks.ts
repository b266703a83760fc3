/** The catalogue of named-work.ts: closures of this process, called by number. */
export * from "./simple-tasks.ts"

const closures: (() => unknown)[] = []

/** The number by which the closure can be called. */
export function numberOf(closure: () => unknown): number {
  return closures.push(closure) - 1
}

export function call(number: number): unknown {
  const closure = closures[number]
  if (closure === undefined) throw new RangeError(`No closure ${number}`)
  return closure()
}

export function giveBack(value: unknown): unknown {
  return value
}

export function throwIt(error: Error): never {
  throw error
}

export async function rejectWith(error: Error): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve))
  throw error
}
