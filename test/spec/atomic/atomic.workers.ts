/** What other threads do in the tests of atomic numbers. */
import type { Shared } from "#src/memory/shared/shared-memory.js"
import type { Voice } from "../../support/workers.ts"
import { type Kind, KINDS } from "./kinds.ts"

export function kindOf(name: string): Kind {
  const kind = KINDS.find((each) => each.name === name)
  if (kind === undefined) throw new TypeError(`There is no kind ${name}`)
  return kind
}

/** Raises it and tells what it was. */
export function raise(kind: string, shared: Shared, by: number): number {
  return kindOf(kind).from(shared).getAndAdd(by)
}

/** Counts up so often in this way, and tells the sum of the results: so none was given twice unnoticed. */
export function count(kind: string, shared: Shared, times: number, way: number): number {
  const atomic = kindOf(kind).from(shared)
  let sum = 0
  for (let left = times; left > 0; left--) {
    if (way === 0) sum += atomic.incrementAndGet()
    else if (way === 1) sum += atomic.getAndAdd(1) + 1
    else if (way === 2) sum += atomic.updateAndGet((value) => value + 1)
    else {
      let seen: number
      do {
        seen = atomic.get()
      } while (!atomic.compareAndSet(seen, seen + 1))
      sum += seen + 1
    }
  }
  return sum
}

/** Adds and takes away for ever, so that it is always even. */
export function swing(this: Voice, kind: string, shared: Shared): never {
  const atomic = kindOf(kind).from(shared)
  this.say("swinging")
  for (;;) {
    atomic.addAndGet(2 ** 31 - 2)
    atomic.addAndGet(-(2 ** 31) + 2)
  }
}
