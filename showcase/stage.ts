/** What the stages of the tour have in common. */
import { availableParallelism } from "node:os"
import { styleText } from "node:util"

/** One stop of the tour: a small program of its own. */
export interface Stage {
  readonly title: string
  /** What to look at. */
  readonly about: string
  /** Where its code is, in this folder. */
  readonly file: string
  run(): Promise<void>
}

/** As many threads as there are processors, within reason. */
export const THREADS: number = Math.min(Math.max(availableParallelism(), 2), 8)

const hasColours = process.stdout.isTTY && process.env["NO_COLOR"] === undefined && process.env["TERM"] !== "dumb"

export function announce(stage: Stage, number: number, all: number): void {
  const title = `${number}/${all}  ${stage.title}`
  console.log(`\n${hasColours ? styleText("bold", title) : title}   showcase/${stage.file}`)
  console.log(`     ${stage.about}`)
}

/** A line of the stage's own. */
export function say(text: string): void {
  console.log(`       ${text}`)
}

/** How long something took, in ms. */
export async function timed<T>(work: () => T | PromiseLike<T>): Promise<{ value: T; ms: number }> {
  const start = performance.now()
  const value = await work()
  return { value, ms: performance.now() - start }
}

/** The shorter of two times, as other programs may want the processors too. */
export async function bestOfTwo<T>(work: () => T | PromiseLike<T>): Promise<{ value: T; ms: number }> {
  const first = await timed(work)
  const second = await timed(work)
  return first.ms < second.ms ? first : second
}

export function inMs(ms: number): string {
  return `${ms.toFixed(0)} ms`
}
