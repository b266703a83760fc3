/**
 * How threads come to speak of the same shared objects. A shared buffer, or an object of ours that lies in one, cannot be
 * written down, only posted; but once it has been posted to a thread, the two can call it by a number. Numbers are given by
 * the thread that sends, for good. Who was sent something does not keep it for that reason alone: if it is gone, it has to be
 * posted again.
 */
import { isRevivable, reviveShareable } from "../codec/revival.ts"
import { NotSerializableError } from "../errors.ts"
import { isShareable, isSharedBuffer } from "../memory/shareables.ts"
import type { Space } from "../memory/space.ts"
import { perThread } from "../per-thread.ts"

const given = perThread("references", () => ({ last: 0, numbers: new WeakMap<object, number>() }))

/** Whether it is something that stays what it is, wherever it is sent, so that a number can stand for it. */
export function canBeReferred(thing: object): boolean {
  return isShareable(thing) || isSharedBuffer(thing)
}

/** The number by which this thread calls it. */
export function numberOf(thing: object): number {
  let number = given.numbers.get(thing)
  if (number === undefined) given.numbers.set(thing, (number = ++given.last))
  return number
}

// ------------------------------------------------------------------ what others have sent

/** So many are not worth being swept. */
const FEW = 64

/** For the threads of one space. */
export class KnownThings {
  readonly #space: Space
  readonly #bySender = new Map<number, Map<number, WeakRef<object>>>()
  #size = 0
  #sweepAt = FEW

  constructor(space: Space) {
    this.#space = space
  }

  /** What the thread with this token calls by these numbers; undefined if it is not known, or something is gone. */
  recall(token: number, numbers: readonly number[]): object[] | undefined {
    const known = this.#bySender.get(token)
    if (known === undefined) return undefined
    const things: object[] = []
    for (const number of numbers) {
      const thing = known.get(number)?.deref()
      if (thing === undefined) return undefined
      things.push(thing)
    }
    return things
  }

  /** Things that have just been posted, in the same order. */
  remember(token: number, numbers: readonly number[], things: readonly object[]): void {
    let known = this.#bySender.get(token)
    if (known === undefined) this.#bySender.set(token, (known = new Map<number, WeakRef<object>>()))
    for (const [i, number] of numbers.entries()) known.set(number, new WeakRef(things[i] as object))
    this.#size += numbers.length
    if (this.#size >= this.#sweepAt) this.#sweep()
  }

  /** Forgets what is gone. Done whenever there are twice as many as after the last time, it costs little for each. */
  #sweep(): void {
    this.#size = 0
    for (const [token, known] of this.#bySender) {
      for (const [number, thing] of known) if (thing.deref() === undefined) known.delete(number)
      if (!this.#space.isAlive(token)) this.#bySender.delete(token)
      else this.#size += known.size
    }
    this.#sweepAt = Math.max(this.#size * 2, FEW)
  }
}

// ------------------------------------------------------------------ as they are posted

/** What is posted in place of the thing. Of an object of ours that is what it is made of; others are posted as they are. */
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
