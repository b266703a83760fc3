/**
 * How threads come to speak of the same shared objects. A shared buffer, or an object of ours that lies in one, cannot
 * be written down, only posted; but once it has been posted to a thread, all can call it by a number. A thing gets its
 * number, which no other has, from the first thread that sends it. A thread keeps a thing that it was sent as long as
 * that which has lent it (lending.ts) does; if it was not lent, and is gone, it has to be posted again.
 */
import { isRevivable, reviveShareable } from "../../codec/revival.ts"
import { NotSerializableError } from "../../errors.ts"
import { noteSharedBytes } from "../../memory/reservation.ts"
import { isShareable, isSharedBuffer, sharedBytesIn } from "../../memory/shared/shareables.ts"
import type { ThreadRegistry } from "../../memory/thread/thread-registry.ts"
import type { Channel } from "./channel.ts"

/** Whether it is something that stays what it is, wherever it is sent, so that a number can stand for it. */
export function canBeReferred(thing: object): boolean {
  return isShareable(thing) || isSharedBuffer(thing)
}

// ------------------------------------------------------------------ what this thread knows

const NOTHING_LENT: ReadonlyMap<number, object> = new Map()

/** So many are not worth being swept. */
const FEW = 64

/**
 * The line to the thread that has lent something; or, if another thread has passed it on (relay.ts), the token of that
 * thread.
 */
type Lender = Channel | number

/** For the threads of one space. */
export class KnownThings {
  readonly #registry: ThreadRegistry
  /** What stands for a thing in all threads. */
  readonly #numbers = new WeakMap<object, number>()
  /** What this thread has met of others' things. */
  readonly #met = new Map<number, WeakRef<object>>()
  /** What it was lent (lending.ts), as it was posted, by its lender. */
  readonly #borrowed = new Map<Lender, Map<number, object>>()
  #sweepAt = FEW

  constructor(registry: ThreadRegistry) {
    this.#registry = registry
  }

  /** The number by which the threads call it. */
  numberOf(thing: object): number {
    let number = this.#numbers.get(thing)
    if (number === undefined) this.#numbers.set(thing, (number = this.#registry.nextNumber()))
    return number
  }

  /** What has these numbers; undefined if something is not known, or gone, or of a class that is not known. */
  recall(numbers: readonly number[]): object[] | undefined {
    const things: object[] = []
    for (const number of numbers) {
      const thing = this.#met.get(number)?.deref() ?? this.#open(number)
      if (thing === undefined) return undefined
      things.push(thing)
    }
    return things
  }

  /** Whether all of them are here, be it that their classes are not known yet. */
  has(numbers: readonly number[]): boolean {
    return numbers.every((number) => (this.#met.get(number)?.deref() ?? this.#borrowedAs(number)) !== undefined)
  }

  /** Things that have just come, in the same order. */
  remember(numbers: readonly number[], things: readonly object[]): void {
    for (const [i, number] of numbers.entries()) {
      const thing = things[i] as object
      this.#met.set(number, new WeakRef(thing))
      if (!this.#numbers.has(thing)) this.#numbers.set(thing, number)
    }
    if (this.#met.size >= this.#sweepAt) this.#sweep()
  }

  /** Forgets what is gone. Done whenever there are twice as many as after the last time, it costs little for each. */
  #sweep(): void {
    for (const [number, thing] of this.#met) if (thing.deref() === undefined) this.#met.delete(number)
    this.#sweepAt = Math.max(this.#met.size * 2, FEW)
  }

  // ------------------------------------------------------------------ what it was lent

  borrow(lender: Lender, numbers: readonly number[], sent: readonly object[]): void {
    let loans = this.#borrowed.get(lender)
    if (loans === undefined) this.#borrowed.set(lender, (loans = new Map<number, object>()))
    for (const [i, number] of numbers.entries()) {
      loans.set(number, sent[i] as object)
      noteSharedBytes(sharedBytesIn(sent[i] as object))
    }
  }

  /** The lender has dropped them. */
  giveBack(lender: Lender, numbers: readonly number[]): void {
    const loans = this.#borrowed.get(lender)
    for (const number of numbers) loans?.delete(number)
    if (loans?.size === 0) this.#borrowed.delete(lender)
  }

  /** What was lent over this line, as it was posted, by number. */
  lentOver(channel: Channel): ReadonlyMap<number, object> {
    return this.#borrowed.get(channel) ?? NOTHING_LENT
  }

  /** The line is no more. */
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

/**
 * What is posted in place of the thing. Of an object of ours that is what it is made of; others are posted as they are.
 */
export function toPost(thing: object): object {
  return isShareable(thing) ? (thing as { readonly handle: object }).handle : thing
}

/** Whether this thread knows what was posted. */
export function isKnown(sent: object): boolean {
  const { corepool: name } = sent as { corepool?: unknown }
  return typeof name !== "string" || isRevivable(name)
}

/** The thing, of what was posted. */
export function posted(sent: object): object {
  const { corepool: name } = sent as { corepool?: unknown }
  if (typeof name !== "string") return sent
  const object = reviveShareable(name, sent)
  if (object !== undefined) return object
  throw new NotSerializableError(`The value contains a ${name}, which this thread does not know how to open`)
}
