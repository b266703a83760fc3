import { compareAndSet, load, pause } from "#atomics"
import { now } from "../../../time/timer.ts"
import { HEADER, WORKER } from "../layout.ts"
import type { PoolMemory } from "../pool-memory.ts"
import { ENDING, entryOf, FREE, reserverIn, TEARDOWN, UNCOUNTING } from "./worker-line.ts"

/** How long a thread may take for what takes a microsecond, in ms. If it takes longer, the machine has suspended it. */
const PATIENCE = 100

/**
 * Counts the workers of a pool anew. Only for the owner of the pool, after a thread has died in between these steps:
 *
 *     a thread admits a worker    line RESERVED, count up, line REQUESTED
 *     it cannot after all         count down, line FREE
 *     a worker leaves             line UNCOUNTING, count down, line FREE or TEARDOWN
 *
 * Whether such a thread has made the second step is known to no other thread. But a line in one of these states says
 * that its thread may have made it. So if no living thread has such a line, the count has to be the number of the other
 * lines in use; the lines of dead threads do not count. A living thread is past its steps in a moment, and this waits
 * for that.
 *
 * The control word is read before and after the lines, and they are read twice. If all of that is equal, no thread has
 * changed anything meanwhile, or threads have come and gone in equal numbers and have made all of their steps. The last
 * step is a compare-and-set, so that the count cannot have changed since.
 *
 * @returns False if the machine has suspended a living thread in between its steps: call this again later.
 */
export function recount(memory: PoolMemory): boolean {
  const { control } = memory.state
  const end = now() + PATIENCE
  do {
    const seen = control.snapshot
    const lines = linesOf(memory)
    const isStill = lines !== undefined && control.snapshot === seen && linesOf(memory) === lines
    if (isStill && control.tryCount(seen, lines)) return true
    pause()
  } while (now() <= end)
  return false
}

/** How many lines belong to workers that are counted; undefined if a living thread is in between its steps. */
function linesOf(memory: PoolMemory): number | undefined {
  const { words, threadContext } = memory
  let lines = 0
  const last = memory.header(HEADER.WORKERS)
  for (let number = 1; number <= last; number++) {
    const status = load(words, entryOf(number) + WORKER.STATUS)
    if (status === FREE || status === ENDING || status === TEARDOWN) continue
    const reserver = reserverIn(status)
    const isBetween = reserver !== 0 || status === UNCOUNTING
    if (!isBetween) lines++
    else if (threadContext.registry.isAlive(reserver || load(words, entryOf(number) + WORKER.TOKEN))) return undefined
  }
  return lines
}

/** The numbers of the lines that dead threads have reserved. */
export function* abandonedLines(memory: PoolMemory): Generator<number> {
  const { words, threadContext } = memory
  const last = memory.header(HEADER.WORKERS)
  for (let number = 1; number <= last; number++) {
    const reserver = reserverIn(load(words, entryOf(number) + WORKER.STATUS))
    if (reserver !== 0 && !threadContext.registry.isAlive(reserver)) yield number
  }
}

/** Frees a line that a dead thread has reserved. */
export function freeAbandoned({ words }: PoolMemory, number: number): void {
  const at = entryOf(number) + WORKER.STATUS
  const status = load(words, at)
  if (reserverIn(status) !== 0) compareAndSet(words, at, status, FREE)
}
