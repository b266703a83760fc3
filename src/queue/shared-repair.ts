/**
 * Puts a shared queue in order after a death. Somebody may have died in the middle of changing it, or while waiting, or with an
 * element that was given to it and not fetched.
 *
 * It goes by the states of the cells alone. It may be cut short by another death, and then begins again.
 */
import { read, write } from "#atomics"
import type { SharedCore } from "./shared-core.ts"
import { ENTRY, FREE, GIVEN, HELD, IN, PUTTER, REFUSED, SERVED, TAKER, TRANSFER } from "./shared-layout.ts"

export function repair(core: SharedCore): void {
  const { words } = core.store
  const { space } = core.memory.here
  const isDeserted = (cell: number): boolean => {
    const thread = core.threadOf(cell)
    return thread !== 0 && !space.isAlive(thread)
  }
  const found = new Map<number, number[]>([FREE, IN, PUTTER, TAKER, GIVEN, SERVED, REFUSED, HELD].map((s) => [s, []]))
  for (const cell of core.store.pieces()) found.get(core.stateOf(cell))?.push(cell)
  const of = (state: number): number[] => found.get(state) ?? []

  // What was given to somebody who is dead now comes back, to the head of the queue.
  const given: number[] = []
  const returned: number[] = []
  const served = new Set<number>()
  for (const cell of of(GIVEN)) {
    const taker = read(words, cell + ENTRY.NEXT)
    if (isDeserted(taker)) returned.push(cell)
    else {
      given.push(cell)
      served.add(taker)
      write(words, taker + ENTRY.NEXT, cell)
      core.become(taker, SERVED)
    }
  }

  const inside = of(IN)
  for (const cell of inside) {
    if (!core.has(cell, TRANSFER) || !isDeserted(cell)) continue
    write(words, cell + ENTRY.SHAPE, read(words, cell + ENTRY.SHAPE) & ~TRANSFER)
  }
  const waiting = [...of(PUTTER), ...of(TAKER)].filter((cell) => !served.has(cell))
  const leaving = [...of(SERVED), ...of(REFUSED), ...of(HELD)].filter((cell) => !served.has(cell))
  const kept = [...inside, ...given, ...returned, ...served]
  for (const cell of [...waiting, ...leaving]) {
    // Who held an element may have died on the way back with it, when it was nobody's any more.
    const isLost = core.stateOf(cell) === HELD && core.threadOf(cell) === 0
    if (isLost || isDeserted(cell)) core.become(cell, FREE)
    else kept.push(cell)
  }

  const byTicket = (a: number, b: number): number => (core.ticketOf(a) - core.ticketOf(b)) | 0
  const standing = (state: number): number[] =>
    waiting.filter((cell) => core.stateOf(cell) === state).toSorted(byTicket)
  core.store.rebuild(kept)
  core.items.rebuild(inside)
  core.putters.rebuild(standing(PUTTER))
  core.takers.rebuild(standing(TAKER))
  for (const cell of returned.toSorted(byTicket).reverse()) core.items.add(cell, "first")
  if (core.isClosed) core.close() // whoever closed it may not have told everybody
  core.serve()
}
