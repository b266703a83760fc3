/** What other threads do in the tests of exchangers. */
import { AtomicInteger } from "#src/atomic/index.js"
import { block, load } from "#src/memory/atomics.js"
import type { Shared } from "#src/memory/shared/shared-memory.js"
import { threadContext } from "#src/memory/thread/this-thread.js"
import { Exchanger } from "#src/sync/index.js"
import assert from "node:assert/strict"
import type { Voice } from "../../support/workers.ts"

/** Exchanges one value, blocking or awaiting, and tells what it got. */
export async function exchange(this: Voice, shared: Shared, value: unknown, blocks: boolean): Promise<unknown> {
  const exchanger = Exchanger.from<unknown>(shared)
  this.say(threadContext().token)
  return blocks ? exchanger.exchangeSync(value) : await exchanger.exchange(value)
}

/** The same with a value that is made here. */
export function exchangeLarge(
  shared: Shared,
  bytes: number,
  fill: number,
): [length: number, first: number, last: number] {
  const got = Exchanger.from<Uint8Array>(shared).exchangeSync(new Uint8Array(bytes).fill(fill))
  return [got.length, got[0] ?? 0, got[got.length - 1] ?? 0]
}

/** Two flows of this thread meet, while others could come. Each tells whether it got the very value of the other. */
export async function meetHere(shared: Shared): Promise<boolean[]> {
  const [one, other] = [Exchanger.from<object>(shared), Exchanger.from<object>(shared)]
  const [mine, yours] = [{}, {}]
  const first = one.exchange(mine)
  const second = await other.exchange(yours)
  return [(await first) === yours, second === mine]
}

export interface Pair {
  readonly from: number
  readonly round: number
  readonly text: string
}

/** Exchanges so many values, unless nobody else is left to do so, and tells with whom. */
export async function exchangeMany(
  shared: Shared,
  count: Shared,
  from: number,
  rounds: number,
  blocks: boolean,
): Promise<(readonly [mine: number, from: number, round: number])[]> {
  const exchanger = Exchanger.from<Pair>(shared)
  const going = AtomicInteger.from(count)
  const met: (readonly [number, number, number])[] = []
  for (let round = 0; round < rounds;) {
    const mine: Pair = { from, round, text: textOf(from, round) }
    try {
      const got = blocks ? exchanger.exchangeSync(mine, 50) : await exchanger.exchange(mine, 50)
      assert.equal(got.text, textOf(got.from, got.round))
      met.push([round, got.from, got.round])
      round++
    } catch (error) {
      if ((error as Error).name !== "TimeoutError") throw error
      if (going.get() === 1) break
    }
  }
  going.decrementAndGet()
  return met
}

/** Of very different lengths, so that memory is used again in all ways. */
function textOf(from: number, round: number): string {
  return String.fromCodePoint(97 + from).repeat(1 + ((from * 7919 + round * 104_729) % 3000))
}

/** Exchanges a value for ever, or until it is killed. */
export function exchangeForEver(this: Voice, shared: Shared, value: string, blocks: boolean): Promise<void> | void {
  const exchanger = Exchanger.from<string>(shared)
  this.say("begins")
  if (!blocks)
    return (async () => {
      for (;;) await exchanger.exchange(value)
    })()
  for (;;) exchanger.exchangeSync(value)
}

/** Does nothing for its event loop until the word changes: what it awaits meanwhile has to wait. */
export async function beBusy(this: Voice, shared: Shared, word: Int32Array): Promise<unknown> {
  const got = Exchanger.from<unknown>(shared).exchange("busy")
  this.say("busy")
  while (load(word, 0) === 0) block(1)
  return got
}
