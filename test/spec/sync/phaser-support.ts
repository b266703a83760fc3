/** What the tests of phasers share. */
import { load } from "#src/memory/atomics.js"
import type { SharedMemory } from "#src/memory/shared/shared-memory.js"
import { QUEUE } from "#src/memory/wait/wait-queue.js"
import { freshTally, PhaserState } from "#src/sync/phaser-state.js"
import type { PhaserTier } from "#src/sync/phaser-tier.js"
import { Phaser } from "#src/sync/index.js"

export interface Counts {
  readonly phase: number
  readonly registered: number
  readonly arrived: number
  readonly unarrived: number
}

export function countsOf(phaser: Phaser): Counts {
  return {
    phase: phaser.phase,
    registered: phaser.registeredParties,
    arrived: phaser.arrivedParties,
    unarrived: phaser.unarrivedParties,
  }
}

/** The public declarations leave this out. */
export function memoryOf(phaser: Phaser): SharedMemory {
  return (Phaser as unknown as { tierOf(phaser: Phaser): PhaserTier }).tierOf(phaser).memory
}

/** How many wait for the end of the phase. */
export function waitersOf(phaser: Phaser): number {
  return load(memoryOf(phaser.root).words, QUEUE.LENGTH)
}

/** One that has come to this phase, which would take a while. */
export function phaserIn(phase: number, parties: number): Phaser {
  const phaser = new Phaser(parties)
  new PhaserState(memoryOf(phaser)).begin(freshTally(phase, parties))
  return phaser
}

/** Records the calls of `onAdvance`, and answers as told. */
export class Recorded extends Phaser {
  readonly #calls: (readonly [phase: number, parties: number])[] = []
  #answer: (phase: number, parties: number) => unknown = () => false

  get calls(): readonly (readonly [phase: number, parties: number])[] {
    return this.#calls
  }

  /** What `onAdvance` does from now on. */
  answer(answer: (phase: number, parties: number) => unknown): this {
    this.#answer = answer
    return this
  }

  protected override onAdvance(phase: number, parties: number): boolean {
    this.#calls.push([phase, parties])
    return this.#answer(phase, parties) as boolean
  }
}
