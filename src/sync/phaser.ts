import { MAX_VALUE, rangeError, requireInteger, requireTimeout, typeError } from "../checks.ts"
import { IllegalStateError, TimeoutError } from "../errors.ts"
import { identityOf } from "../identity.ts"
import { FACTS, type Facts } from "../inspection.ts"
import { currentFlow } from "../memory/flow/flow.ts"
import { Shareable, type Shared, SharedMemory } from "../memory/shared/shared-memory.ts"
import { abortOf, awaiting, blocking, timeoutOf, type WaitOptions } from "../memory/flow/waiting.ts"
import { arrivedIn, MAX_PARTIES, unarrivedIn, WORDS } from "./phaser-state.ts"
import { PhaserTier } from "./phaser-tier.ts"
import { TierMemory } from "./tier-memory.ts"

const TYPE = "Phaser"

/**
 * A barrier for any number of rounds ("phases") and a number of parties that may change at any time.
 *
 * Phases are numbered from 0, and after 2³¹ − 1 comes 0 again. When all registered parties have arrived, `onAdvance` is
 * called and the next phase begins. If it returns true, by default when there are no parties left, the phaser is
 * *terminated*: from then on no task waits, registering and arriving have no effect, and what returns a phase returns a
 * negative number.
 *
 * A party is but a number, not a thread: any flow of any thread may register, arrive and wait, as long as no more
 * arrive in a phase than are registered.
 *
 * **Tiers.** A phaser with a `parent` is one party of it for as long as it has parties of its own, and arrives there
 * when all of them have. All phasers of such a tree are in the same phase and are terminated together. So tasks that
 * arrive need not all compete for one word, and there may be more than 65,535 of them.
 *
 * **Sharing.** Post it to another thread, and its parents come along; open it there with `from`. `onAdvance` runs in
 * the thread of the last to arrive, so it is that of the class which is used there; parents are opened as the same
 * class.
 *
 * **Death.** Parties belong to no thread: a thread that dies before it arrives never will, and the others wait until
 * another task arrives in its place or calls `forceTermination`. If a thread dies in the middle of ending a phase, in
 * `onAdvance` for instance, it is unknown how far it came, and the phaser is terminated.
 *
 * **Memory effects.** What a task wrote to shared memory before it arrived is visible to `onAdvance`, and what that
 * wrote is visible to all tasks that go on.
 *
 * @example
 * ```ts
 * import { Executors, Phaser } from "corepool"
 *
 * const phaser = new Phaser(1) // this program
 * await using pool = Executors.newVirtualThreadPerTaskExecutor()
 * for (let i = 0; i < 2; i++) {
 *   phaser.register()
 *   pool.execute(async () => {
 *     await phaser.arriveAndAwaitAdvance() // all begin together
 *     console.log("go")
 *     phaser.arriveAndDeregister()
 *   })
 * }
 * await phaser.awaitAdvance(phaser.arrive())
 * // => go
 * // => go
 * ```
 */
export class Phaser extends Shareable {
  readonly #parent: Phaser | undefined
  readonly #tier: PhaserTier

  /** With that many parties to begin with. */
  constructor(parties?: number)
  /** As a child of another phaser. */
  constructor(parent: Phaser | undefined, parties?: number)
  /** The same that another thread has posted. A subclass with a constructor of its own passes its argument on. */
  constructor(shared: Shared)
  constructor(first?: Phaser | Shared | number, second: number = 0) {
    const [origin, parties] = typeof first === "number" ? [undefined, first] : [first, second]
    requireParties(parties)
    const isNew = origin === undefined || origin instanceof Phaser
    const memory = isNew
      ? TierMemory.of(SharedMemory.allocate(WORDS), Phaser.tierOf(origin)?.memory)
      : TierMemory.openTier(TYPE, origin)
    super(TYPE, memory)
    if (isNew) this.#parent = origin
    else if (memory.parent !== undefined) this.#parent = new new.target(memory.parent.handleAs(TYPE))
    this.#tier = new PhaserTier(memory, Phaser.tierOf(this.#parent), (phase, registered) =>
      this.onAdvance(phase, registered),
    )
    if (isNew) this.#tier.begin(parties)
  }

  /** The same phaser that another thread has posted. */
  static from<P extends Phaser>(this: new (shared: Shared) => P, shared: Shared): P {
    return new this(shared instanceof Phaser ? shared.handle : shared) // the phaser itself would be taken for a parent
  }

  /**
   * Called when all have arrived, in the thread of the last one, before the next phase begins: all tasks that then go
   * on see its effects. Returns whether the phaser is terminated. Only the root's is called.
   *
   * If it throws, the last party to arrive gets the error and the phaser is terminated. (In Java the phase never
   * ends.) Within it no task can arrive, register or block until the phase is over.
   */
  protected onAdvance(_phase: number, registeredParties: number): boolean {
    return registeredParties === 0
  }

  /** @internal */
  static tierOf(phaser: Phaser | undefined): PhaserTier | undefined {
    return phaser === undefined ? undefined : phaser.#tier
  }

  // ------------------------------------------------------------------ registering and arriving

  /**
   * One more party, which is yet to arrive in the current phase; returns that phase. If `onAdvance` runs in another
   * thread at this moment, blocks until it has returned. `IllegalStateError` if there are 65,535 already.
   */
  register(): number {
    return this.#tier.register(1)
  }

  /** That many more parties. */
  bulkRegister(parties: number): number {
    return requireInteger("parties", parties, 0) === 0 ? this.phase : this.#tier.register(parties)
  }

  /**
   * One party has arrived, in the phase that is returned. Does not wait for the others. `IllegalStateError` if all have
   * arrived already.
   */
  arrive(): number {
    return this.#tier.arrive(0)
  }

  /** One party has arrived, and there is one less from now on. */
  arriveAndDeregister(): number {
    return this.#tier.arrive(1)
  }

  /** Terminates all phasers of the tree, and ends all waits. No effect if they are terminated already. */
  forceTermination(): void {
    this.#tier.terminate()
  }

  // ------------------------------------------------------------------ waiting

  /**
   * Arrives and waits for the others; returns the phase that begins then. Interrupts do not end the wait. If the time
   * is up: `TimeoutError`, but the party has arrived.
   */
  async arriveAndAwaitAdvance(wait?: WaitOptions): Promise<number> {
    timeoutOf(wait)
    abortOf(wait)?.throwIfAborted() // before it arrives
    return await this.#await(this.#tier.arrive(0), false, wait)
  }

  /** The same, but blocks the thread. */
  arriveAndAwaitAdvanceSync(ms: number = Infinity): number {
    requireTimeout("ms", ms)
    if (ms === Infinity && !this.#tier.isLastMissing && !this.isTerminated) this.#refuseToBlock()
    return this.#block(this.#tier.arrive(0), false, ms)
  }

  /**
   * Waits until this phase is over; returns the phase that is current then. At once if `phase` is not current; a
   * negative one is returned as it is. Interrupts do not end the wait. If the time is up: `TimeoutError`.
   */
  async awaitAdvance(phase: number, wait?: WaitOptions): Promise<number> {
    return await this.#await(requirePhase(phase), false, wait)
  }

  /** The same, but blocks the thread. */
  awaitAdvanceSync(phase: number, ms: number = Infinity): number {
    return this.#block(requirePhase(phase), false, requireTimeout("ms", ms))
  }

  /** As `awaitAdvance`, but an interrupt ends the wait with `InterruptedError`. */
  async awaitAdvanceInterruptibly(phase: number, wait?: WaitOptions): Promise<number> {
    return await this.#await(requirePhase(phase), true, wait)
  }

  /** The same, but blocks the thread. */
  awaitAdvanceInterruptiblySync(phase: number, ms: number = Infinity): number {
    return this.#block(requirePhase(phase), true, requireTimeout("ms", ms))
  }

  async #await(phase: number, interruptible: boolean, wait: WaitOptions | undefined): Promise<number> {
    const timeout = timeoutOf(wait)
    abortOf(wait)?.throwIfAborted()
    const { phase: current } = this
    if (phase < 0 || current !== phase) return phase < 0 ? phase : current
    const next = await awaiting(this.#tier.passing(phase, currentFlow(), interruptible), wait, "Phaser", this)
    return next ?? this.#runOutOfTime(phase, timeout)
  }

  #block(phase: number, interruptible: boolean, ms: number): number {
    const { phase: current } = this
    if (phase < 0 || current !== phase) return phase < 0 ? phase : current
    if (ms === Infinity) this.#refuseToBlock()
    return (
      blocking(this.#tier.passing(phase, currentFlow(), interruptible), ms, "Phaser") ?? this.#runOutOfTime(phase, ms)
    )
  }

  #runOutOfTime(phase: number, ms: number): never {
    throw new TimeoutError(`Phase ${phase} of ${identityOf(this)} was not over within ${ms} ms`)
  }

  #refuseToBlock(): void {
    if (this.#tier.isAdvancing) {
      throw new IllegalStateError(
        "This thread would block for ever: it is in onAdvance, and the phase ends only after that",
      )
    }
    if (this.#tier.isShared) return
    throw new IllegalStateError(
      "This thread would block for ever: only its own flows know the phaser, and they stand still meanwhile. Await it instead, or share it with another thread",
    )
  }

  // ------------------------------------------------------------------ asking

  /** The current phase, from 0 to 2³¹ − 1; if terminated, the last one and −2³¹. */
  get phase(): number {
    return this.#tier.phase
  }

  /** Whether it is terminated. */
  get isTerminated(): boolean {
    return this.phase < 0
  }

  /** How many parties are registered. */
  get registeredParties(): number {
    return this.#tier.look().parties
  }

  /** How many have arrived in the current phase. */
  get arrivedParties(): number {
    return arrivedIn(this.#tier.look())
  }

  /** How many are yet to arrive in the current phase. */
  get unarrivedParties(): number {
    return unarrivedIn(this.#tier.look())
  }

  /** The phaser that this one is a part of. */
  get parent(): Phaser | undefined {
    return this.#parent
  }

  /** The topmost of the tree; itself if it has no parent. */
  get root(): Phaser {
    return this.#parent?.root ?? this
  }

  /** @internal */
  override get [FACTS](): Facts {
    const { phase, registeredParties, arrivedParties, isTerminated } = this
    return { phase, registeredParties, arrivedParties, isTerminated }
  }

  /** Its phase and its parties. */
  override toString(): string {
    const tally = this.#tier.look()
    return `${identityOf(this)}[phase = ${tally.phase} parties = ${tally.parties} arrived = ${arrivedIn(tally)}]`
  }
}

function requireParties(parties: number): number {
  requireInteger("parties", parties, 0)
  if (parties > MAX_PARTIES) throw rangeError("parties", `an integer ≤ ${MAX_PARTIES}`, parties)
  return parties
}

function requirePhase(phase: number): number {
  const demand = "an integer from −2³¹ to 2³¹ − 1"
  if (typeof phase !== "number") throw typeError("phase", demand, phase)
  if (!Number.isInteger(phase) || phase < -MAX_VALUE - 1 || phase > MAX_VALUE) throw rangeError("phase", demand, phase)
  return phase
}
