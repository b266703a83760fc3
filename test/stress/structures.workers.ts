/** What the threads of structures.test.ts do. */
import { SlotDeque } from "#src/platform/queue/slot-deque.js"
import { add, block, compareAndSet, exchange, load, pause, read, store, write } from "#src/memory/atomics.js"
import { IndexedHeap } from "#src/memory/structures/indexed-heap.js"
import { Ring } from "#src/memory/structures/ring.js"
import { Slots } from "#src/memory/structures/slots.js"
import { Dice } from "../support/stress.ts"

/**
 * What all threads of a test share besides the structure. `seen[value]` counts how often a value came out; `payload`
 * has a word for each value, written before it goes in.
 */
export interface Ledger {
  readonly control: Int32Array
  readonly seen: Int32Array
  readonly payload: Int32Array
}

/** Words of the control block. */
export const STOP = 0
export const PRODUCING = 1
export const LOCK = 2
/** How many threads have come to work, the dead included. */
export const ALIVE = 3
/** Producer n has made sure of so many values. */
export const PROGRESS = 16

/** What belongs into the word of a value. */
export function payloadOf(value: number): number {
  return (value * 0x9e37_79b1) ^ 0x55
}

/**
 * To try again without taking the processor from whoever could change something: there may be more threads than cores.
 */
class Patience {
  #tries = 0

  lose(): void {
    if (++this.#tries % 64 === 0) block(0.05)
    else pause()
  }
}

function count(ledger: Ledger, value: number): void {
  if (read(ledger.payload, value) !== payloadOf(value)) throw new Error(`Value ${value} came without what it means`)
  if (add(ledger.seen, value, 1) !== 0) throw new Error(`Value ${value} came out twice`)
}

// ------------------------------------------------------------------ ring

/** Offers the values from `first` on, until there are no more or it is told to stop. */
export function produce(
  words: Int32Array,
  capacity: number,
  ledger: Ledger,
  producer: number,
  first: number,
  amount: number,
): void {
  const ring = new Ring(words, 0, capacity)
  const { control, payload } = ledger
  const patience = new Patience()
  add(control, ALIVE, 1)
  for (let i = 0; i < amount && load(control, STOP) === 0; i++) {
    write(payload, first + i, payloadOf(first + i))
    while (!ring.offer(first + i)) {
      if (load(control, STOP) !== 0) return
      patience.lose()
    }
    store(control, PROGRESS + producer, i + 1)
  }
  add(control, PRODUCING, -1)
}

/**
 * Polls until all producers are done and nothing is left, and sees that the values of each producer, so many in a row,
 * come in order. Now and then removes some value, and tells in the end how many.
 */
export function consume(
  words: Int32Array,
  capacity: number,
  ledger: Ledger,
  values: number,
  removing: boolean,
  seed: number,
): number {
  const ring = new Ring(words, 0, capacity)
  const { control, seen } = ledger
  const dice = new Dice(seed)
  const patience = new Patience()
  const last = new Map<number, number>()
  let removed = 0
  add(control, ALIVE, 1)
  for (;;) {
    const finished = load(control, PRODUCING) === 0 || load(control, STOP) !== 0
    if (removing && dice.roll(4) === 0) {
      // One of the last that some producer has offered, or is just offering.
      const chosen = dice.roll((seen.length - 1) / values)
      const offset = load(control, PROGRESS + chosen) - dice.roll(capacity)
      const victim = 1 + chosen * values + Math.min(Math.max(offset, 0), values - 1)
      if (ring.remove(victim)) {
        count(ledger, victim)
        removed++
      }
    }
    const value = ring.poll()
    if (value === 0) {
      if (finished) return removed
      patience.lose()
      continue
    }
    count(ledger, value)
    const producer = Math.floor((value - 1) / values)
    if (value < (last.get(producer) ?? 0)) throw new Error(`Value ${value} came after ${last.get(producer)}`)
    last.set(producer, value)
  }
}

// ------------------------------------------------------------------ deque of a worker

/** Pushes the values from 1 on and pops at random, until they are all in and nothing is left to pop. */
export function own(words: Int32Array, capacity: number, ledger: Ledger, amount: number, seed: number): number {
  const deque = new SlotDeque(words, 0, capacity)
  deque.adopt()
  const dice = new Dice(seed)
  const patience = new Patience()
  let popped = 0
  const pop = (): boolean => {
    const value = deque.pop()
    if (value === 0) return false
    count(ledger, value)
    popped++
    return true
  }
  for (let value = 1; value <= amount;) {
    // Up and down again, so that the last value is often at stake.
    const burst = dice.roll(6)
    for (let i = 0; i < burst && value <= amount; i++) {
      write(ledger.payload, value, payloadOf(value))
      if (deque.push(value)) value++
      else patience.lose()
    }
    for (let i = dice.roll(7); i > 0 && pop(); i--);
  }
  while (pop());
  store(ledger.control, STOP, 1)
  return popped
}

export function thieve(words: Int32Array, capacity: number, ledger: Ledger): number {
  const deque = new SlotDeque(words, 0, capacity)
  const patience = new Patience()
  let stolen = 0
  for (;;) {
    const finished = load(ledger.control, STOP) !== 0
    const value = deque.steal(0, words)
    if (value === 0) {
      if (finished) return stolen
      patience.lose()
    } else {
      count(ledger, value)
      stolen++
    }
  }
}

// ------------------------------------------------------------------ slots

/** The body of a slot: the mark of who uses it, and how often it was freed, written plainly. */
export const RENT = { MARK: 0, COUNT: 1, SIZE: 2 } as const

/** Takes and frees at random. A slot in use has its user's mark in its body, and nobody else's. */
export function rent(
  words: Int32Array,
  capacity: number,
  turns: number,
  me: number,
  seed: number,
): { taken: number; refused: number } {
  const slots = new Slots(words, 0, capacity, RENT.SIZE)
  const dice = new Dice(seed)
  const mine: number[] = []
  const past: number[] = []
  let taken = 0
  let refused = 0
  const take = (): void => {
    const handle = slots.take(me)
    if (handle === 0) {
      refused++
      return
    }
    taken++
    if (exchange(words, slots.bodyOf(handle) + RENT.MARK, me) !== 0) throw new Error(`${handle} is in use twice`)
    mine.push(handle)
  }
  const free = (handle: number): void => {
    const body = slots.bodyOf(handle)
    if (!slots.isCurrent(handle)) throw new Error(`${handle} was freed behind my back`)
    if (exchange(words, body + RENT.MARK, 0) !== me) throw new Error(`Somebody wrote to ${handle}`)
    write(words, body + RENT.COUNT, read(words, body + RENT.COUNT) + 1)
    if (!slots.free(handle)) throw new Error(`${handle} could not be freed`)
    past.push(handle)
    const old = past[dice.roll(past.length)] ?? 0
    if (slots.isCurrent(old) || slots.free(old)) throw new Error(`${old} is current after it was freed`)
    if (past.length > 100) past.length = 0
  }
  for (let turn = 0; turn < turns; turn++) {
    if (mine.length === 0 || dice.roll(2) === 0) take()
    else free(mine.splice(dice.roll(mine.length), 1)[0] ?? 0)
  }
  for (const handle of mine) free(handle)
  return { taken, refused }
}

// ------------------------------------------------------------------ heap

/** Moves slots between a heap that all share, under a lock, and its own hands. */
export function sort(
  words: Int32Array,
  capacity: number,
  ledger: Ledger,
  slots: readonly number[],
  turns: number,
  seed: number,
): number[] {
  const { control, payload } = ledger
  const indices = { words, index: IndexedHeap.wordsFor(capacity), stride: 1 }
  const heap = new IndexedHeap(words, 0, capacity, (a, b) => read(payload, a) - read(payload, b), indices)
  const dice = new Dice(seed)
  const patience = new Patience()
  const mine = [...slots]
  for (let turn = 0; turn < turns; turn++) {
    while (!compareAndSet(control, LOCK, 0, 1)) patience.lose()
    const way = dice.roll(4)
    if (way < 2) {
      const [slot] = mine.splice(dice.roll(mine.length), 1)
      if (slot !== undefined) {
        write(payload, slot, dice.roll(1000))
        if (!heap.offer(slot)) mine.push(slot)
      }
    } else {
      const slot = way === 2 ? heap.peek() : dice.roll(capacity) + 1
      const taken = way === 2 ? heap.poll() : heap.remove(slot) ? slot : 0
      if (way === 2 && taken !== slot) throw new Error(`Peeked at ${slot} and polled ${taken}`)
      if (taken !== 0) {
        if (way === 2 && heap.size > 0 && read(payload, heap.peek()) < read(payload, taken)) {
          throw new Error("The least was not the first")
        }
        mine.push(taken)
      }
    }
    store(control, LOCK, 0)
  }
  return mine
}
