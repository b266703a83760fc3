/** For tests of the checker and for model tests. */
import assert from "node:assert/strict"
import { sharedWords } from "#atomics"
import { ModelViolation, name, type Report } from "./explore.ts"

/** The violation that the exploration finds; it is an error if there is none. */
export function violationIn(run: () => Report): ModelViolation {
  try {
    run()
  } catch (error) {
    if (error instanceof ModelViolation) return error
    throw error
  }
  assert.fail("no violation was found")
}

/** A check that looked at next to nothing would find everything in order. */
export function assertExplored({ states }: Report, atLeast: number): void {
  assert.ok(states >= atLeast, `only ${states} states`)
}

/** Words with names, each holding 0. For the set-up. */
export function namedWords(label: string, ...fields: string[]): Int32Array {
  const memory = sharedWords(fields.length)
  name(memory, label, Object.fromEntries(fields.map((field, index) => [field, index])))
  return memory
}
