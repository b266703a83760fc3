/** What the threads of shared-queue.test.ts do. */
import {
  ArrayBlockingQueue,
  LinkedBlockingDeque,
  LinkedBlockingQueue,
  LinkedTransferQueue,
  PriorityBlockingQueue,
  SynchronousQueue,
  type BlockingQueue,
} from "corepool"
import type { Shared } from "#src/memory/shared/shared-memory.js"
import type { Voice } from "../support/workers.ts"

const KINDS = {
  ArrayBlockingQueue,
  LinkedBlockingDeque,
  LinkedBlockingQueue,
  LinkedTransferQueue,
  PriorityBlockingQueue,
  SynchronousQueue,
}

export type Kind = keyof typeof KINDS

/** Items are numbers: which producer's, and the how-manieth. */
export const PER_PRODUCER = 2 ** 24

export function open(kind: Kind, shared: Shared): BlockingQueue<number> {
  return KINDS[kind].from(shared)
}

/** Puts so many items, in order. */
export function produce(this: Voice, kind: Kind, shared: Shared, producer: number, count: number): void {
  const queue = open(kind, shared)
  for (let i = 0; i < count; i++) queue.putSync(producer * PER_PRODUCER + i)
}

/** The same without blocking: the flow waits. */
export async function produceAwaiting(this: Voice, kind: Kind, shared: Shared, producer: number, count: number) {
  const queue = open(kind, shared)
  for (let i = 0; i < count; i++) await queue.put(producer * PER_PRODUCER + i)
}

/** Takes until the queue is closed and empty. Tells how many, and whether those of each producer came in order. */
export function consume(
  this: Voice,
  kind: Kind,
  shared: Shared,
  producers: number,
): { count: number; inOrder: boolean } {
  const queue = open(kind, shared)
  const tally = new Tally(producers)
  for (;;) {
    const item = queue.pollSync(Infinity)
    if (item === undefined) return tally.result
    tally.add(item)
  }
}

export async function consumeAwaiting(this: Voice, kind: Kind, shared: Shared, producers: number) {
  const tally = new Tally(producers)
  for await (const item of open(kind, shared)) tally.add(item)
  return tally.result
}

class Tally {
  readonly result = { count: 0, inOrder: true }
  readonly #last: number[]

  constructor(producers: number) {
    this.#last = Array.from({ length: producers }, () => -1)
  }

  add(item: number): void {
    const producer = Math.floor(item / PER_PRODUCER)
    const index = item % PER_PRODUCER
    if (index <= (this.#last[producer] as number)) this.result.inOrder = false
    this.#last[producer] = index
    this.result.count++
  }
}

/** What mortals leave behind: words that all threads share. */
export interface Record {
  /** Of each life of a producer, how many of its puts have returned. */
  readonly sent: Int32Array
  /** Of each item, how often it was received. */
  readonly received: Int32Array
  /** How many were received in all. */
  readonly progress: Int32Array
}

/** So many items has a producer in its life. */
export const LIFE = 50_000

export function produceUntilDeath(this: Voice, kind: Kind, shared: Shared, life: number, { sent }: Record): void {
  const queue = open(kind, shared)
  for (let i = 0; i < LIFE; i++) {
    queue.putSync(life * LIFE + i)
    Atomics.store(sent, life, i + 1)
  }
}

export function consumeUntilDeath(this: Voice, kind: Kind, shared: Shared, record: Record): void {
  const queue = open(kind, shared)
  for (;;) receive(queue.takeSync(), record)
}

export function receive(item: number, { received, progress }: Record): void {
  Atomics.add(received, item, 1)
  Atomics.add(progress, 0, 1)
}
