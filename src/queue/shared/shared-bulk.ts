/**
 * Operations on many elements of a shared queue, one after the other. User code runs outside of the critical section.
 */
import { decode } from "../../codec/codec.ts"
import type { EncodedValue } from "../../codec/bytes/encoded-value.ts"
import type { Cursor } from "../local/iteration.ts"
import type { SharedCore } from "./shared-core.ts"
import { FREE, HELD, IN } from "./shared-layout.ts"

/** An element: valid as long as the cell has this ticket. */
interface Place {
  readonly cell: number
  readonly ticket: number
}

/** Decodes an encoded value and releases it. */
export function opened(encoded: EncodedValue | undefined): unknown {
  if (encoded === undefined) return undefined
  const value = decode(encoded)
  encoded.release()
  return value
}

/** All elements at this moment, in the order of iteration. `open` may be called once for each. */
export function snapshot(core: SharedCore): (Place & { open: () => unknown })[] {
  return core.inside(() =>
    core.items.cells().map((cell) => {
      const encoded = core.read(cell)
      return { cell, ticket: core.ticketOf(cell), open: () => opened(encoded) }
    }),
  )
}

/** Removes those elements that are still there; returns how many. */
export function removeThose(core: SharedCore, places: readonly Place[]): number {
  return core.inside(() => {
    let removed = 0
    for (const { cell, ticket } of places) {
      if (!core.is(cell, IN, ticket)) continue
      core.takeOut(cell, FREE)
      removed++
    }
    core.serve()
    return removed
  })
}

export function cursor<E>(core: SharedCore, backwards: boolean): Cursor<E> {
  const walk = core.items.walk(backwards)
  let place: Place | undefined
  return {
    next: () => {
      const encoded = core.inside(() => {
        const cell = walk()
        if (cell === 0) return undefined
        place = { cell, ticket: core.ticketOf(cell) }
        return core.read(cell)
      })
      return opened(encoded) as E | undefined
    },
    remove: () => place !== undefined && removeThose(core, [place]) > 0,
  }
}

export function drain(core: SharedCore, accept: (e: unknown) => void, max: number): number {
  const most = core.inside(() => Math.min(max, core.capacity === 0 ? core.putters.count : core.items.size))
  let moved = 0
  let refusal: Refusal | undefined
  while (moved < most && refusal === undefined) {
    const cell = hold(core)
    if (cell === 0) break
    refusal = offer(core, cell, accept)
    if (refusal === undefined) moved++
  }
  core.inside(() => core.serve())
  if (refusal !== undefined) throw refusal.reason
  return moved
}

interface Refusal {
  readonly reason: unknown
}

/** Takes an element out of the reach of other threads, but keeps its cell until it has been accepted. */
function hold(core: SharedCore): number {
  return core.inside(() => {
    const cell = core.available("first")
    if (cell !== 0) core.takeOut(cell, HELD)
    return cell
  })
}

/** Gives the element to `accept`. If that throws, puts the element back. */
function offer(core: SharedCore, cell: number, accept: (e: unknown) => void): Refusal | undefined {
  const encoded = core.inside(() => core.read(cell))
  let refusal: Refusal | undefined
  try {
    accept(opened(encoded))
  } catch (reason) {
    refusal = { reason }
  }
  core.inside(() => {
    if (refusal !== undefined) core.putBack(cell)
    else {
      core.leaving.remove(cell)
      core.discard(cell)
    }
  })
  return refusal
}
