/** Both kinds of atomic numbers, for tests of what they have in common. */
import { AtomicInteger, AtomicLong } from "#src/atomic/index.js"
import type { Shared } from "#src/memory/shared/shared-memory.js"

export type Atomic = AtomicInteger | AtomicLong

export interface Kind {
  readonly name: string
  readonly min: number
  readonly max: number
  readonly create: (initial?: number) => Atomic
  readonly from: (shared: Shared) => Atomic
}

export const INTEGER: Kind = {
  name: "AtomicInteger",
  min: -(2 ** 31),
  max: 2 ** 31 - 1,
  create: (initial) => new AtomicInteger(initial),
  from: (shared) => AtomicInteger.from(shared),
}

export const LONG: Kind = {
  name: "AtomicLong",
  min: Number.MIN_SAFE_INTEGER,
  max: Number.MAX_SAFE_INTEGER,
  create: (initial) => new AtomicLong(initial),
  from: (shared) => AtomicLong.from(shared),
}

export const KINDS: readonly Kind[] = [INTEGER, LONG]

/** Calls that are given a number, each with one. */
export const CALLS: Readonly<Record<string, (atomic: Atomic, value: number) => unknown>> = {
  set: (atomic, value) => atomic.set(value),
  getAndSet: (atomic, value) => atomic.getAndSet(value),
  "compareAndSet, expected": (atomic, value) => atomic.compareAndSet(value, 0),
  "compareAndSet, value": (atomic, value) => atomic.compareAndSet(atomic.get(), value),
  getAndAdd: (atomic, value) => atomic.getAndAdd(value),
  addAndGet: (atomic, value) => atomic.addAndGet(value),
}

/** Calls that are given a function, with one that returns the number. */
export const UPDATES: Readonly<Record<string, (atomic: Atomic, result: number) => unknown>> = {
  getAndUpdate: (atomic, result) => atomic.getAndUpdate(() => result),
  updateAndGet: (atomic, result) => atomic.updateAndGet(() => result),
  getAndAccumulate: (atomic, result) => atomic.getAndAccumulate(0, () => result),
  accumulateAndGet: (atomic, result) => atomic.accumulateAndGet(0, () => result),
}
