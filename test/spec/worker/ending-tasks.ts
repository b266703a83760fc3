/** Tasks for threads that end, and what these tasks leave in the thread for the modules that run then. */
import { type AtomicInteger, Thread } from "corepool"

export interface Counters {
  readonly begun: AtomicInteger
  readonly ended: AtomicInteger
}

export const scope: typeof globalThis & { counters?: Counters; computes?: boolean; runs?: number; kept?: unknown[] } =
  globalThis

/** Leaves the counters to the teardown. */
export function remember(begun: AtomicInteger, ended: AtomicInteger): string {
  scope.counters = { begun, ended }
  return Thread.currentThread().name
}

export function compute(): void {
  scope.computes = true
}

/** How many tasks this thread has run so far, this one included. */
export function countRun(): number {
  return (scope.runs = (scope.runs ?? 0) + 1)
}

export function name(): string {
  return Thread.currentThread().name
}

/** Keeps so many MB of the heap in use. */
export function keep(mb: number): string {
  ;(scope.kept ??= []).push(Array.from({ length: mb * 2 ** 17 }, (_, i) => i + 0.5))
  return Thread.currentThread().name
}

export function fail(): never {
  throw new RangeError("a command fails")
}

export function exit(): never {
  process.exit(4)
}

export function busy(begun: AtomicInteger): never {
  begun.incrementAndGet()
  for (;;);
}

/** Fails if another run of this thread came before. */
export function increment(runs: AtomicInteger): void {
  if (countRun() !== 1) throw new Error("this thread has run a task before")
  runs.incrementAndGet()
}
