/** How an object is called in messages: `ThreadPoolExecutor@3`, like Java's class name and identity hash. */
import { className } from "./checks.ts"

const numbers = new WeakMap<object, number>()
const counts = new Map<string, number>()

export function identityOf(object: object): string {
  const name = className(object)
  let number = numbers.get(object)
  if (number === undefined) {
    number = (counts.get(name) ?? 0) + 1
    counts.set(name, number)
    numbers.set(object, number)
  }
  return `${name}@${number}`
}
