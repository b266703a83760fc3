/**
 * The process of one contender: `child.js <contest> <bout> <contender>`, the bout by its number. Each message is a
 * request for one sample; the answer is a number, or why there is none.
 */
import { setImmediate } from "node:timers/promises"
import { type Contender, contendersOf } from "./contest.ts"
import { contests } from "./contests.ts"

/** What the parent sends. */
export interface Request {
  readonly n: number
}

/** What comes back: milliseconds, or bytes per element. */
export type Answer = { readonly value: number } | { readonly error: string }

/**
 * How large a run goes before memory is measured, so that code which is loaded or compiled on first use does not
 * count.
 */
const REHEARSAL = 1_000

const [contestName, boutNumber, contenderName] = process.argv.slice(2)

function find(): { contender: Contender; sample: (contender: Contender, n: number) => Promise<number> } {
  const contest = contests.find(({ name }) => name === contestName)
  const bout = contest?.bouts[Number(boutNumber)]
  const contender = bout && contendersOf(bout).find(({ name }) => name === contenderName)
  if (contest === undefined || contender === undefined) {
    throw new Error(`There is no contender ${process.argv.slice(2).join(" / ")}`)
  }
  return { contender, sample: contest.measures === "time" ? timeOf : memoryOf }
}

/** In ms. What the last run left behind is cleared away first; what this one leaves is its own to clear. */
async function timeOf(contender: Contender, n: number): Promise<number> {
  collectGarbage()
  const start = performance.now()
  await contender.run(n)
  return performance.now() - start
}

/** In bytes per element: what is held when the run is over, on the heap and outside of it, where typed arrays lie. */
async function memoryOf(contender: Contender, n: number): Promise<number> {
  await contender.run(REHEARSAL)
  const before = await memoryInUse()
  await contender.run(n)
  return ((await memoryInUse()) - before) / n
}

async function memoryInUse(): Promise<number> {
  // Promise jobs that are still to be done may hold something.
  await setImmediate()
  // Twice: a finalizer frees in the second pass what the first one found.
  collectGarbage()
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

function collectGarbage(): void {
  if (globalThis.gc === undefined) throw new Error("Start this with --expose-gc")
  globalThis.gc()
}

const { contender, sample } = find()

async function answer({ n }: Request): Promise<Answer> {
  try {
    return { value: await sample(contender, n) }
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

process.on("message", (request: Request) => {
  void answer(request).then((reply) => process.send?.(reply))
})
