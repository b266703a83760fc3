import { requireBoolean } from "../checks.ts"
import { IllegalStateError } from "../errors.ts"
import { currentFlow, type Flow } from "../memory/flow/flow.ts"
import { ACQUIRED_SHARED, CANCELLED } from "../memory/thread/node-pool.ts"
import { SHARED, WaitQueue } from "../memory/wait/wait-queue.ts"
import { passing } from "../memory/flow/polling.ts"
import { type Steps, TIMEOUT } from "../memory/flow/waiting.ts"
import {
  freshTally,
  isEmpty,
  MAX_PARTIES,
  nextPhase,
  PhaserState,
  type Tally,
  tallyOf,
  terminated,
  unarrivedIn,
} from "./phaser-state.ts"
import type { TierMemory } from "./tier-memory.ts"

/**
 * One phaser of a tree, without its public class: registering, arriving, and the end of a phase.
 *
 * One compare-and-set of the state decides everything: see phaser-state.ts. The thread that makes `unarrived` 0
 * completes the phase: at the root by `onAdvance` and the next state, in a child by arriving at the parent. Only the
 * root knows the phase; a child's state of an older phase is read as if no party had arrived yet.
 *
 * Waiting flows are in the queue of the root. Each looks at the phase after it has entered, at whichever position it
 * is. So all flows that wait for the end of one phase are before those that wait for the end of the next, and the
 * wake-up, which each flow passes on as it leaves, reaches all flows that it concerns.
 *
 * A thread that registers with a child that has arrived at its parent, while others have not, registers the child there
 * a second time, for this phase only. (The JDK's blocks until the phase is over, which may be when this thread has
 * arrived elsewhere.) A child that arrives for the second time in a phase deregisters once: the exchange of ARRIVED_IN
 * tells which arrival is which. A child gets its first party in the same way; of two threads that register it at the
 * same time one finds that the other was faster, and takes its registration back.
 */
export class PhaserTier {
  readonly #memory: TierMemory
  readonly #state: PhaserState
  readonly #parent: PhaserTier | undefined
  readonly #root: PhaserTier
  readonly #queue: WaitQueue
  readonly #onAdvance: (phase: number, parties: number) => boolean

  constructor(
    memory: TierMemory,
    parent: PhaserTier | undefined,
    onAdvance: (phase: number, parties: number) => boolean,
  ) {
    this.#memory = memory
    this.#state = new PhaserState(memory)
    this.#parent = parent
    this.#root = parent === undefined ? this : parent.#root
    this.#queue = new WaitQueue(memory.threadContext, memory.words, 0, memory)
    this.#onAdvance = onAdvance
  }

  /** Initialises a new phaser. */
  begin(parties: number): void {
    const phase = parties > 0 ? this.#parent?.register(1) : 0
    this.#state.begin(freshTally(phase ?? 0, parties))
  }

  get memory(): TierMemory {
    return this.#memory
  }

  /** The phase of the whole tree; negative if terminated. */
  get phase(): number {
    return this.#root.#state.look().phase
  }

  /** Whether other threads could end a phase. */
  get isShared(): boolean {
    return this.#root.#memory.isShared
  }

  /** Whether this very thread is in `onAdvance`. */
  get isAdvancing(): boolean {
    return this.#root.#state.isCompletedHere
  }

  /** Whether one more arrival here would end the phase. */
  get isLastMissing(): boolean {
    return this.look().unarrived === 1 && (this.#parent === undefined || this.#parent.isLastMissing)
  }

  /** The state, in the phase of the root. */
  look(): Tally {
    const seen = this.#state.look()
    if (this.#parent === undefined) return seen
    const { phase } = this
    if (phase === seen.phase) return seen
    const now = phase < 0 ? tallyOf(phase, seen.parties, seen.unarrived) : freshTally(phase, seen.parties)
    return { ...now, raw: seen.raw }
  }

  // ------------------------------------------------------------------ registering

  register(parties: number): number {
    for (;;) {
      const seen = this.look()
      const { phase } = seen
      if (parties > MAX_PARTIES - seen.parties) {
        throw new IllegalStateError(
          `Expected at most ${MAX_PARTIES} parties: ${seen.parties} are registered, and ${parties} more were to be`,
        )
      }
      if (phase < 0) return phase
      if (isEmpty(seen) || seen.unarrived === 0) {
        const registered = this.#parent === undefined ? this.#beFirst(seen, parties) : this.#join(this.#parent, parties)
        if (registered !== undefined) return registered
      } else if (this.#state.replace(seen, tallyOf(phase, seen.parties + parties, seen.unarrived + parties))) {
        return phase
      }
    }
  }

  /** Registers with a root that is empty, or about to end a phase: then it waits for that end. */
  #beFirst(seen: Tally, parties: number): number | undefined {
    if (isEmpty(seen)) return this.#state.replace(seen, freshTally(seen.phase, parties)) ? seen.phase : undefined
    if (this.isAdvancing) throw new IllegalStateError("No party can be registered from within onAdvance")
    passing(this.passing(seen.phase, currentFlow(), false))
    return undefined
  }

  /**
   * Makes a child a party of its parent, since it has parties to wait for again; undefined if another thread was
   * faster.
   */
  #join(parent: PhaserTier, parties: number): number | undefined {
    const joined = parent.register(1)
    if (joined < 0) return joined
    for (;;) {
      const seen = this.look()
      const { phase } = seen
      if (phase < 0) return phase
      if (!isEmpty(seen) && seen.unarrived !== 0) {
        parent.arrive(1)
        return undefined
      }
      if (this.#state.replace(seen, tallyOf(phase, seen.parties + parties, parties))) return phase
    }
  }

  // ------------------------------------------------------------------ arriving

  arrive(leaving: 0 | 1): number {
    for (;;) {
      const seen = this.look()
      const { phase } = seen
      if (phase < 0) return phase
      const unarrived = unarrivedIn(seen)
      const next = tallyOf(phase, seen.parties - leaving, unarrived - 1)
      if (unarrived > 1) {
        if (this.#state.replace(seen, next)) return phase
      } else if (unarrived === 1) {
        if (this.#state.complete(seen, next))
          return this.#parent ? this.#report(this.#parent, next) : this.#advance(next)
      } else if (this.#isAbandoned(seen)) {
        this.terminate(phase)
      } else {
        throw new IllegalStateError(
          `There is no party left that could arrive: ${seen.parties} are registered, and all have arrived in phase ${phase}`,
        )
      }
    }
  }

  /** The end of a phase, at the root. */
  #advance(last: Tally): number {
    const { phase, parties } = last
    let ends: boolean
    try {
      ends = requireBoolean("result of onAdvance", this.#onAdvance(phase, parties))
    } catch (error) {
      this.terminate(phase)
      throw error
    }
    const next = nextPhase(phase)
    // Fails if the phaser was terminated meanwhile.
    this.#state.replace(last, ends ? tallyOf(terminated(next), parties, 0) : freshTally(next, parties))
    this.#queue.wakeFirst()
    return phase
  }

  /** The end of a phase in a child: the child arrives at its parent. */
  #report(parent: PhaserTier, last: Tally): number {
    const { phase, parties } = last
    const isLeaving = parties === 0 || !this.#state.arrivesFirst(phase)
    try {
      return parent.arrive(isLeaving ? 1 : 0)
    } finally {
      if (parties === 0) this.#state.replace(last, freshTally(phase, 0))
      this.#state.completed()
    }
  }

  // ------------------------------------------------------------------ waiting, and the end

  /** Waits in the queue until the phase is over; returns the next phase, or undefined if the time is up before. */
  *passing(phase: number, flow: Flow, interruptible: boolean): Steps<number | undefined> {
    const queue = this.#root.#queue
    const node = queue.enter(flow, SHARED, interruptible)
    let how: number = CANCELLED
    try {
      for (let isLate = false; ;) {
        if (!queue.isFirst(node)) queue.tend() // woken by a death, perhaps that of the combiner
        this.endIfAbandoned()
        const { phase: current } = this
        if (current !== phase) {
          how = ACQUIRED_SHARED
          return current
        }
        if (isLate) return undefined
        isLate = (yield node) === TIMEOUT
      }
    } finally {
      queue.leave(node, how)
    }
  }

  /** Terminates the tree if a thread died that had to end the phase, here or further up. */
  endIfAbandoned(): void {
    const seen = this.look()
    if (this.#isAbandoned(seen)) this.terminate(seen.phase)
    else this.#parent?.endIfAbandoned()
  }

  /** Looks twice: the completer may have ended the phase first, and died then. */
  #isAbandoned(seen: Tally): boolean {
    if (seen.unarrived !== 0 || seen.phase < 0 || !this.#state.isCompleterDead) return false
    const { raw, phase } = this.look()
    return raw === seen.raw && phase === seen.phase
  }

  /** Terminates the tree; with `only`, only if that is still its phase. */
  terminate(only?: number): void {
    const root = this.#root
    for (;;) {
      const seen = root.#state.look()
      if (seen.phase < 0 || (only !== undefined && seen.phase !== only)) return
      if (root.#state.replace(seen, tallyOf(terminated(seen.phase), seen.parties, seen.unarrived))) break
    }
    root.#queue.wakeFirst()
  }
}
