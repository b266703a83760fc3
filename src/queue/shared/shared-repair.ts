/**
 * Settles what a dead thread leaves in a shared queue. A thread may have died while it waited, or before it fetched an
 * element that it was given: then the queue is swept. Or it died in the middle of changing the queue: then everything
 * is made anew from the states of the cells. That takes time in proportion to the number of elements, but happens only
 * then.
 *
 * Another death may cut either of them short. Then the next thread begins again.
 */
import { read, write } from "#atomics"
import { sortedBy } from "../../memory/structures/sorted-by.ts"
import type { SharedCore } from "./shared-core.ts"
import { ENTRY, FREE, GIVEN, HELD, IN, PUTTER, REFUSED, SERVED, TAKER } from "./shared-layout.ts"

/** Frees the cells of dead threads, and puts elements back that they had been given. */
export function sweep(core: SharedCore): void {
  for (const line of [core.putters, core.takers, core.leaving]) {
    // From the back, so that elements that go back to the head keep their order there.
    for (const cell of line.cells().reverse()) {
      if (!isDeserted(core, cell)) continue
      line.remove(cell)
      if (core.stateOf(cell) === SERVED) core.items.add(core.itemOf(cell), "first")
      core.discard(cell)
    }
  }
  if (core.isClosed) core.close() // the thread that closed it may have died before it refused all waiting flows
  core.serve()
}

/** Makes lists, counts and the set of free cells anew, and then sweeps. */
export function repair(core: SharedCore): void {
  const { words } = core.store
  const cells = new Map<number, number[]>([IN, PUTTER, TAKER, GIVEN, SERVED, REFUSED, HELD].map((state) => [state, []]))
  for (const cell of core.store.pieces()) cells.get(core.stateOf(cell))?.push(cell)
  const of = (state: number): number[] => cells.get(state) ?? []

  // A GIVEN element whose taker is not yet SERVED: completes the change.
  const served = new Set<number>()
  for (const cell of of(GIVEN)) {
    const taker = read(words, cell + ENTRY.NEXT)
    served.add(taker)
    write(words, taker + ENTRY.ORDER, cell)
    core.become(taker, SERVED)
  }
  // A SERVED taker without its element had fetched it, and had not yet freed its own cell.
  const leaving = [...served, ...of(REFUSED), ...of(HELD)]
  const kept = [...of(IN), ...of(GIVEN), ...of(PUTTER), ...of(TAKER), ...leaving]
  for (const cell of of(SERVED)) if (!served.has(cell)) core.become(cell, FREE)

  const byTicket = (some: readonly number[]): number[] =>
    sortedBy(
      some,
      (cell) => core.ticketOf(cell),
      (a, b) => (a - b) | 0,
    )
  core.store.rebuild(kept)
  core.items.rebuild(of(IN))
  core.putters.rebuild(byTicket(of(PUTTER)))
  core.takers.rebuild(byTicket(of(TAKER).filter((cell) => !served.has(cell))))
  core.leaving.rebuild(byTicket(leaving))
  sweep(core)
}

/**
 * Whether the cell belongs to a dead thread. A HELD cell without a thread counts too: the thread that held the element
 * died while it put it back.
 */
function isDeserted(core: SharedCore, cell: number): boolean {
  const thread = core.threadOf(cell)
  return thread === 0 ? core.stateOf(cell) === HELD : !core.memory.threadContext.registry.isAlive(thread)
}
