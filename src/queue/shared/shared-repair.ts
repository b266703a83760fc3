/**
 * What a death leaves in a shared queue. Whoever died may have waited, or have had something that was given to it and
 * not fetched; that is swept. Or it died in the middle of changing the queue; then everything is made anew from the
 * states of the cells, which takes as long as there are elements, but happens only then.
 *
 * Either may be cut short by another death, and then it all begins again.
 */
import { read, write } from "#atomics"
import type { SharedCore } from "./shared-core.ts"
import { ENTRY, FREE, GIVEN, HELD, IN, PUTTER, REFUSED, SERVED, TAKER } from "./shared-layout.ts"

/** Lets go of what belongs to the dead. */
export function sweep(core: SharedCore): void {
  for (const line of [core.putters, core.takers, core.leaving]) {
    // From the back, so that what goes back to the head comes to stand there in its order.
    for (const cell of line.cells().reverse()) {
      if (!isDeserted(core, cell)) continue
      line.remove(cell)
      if (core.stateOf(cell) === SERVED) core.items.add(core.itemOf(cell), "first")
      core.discard(cell)
    }
  }
  if (core.isClosed) core.close() // whoever closed it may not have told everybody
  core.serve()
}

/** Makes everything anew, and then sweeps. */
export function repair(core: SharedCore): void {
  const { words } = core.store
  const cells = new Map<number, number[]>([IN, PUTTER, TAKER, GIVEN, SERVED, REFUSED, HELD].map((state) => [state, []]))
  for (const cell of core.store.pieces()) cells.get(core.stateOf(cell))?.push(cell)
  const of = (state: number): number[] => cells.get(state) ?? []

  // That an element is a taker's is completed here if the taker has not been told.
  const served = new Set<number>()
  for (const cell of of(GIVEN)) {
    const taker = read(words, cell + ENTRY.NEXT)
    served.add(taker)
    write(words, taker + ENTRY.ORDER, cell)
    core.become(taker, SERVED)
  }
  // A taker without its element had fetched it, and was not yet gone.
  const leaving = [...served, ...of(REFUSED), ...of(HELD)]
  const kept = [...of(IN), ...of(GIVEN), ...of(PUTTER), ...of(TAKER), ...leaving]
  for (const cell of of(SERVED)) if (!served.has(cell)) core.become(cell, FREE)

  const byTicket = (a: number, b: number): number => (core.ticketOf(a) - core.ticketOf(b)) | 0
  core.store.rebuild(kept)
  core.items.rebuild(of(IN))
  core.putters.rebuild(of(PUTTER).toSorted(byTicket))
  core.takers.rebuild(
    of(TAKER)
      .filter((cell) => !served.has(cell))
      .toSorted(byTicket),
  )
  core.leaving.rebuild(leaving.toSorted(byTicket))
  sweep(core)
}

/**
 * Whether it is somebody's who is dead. Who held an element may have died on the way back with it, when it was
 * nobody's.
 */
function isDeserted(core: SharedCore, cell: number): boolean {
  const thread = core.threadOf(cell)
  return thread === 0 ? core.stateOf(cell) === HELD : !core.memory.threadContext.registry.isAlive(thread)
}
