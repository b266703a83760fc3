/** Runs random operations on a queue and on its model, and compares the two after each of them. */
import { type BlockingQueue, LinkedBlockingDeque, LinkedTransferQueue } from "corepool"
import * as fc from "fast-check"
import assert from "node:assert/strict"
import { turns } from "../../support/harness.ts"
import { type End, Item, type Model, UnboundedModel } from "./models.ts"
import { Caller } from "./support.ts"

export interface Subject {
  readonly queue: BlockingQueue<Item>
  readonly model: Model
  /** Whether the queue is shared at some moment: then its elements are copies. */
  readonly isShared?: boolean
}

interface Step {
  readonly what: keyof typeof WEIGHTS
  readonly end: End
  readonly key: number
  /** Chooses among those who wait, or what is inside. */
  readonly pick: number
  readonly flag: boolean
}

const WEIGHTS = {
  offer: 10,
  poll: 10,
  put: 12,
  offerTimed: 4,
  take: 12,
  pollTimed: 4,
  offerNow: 2,
  pollNow: 2,
  pollBriefly: 0.1,
  interrupt: 6,
  abort: 4,
  drainTo: 3,
  remove: 4,
  removeIf: 1,
  iteratorRemove: 1,
  clear: 0.5,
  transfer: 6,
  tryTransfer: 4,
  share: 1,
}

const step: fc.Arbitrary<Step> = fc.record({
  what: fc.oneof(
    ...Object.entries(WEIGHTS).map(([what, weight]) => ({
      arbitrary: fc.constant(what as keyof typeof WEIGHTS),
      weight: weight * 10,
    })),
  ),
  end: fc.constantFrom<End>("first", "last"),
  key: fc.nat(9),
  pick: fc.nat(1000),
  flag: fc.boolean(),
})

/** Ten thousand operations, in forty runs of 250. */
export async function behavesAs(create: () => Subject): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 250, maxLength: 250 }), async (steps) => {
      await new Run(create()).all(steps)
    }),
    { numRuns: 40 },
  )
}

class Run {
  readonly #queue: BlockingQueue<Item>
  readonly #model: Model
  readonly #isShared: boolean
  readonly #callers = new Map<number, { caller: Caller<unknown>; controller: AbortController }>()
  #lastId = 0

  constructor({ queue, model, isShared = false }: Subject) {
    this.#queue = queue
    this.#model = model
    this.#isShared = isShared
  }

  /** The elements that the queue shows or gives are those of the model; or copies of them, if it is shared. */
  #same(actual: unknown, expected: unknown): void {
    if (this.#isShared) assert.deepEqual(numbersOf(actual), numbersOf(expected))
    else assert.deepEqual(actual, expected)
  }

  async all(steps: readonly Step[]): Promise<void> {
    for (const next of steps) {
      await this.#perform(next)
      await turns(1)
      this.#compare()
    }
    this.#endAll()
    await turns(1)
    this.#compare()
    this.#findGhosts()
  }

  /** Everybody who waits is told to stop; what is left must be a queue like any other. */
  #endAll(): void {
    for (const id of this.#model.waiting) {
      this.#callers.get(id)?.caller.interrupt()
      this.#model.giveUp(id)
    }
  }

  #findGhosts(): void {
    this.#queue.clear()
    this.#model.clear()
    const item = this.#item(0, false)
    const isIn = this.#queue.offer(item)
    assert.equal(isIn, this.#model.offer(item))
    assert.equal(this.#queue.size, isIn ? 1 : 0, "somebody took it who does not wait")
    this.#same(this.#queue.poll(), isIn ? item : undefined)
  }

  #compare(): void {
    const byId = (a: Item, b: Item) => a.id - b.id
    const inside = this.#queue.toArray()
    if (this.#queue.peek() === undefined || this.#isOrdered()) this.#same(inside, this.#model.items)
    else this.#same(inside.sort(byId), this.#model.items.toSorted(byId))
    assert.equal(this.#queue.size, this.#model.items.length)
    this.#same(this.#queue.peek(), this.#model.items[0])
    const waiting = new Set(this.#model.waiting)
    for (const [id, { caller }] of this.#callers) {
      assert.equal(caller.isWaiting, waiting.has(id), `caller ${id}`)
      if (caller.isWaiting) continue
      const outcome = this.#model.outcomes.get(id)
      if (caller.call.state === "rejected") assert.equal(outcome, undefined, String(caller.call.reason))
      else this.#same(caller.call.value ?? true, outcome)
      this.#callers.delete(id)
    }
    if (this.#queue instanceof LinkedTransferQueue && this.#model instanceof UnboundedModel) {
      assert.equal(this.#queue.waitingConsumerCount, this.#model.consumers)
    }
  }

  #isOrdered(): boolean {
    return this.#queue.remainingCapacity < 2 ** 31 - 1 || this.#queue instanceof LinkedTransferQueue
  }

  async #perform({ what, end, key, pick, flag }: Step): Promise<void> {
    const queue = this.#queue
    const model = this.#model
    const deque = queue instanceof LinkedBlockingDeque ? queue : undefined
    const item = this.#item(key, flag)
    switch (what) {
      case "offer":
        if (deque !== undefined && end === "first") assert.equal(deque.offerFirst(item), model.offer(item, end))
        else assert.equal(queue.offer(item), model.offer(item))
        return
      case "poll":
        if (deque !== undefined && end === "last") this.#same(deque.pollLast(), model.poll(end))
        else this.#same(queue.poll(), model.poll())
        return
      case "put":
      case "offerTimed": {
        const at = deque === undefined ? "last" : end
        model.put(++this.#lastId, item, at)
        this.#call((signal) => {
          const wait = what === "put" ? { signal } : { signal, timeout: 60_000 }
          if (what === "put")
            return deque !== undefined && at === "first" ? deque.putFirst(item, wait) : queue.put(item, wait)
          return deque !== undefined && at === "first" ? deque.offerFirst(item, wait) : queue.offer(item, wait)
        })
        return
      }
      case "take":
      case "pollTimed": {
        const at = deque === undefined ? "first" : end
        model.take(++this.#lastId, at, what === "pollTimed")
        this.#call((signal) => {
          const wait = what === "take" ? { signal } : { signal, timeout: 60_000 }
          if (what === "take") return deque !== undefined && at === "last" ? deque.takeLast(wait) : queue.take(wait)
          return deque !== undefined && at === "last" ? deque.pollLast(wait) : queue.poll(wait)
        })
        return
      }
      case "offerNow":
        assert.equal(await queue.offer(item, 0), model.offer(item))
        return
      case "pollNow":
      case "pollBriefly":
        this.#same(await queue.poll(what === "pollNow" ? 0 : 1), model.pollBriefly())
        return
      case "interrupt":
      case "abort":
        this.#giveUp(pick, what)
        return
      case "drainTo": {
        const target: Item[] = []
        const max = flag ? Infinity : pick % 4
        const expected = model.drain(max)
        assert.equal(queue.drainTo(target, max), expected.length)
        this.#same(target, expected)
        return
      }
      case "remove": {
        const sought = model.items[pick % Math.max(model.items.length, 1)] ?? item
        assert.equal(queue.remove(sought), model.remove(sought))
        return
      }
      case "removeIf": {
        const isDoomed = (other: Item) => other.key % 3 === key % 3
        assert.equal(queue.removeIf(isDoomed), model.removeIf(isDoomed))
        return
      }
      case "iteratorRemove":
        // With putters waiting the iterator would meet what they put.
        if (!model.hasPutters) this.#removeByIterator(key)
        return
      case "clear":
        model.clear()
        queue.clear()
        return
      case "transfer":
        if (queue instanceof LinkedTransferQueue && model instanceof UnboundedModel) {
          model.transfer(++this.#lastId, item)
          this.#call((signal) => (flag ? queue.transfer(item, { signal }) : queue.tryTransfer(item, { signal })))
        }
        return
      case "tryTransfer":
        if (queue instanceof LinkedTransferQueue && model instanceof UnboundedModel) {
          assert.equal(queue.tryTransfer(item), model.consumers > 0 && model.offer(item))
        }
        return
      case "share":
        if (this.#isShared) assert.equal(typeof queue.handle, "object")
        return
    }
  }

  #item(key: number, isFar: boolean): Item {
    return new Item(++this.#lastId, key, isFar)
  }

  #call(body: (signal: AbortSignal) => Promise<unknown>): void {
    const controller = new AbortController()
    this.#callers.set(this.#lastId, { caller: new Caller(() => body(controller.signal)), controller })
  }

  #giveUp(pick: number, how: "interrupt" | "abort"): void {
    const { waiting } = this.#model
    const id = waiting[pick % Math.max(waiting.length, 1)]
    const called = id === undefined ? undefined : this.#callers.get(id)
    if (id === undefined || called === undefined) return
    this.#model.giveUp(id)
    if (how === "interrupt") called.caller.interrupt()
    else called.controller.abort()
  }

  #removeByIterator(key: number): void {
    const iterator = this.#queue[Symbol.iterator]()
    for (const item of iterator) {
      if (item.key !== key) continue
      iterator.remove()
      const removed = this.#model.items.find(({ id }) => id === item.id)
      assert.equal(removed !== undefined && this.#model.remove(removed), true)
    }
  }
}

/** The numbers of items, wherever they are. */
function numbersOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(numbersOf)
  return typeof value === "object" && value !== null && "id" in value ? value.id : value
}
