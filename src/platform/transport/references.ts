/**
 * How threads refer to the same shared objects. A shared buffer, or an object of ours that lies in one, cannot be
 * encoded, only sent by message; but once it has been sent to a thread, all threads can refer to it by a number. An
 * object gets its number, which is unique, from the first thread that sends it. A thread keeps an object that was lent
 * to it (lending.ts) as long as the lender does. An object that was not lent and has been collected must be sent again.
 */
import { OwnMap, push } from "../../primordials.ts"
import { isRevivable, reviveShareable } from "../../codec/revival.ts"
import { NotSerializableError } from "../../errors.ts"
import { noteSharedBytes } from "../../memory/reservation.ts"
import { isShareable, isSharedBuffer, sharedBytesIn } from "../../memory/shared/shareables.ts"
import type { ThreadRegistry } from "../../memory/thread/thread-registry.ts"
import type { Channel } from "./channel.ts"

/** Whether the object is shared rather than copied when it is sent, so that a number can stand for it. */
export function canBeReferred(thing: object): boolean {
  return isShareable(thing) || isSharedBuffer(thing)
}

// ------------------------------------------------------------------ what this thread knows

const NOTHING_LENT: ReadonlyMap<number, object> = new OwnMap()

/** Fewer than these are not worth sweeping. */
const FEW = 64

/**
 * The channel to the thread that has lent the object; or, if another thread has passed it on (relay.ts), the token of
 * the lender.
 */
type Lender = Channel | number

/** The shared objects that this thread can refer to, for the threads of one registry. */
export class KnownThings {
  readonly #registry: ThreadRegistry
  /** The number of an object, the same in all threads. */
  readonly #numbers = new WeakMap<object, number>()
  /** Objects of other threads that this thread has met. */
  readonly #met = new OwnMap<number, WeakRef<object>>()
  /** What was lent to this thread (lending.ts), as it was sent, by lender. */
  readonly #borrowed = new OwnMap<Lender, Map<number, object>>()
  #sweepAt = FEW

  constructor(registry: ThreadRegistry) {
    this.#registry = registry
  }

  /** The number by which threads refer to the object. */
  numberOf(thing: object): number {
    let number = this.#numbers.get(thing)
    if (number === undefined) this.#numbers.set(thing, (number = this.#registry.nextNumber()))
    return number
  }

  /**
   * The objects with these numbers; undefined if one is not known, or collected, or of a class that this thread has not
   * loaded.
   */
  recall(numbers: readonly number[]): object[] | undefined {
    const things: object[] = []
    for (const number of numbers) {
      const thing = this.#met.get(number)?.deref() ?? this.#open(number)
      if (thing === undefined) return undefined
      push(things, thing)
    }
    return things
  }

  /** Whether all of them are here, even if their classes are not loaded yet. */
  has(numbers: readonly number[]): boolean {
    return numbers.every((number) => (this.#met.get(number)?.deref() ?? this.#borrowedAs(number)) !== undefined)
  }

  /** Notes objects that have just arrived, in the order of their numbers. */
  remember(numbers: readonly number[], things: readonly object[]): void {
    for (const [i, number] of numbers.entries()) {
      const thing = things[i] as object
      this.#met.set(number, new WeakRef(thing))
      if (!this.#numbers.has(thing)) this.#numbers.set(thing, number)
    }
    if (this.#met.size >= this.#sweepAt) this.#sweep()
  }

  /**
   * Forgets collected objects. Done whenever there are twice as many as after the last time, it costs little for each.
   */
  #sweep(): void {
    for (const [number, thing] of this.#met) if (thing.deref() === undefined) this.#met.delete(number)
    this.#sweepAt = Math.max(this.#met.size * 2, FEW)
  }

  // ------------------------------------------------------------------ what it was lent

  borrow(lender: Lender, numbers: readonly number[], sent: readonly object[]): void {
    let loans = this.#borrowed.get(lender)
    if (loans === undefined) this.#borrowed.set(lender, (loans = new OwnMap<number, object>()))
    for (const [i, number] of numbers.entries()) {
      loans.set(number, sent[i] as object)
      noteSharedBytes(sharedBytesIn(sent[i] as object))
    }
  }

  /** The lender has dropped these objects. */
  giveBack(lender: Lender, numbers: readonly number[]): void {
    const loans = this.#borrowed.get(lender)
    for (const number of numbers) loans?.delete(number)
    if (loans?.size === 0) this.#borrowed.delete(lender)
  }

  /** What was lent over this channel, as it was sent, by number. */
  lentOver(channel: Channel): ReadonlyMap<number, object> {
    return this.#borrowed.get(channel) ?? NOTHING_LENT
  }

  /** The channel is closed. */
  giveAllBack(channel: Channel): void {
    this.#borrowed.delete(channel)
  }

  #borrowedAs(number: number): object | undefined {
    for (const loans of this.#borrowed.values()) {
      const sent = loans.get(number)
      if (sent !== undefined) return sent
    }
    return undefined
  }

  #open(number: number): object | undefined {
    const sent = this.#borrowedAs(number)
    if (sent === undefined || !isKnown(sent)) return undefined
    const thing = posted(sent)
    this.remember([number], [thing])
    return thing
  }
}

// ------------------------------------------------------------------ as they are posted

/** What is sent in place of the object: the handle of an object of ours; others are sent as they are. */
export function toPost(thing: object): object {
  return isShareable(thing) ? (thing as { readonly handle: object }).handle : thing
}

/** Whether this thread has loaded the class of what was sent. */
export function isKnown(sent: object): boolean {
  const { corepool: name } = sent as { corepool?: unknown }
  return typeof name !== "string" || isRevivable(name)
}

/** The object, made of what was sent. */
export function posted(sent: object): object {
  const { corepool: name } = sent as { corepool?: unknown }
  if (typeof name !== "string") return sent
  const object = reviveShareable(name, sent)
  if (object !== undefined) return object
  throw new NotSerializableError(`The value contains a ${name}, which this thread does not know how to open`)
}
