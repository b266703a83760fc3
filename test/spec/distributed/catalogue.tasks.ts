/** A module of tasks. */
import { task } from "corepool"

export function add(a: number, b: number): number {
  return a + b
}

export const double = task(import.meta.url, function double(n: number): number {
  return 2 * n
})

export function shout(text: string): string {
  return text.toUpperCase()
}

export default shout

export class Money {
  readonly amount = 1
}

export const answer = 42
