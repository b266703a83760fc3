/**
 * What the threads of the contest "platform" do: plain functions, the same for corepool and for its rivals. All that can be
 * measured is what lies around them.
 */

export interface Pair {
  readonly a: number
  readonly b: number
}

/** About 1 KB: what a row of a table, or a request, looks like. */
export interface Entry {
  readonly id: number
  readonly name: string
  readonly active: boolean
  readonly tags: readonly string[]
  readonly position: { readonly x: number; readonly y: number; readonly z: number }
  readonly values: readonly number[]
  readonly text: string
}

export function add(a: number, b: number): number {
  return a + b
}

export function addPair({ a, b }: Pair): number {
  return a + b
}

/** When it ran. The clocks of two threads agree only in this one. */
export function stamp(_: Pair): number {
  return Date.now()
}

export function relabel(entry: Entry): Entry {
  return { ...entry, id: entry.id + 1, active: !entry.active }
}

export function bump(bytes: Uint8Array): Uint8Array {
  bytes[0] = (bytes[0] ?? 0) + 1
  bytes[bytes.length - 1] = 7
  return bytes
}

export function touch(buffer: ArrayBuffer): ArrayBuffer {
  bump(new Uint8Array(buffer))
  return buffer
}

/** Says in the second word that it is there, and keeps its thread as long as the first one is 0. */
export function hold(words: Int32Array): void {
  Atomics.add(words, 1, 1)
  Atomics.wait(words, 0, 0)
}

/** Ends its thread. */
export function leave(): never {
  process.exit(1)
}

export function nothing(): void {}

/** How late it runs, in ms, if it was due at `due` on the clock of {@link clock}. */
export function late(due: number): number {
  return clock() - due
}

/** In ms. All threads of a process read it alike. */
export function clock(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/** Computes for so many rounds, which take as long on every thread. */
export function compute(rounds: number): number {
  let value = 0
  for (let round = 0; round < rounds; round++) value = Math.sqrt(value + round)
  return value
}
