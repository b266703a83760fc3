/**
 * The kinds of queues as plain arrays: what random operations are compared with. Slow, simple, and written
 * from the rules rather than from the code.
 */

/** An element for every kind of queue: ordered by `isFar`, then `key`; far ones do not expire before decades have passed. */
export class Item {
  readonly id: number
  readonly key: number
  readonly isFar: boolean

  constructor(id: number, key: number, isFar: boolean) {
    this.id = id
    this.key = key
    this.isFar = isFar
  }

  /** In the same order: a shared queue has no other. What time passes meanwhile changes nothing about it. */
  get delay(): number {
    return (this.isFar ? 1e12 : -1e12) + this.key * 1e6
  }

  compareTo(other: Item): number {
    return this.isFar === other.isFar ? this.key - other.key : Number(this.isFar) - Number(other.isFar)
  }
}

export type End = "first" | "last"

interface Taker {
  readonly id: number
  readonly end: End
  readonly isTimed: boolean
}

interface Putter {
  readonly id: number
  readonly end: End
  readonly item: Item
}

export abstract class Model {
  items: Item[] = []
  protected takers: Taker[] = []
  protected putters: Putter[] = []
  /** What those who waited got: a taker its item, a putter true. */
  readonly outcomes = new Map<number, Item | true>()

  get waiting(): number[] {
    return [...this.takers, ...this.putters].map(({ id }) => id)
  }

  get hasPutters(): boolean {
    return this.putters.length > 0
  }

  abstract offer(item: Item, end?: End): boolean
  abstract poll(end?: End): Item | undefined

  /** A timed poll that does not wait, or waits in vain. */
  pollBriefly(end?: End): Item | undefined {
    return this.poll(end)
  }

  take(id: number, end: End = "first", isTimed = false): void {
    const item = this.poll(end)
    if (item === undefined) this.takers.push({ id, end, isTimed })
    else this.outcomes.set(id, item)
  }

  put(id: number, item: Item, end: End = "last"): void {
    if (this.offer(item, end)) this.outcomes.set(id, true)
    else this.putters.push({ id, end, item })
  }

  giveUp(id: number): void {
    this.takers = this.takers.filter((taker) => taker.id !== id)
    this.putters = this.putters.filter((putter) => putter.id !== id)
  }

  /** What could be taken now, without letting anybody in. */
  protected abstract head(): Item | undefined

  drain(max: number): Item[] {
    const drained: Item[] = []
    for (let head = this.head(); head !== undefined && drained.length < max; head = this.head()) {
      drained.push(head)
      this.drop(head)
    }
    this.letIn(drained.length)
    return drained
  }

  remove(item: Item): boolean {
    if (!this.items.includes(item)) return false
    this.drop(item)
    this.letIn(1)
    return true
  }

  removeIf(isDoomed: (item: Item) => boolean): boolean {
    const doomed = this.items.filter((item) => isDoomed(item))
    for (const item of doomed) this.drop(item)
    this.letIn(doomed.length)
    return doomed.length > 0
  }

  clear(): void {
    const { length } = this.items
    for (const item of [...this.items]) this.drop(item)
    this.letIn(length)
  }

  protected drop(item: Item): void {
    this.items = this.items.filter((other) => other !== item)
  }

  protected letIn(_count: number): void {}
}

/** ArrayBlockingQueue, LinkedBlockingQueue, LinkedBlockingDeque. */
export class BoundedModel extends Model {
  readonly #capacity: number
  readonly #bulkLetsIn: boolean

  constructor(capacity: number, bulkLetsIn = true) {
    super()
    this.#capacity = capacity
    this.#bulkLetsIn = bulkLetsIn
  }

  override offer(item: Item, end: End = "last"): boolean {
    if (this.items.length >= this.#capacity) return false
    if (end === "last") this.items.push(item)
    else this.items.unshift(item)
    this.#serve()
    return true
  }

  override poll(end: End = "first"): Item | undefined {
    const item = end === "first" ? this.items.shift() : this.items.pop()
    if (item !== undefined) this.letIn(1)
    return item
  }

  override removeIf(isDoomed: (item: Item) => boolean): boolean {
    if (this.#bulkLetsIn) return super.removeIf(isDoomed)
    const { length } = this.items
    this.items = this.items.filter((item) => !isDoomed(item))
    return this.items.length < length
  }

  protected override head(): Item | undefined {
    return this.items[0]
  }

  protected override letIn(count: number): void {
    for (const putter of this.putters.splice(0, Math.min(count, this.#capacity - this.items.length))) {
      this.outcomes.set(putter.id, true)
      this.offer(putter.item, putter.end)
    }
  }

  #serve(): void {
    const taker = this.items.length > 0 ? this.takers.shift() : undefined
    const item = taker === undefined ? undefined : this.poll(taker.end)
    if (taker !== undefined && item !== undefined) this.outcomes.set(taker.id, item)
  }
}

export class SynchronousModel extends Model {
  readonly #fair: boolean

  constructor(fair: boolean) {
    super()
    this.#fair = fair
  }

  override offer(item: Item): boolean {
    const taker = this.#next(this.takers)
    if (taker === undefined) return false
    this.giveUp(taker.id)
    this.outcomes.set(taker.id, item)
    return true
  }

  override poll(): Item | undefined {
    const putter = this.#next(this.putters)
    if (putter === undefined) return undefined
    this.giveUp(putter.id)
    this.outcomes.set(putter.id, true)
    return putter.item
  }

  override drain(max: number): Item[] {
    const drained: Item[] = []
    while (drained.length < max && this.hasPutters) drained.push(this.poll() as Item)
    return drained
  }

  protected override head(): undefined {
    return undefined
  }

  #next<T>(line: T[]): T | undefined {
    return line.at(this.#fair ? 0 : -1)
  }
}

/** PriorityBlockingQueue; and, with transfers, LinkedTransferQueue. */
export class UnboundedModel extends Model {
  readonly #compare: (a: Item, b: Item) => number
  readonly #transfers = new Map<Item, number>()

  constructor(compare: (a: Item, b: Item) => number = () => 0) {
    super()
    this.#compare = compare
  }

  override get waiting(): number[] {
    return [...super.waiting, ...this.#transfers.values()]
  }

  get consumers(): number {
    return this.takers.length
  }

  override offer(item: Item): boolean {
    const place = this.items.findIndex((other) => this.#compare(item, other) < 0)
    this.items.splice(place === -1 ? this.items.length : place, 0, item)
    const taker = this.takers.shift()
    if (taker !== undefined) this.outcomes.set(taker.id, this.poll() as Item)
    return true
  }

  override poll(): Item | undefined {
    const [item] = this.items
    if (item !== undefined) this.drop(item)
    return item
  }

  transfer(id: number, item: Item): void {
    const isTakenAtOnce = this.takers.length > 0
    this.offer(item)
    if (isTakenAtOnce) this.outcomes.set(id, true)
    else this.#transfers.set(item, id)
  }

  override giveUp(id: number): void {
    super.giveUp(id)
    for (const [item, producer] of this.#transfers) {
      if (producer !== id) continue
      this.#transfers.delete(item)
      this.drop(item)
    }
  }

  protected override head(): Item | undefined {
    return this.items[0]
  }

  protected override drop(item: Item): void {
    super.drop(item)
    const producer = this.#transfers.get(item)
    if (producer !== undefined) this.outcomes.set(producer, true)
    this.#transfers.delete(item)
  }
}

/** DelayQueue: who leads, and who is sent to the end of the line. */
export class DelayModel extends Model {
  #leader: number | undefined

  override offer(item: Item): boolean {
    this.items = [...this.items, item].toSorted((a, b) => a.compareTo(b))
    if (this.items[0] === item) {
      this.#leader = undefined
      this.#pass()
    }
    return true
  }

  override poll(): Item | undefined {
    return this.head() === undefined ? undefined : this.items.shift()
  }

  override pollBriefly(): Item | undefined {
    const item = this.poll()
    this.#pass()
    return item
  }

  override take(id: number, end: End, isTimed: boolean): void {
    const item = this.poll()
    if (item === undefined) {
      this.#wait({ id, end, isTimed })
    } else {
      this.outcomes.set(id, item)
      this.#pass()
    }
  }

  override giveUp(id: number): void {
    super.giveUp(id)
    if (this.#leader === id) this.#leader = undefined
    this.#pass()
  }

  protected override head(): Item | undefined {
    return this.items[0]?.isFar === true ? undefined : this.items[0]
  }

  /** Who gives up before the head expires does not lead. */
  #wait(taker: Taker): void {
    this.takers.push(taker)
    if (this.items.length > 0 && !taker.isTimed) this.#leader ??= taker.id
  }

  #pass(): void {
    while (this.#leader === undefined && this.items.length > 0) {
      const taker = this.takers.shift()
      if (taker === undefined) return
      const item = this.poll()
      if (item === undefined) {
        this.#wait(taker)
        return
      }
      this.outcomes.set(taker.id, item)
    }
  }
}

/** DelayQueue once it is shared: nobody is sent to the end of the line. */
export class SharedDelayModel extends Model {
  override offer(item: Item): boolean {
    this.items = [...this.items, item].toSorted((a, b) => a.compareTo(b))
    const taker = this.head() === undefined ? undefined : this.takers.shift()
    if (taker !== undefined) this.outcomes.set(taker.id, this.poll() as Item)
    return true
  }

  override poll(): Item | undefined {
    return this.head() === undefined ? undefined : this.items.shift()
  }

  protected override head(): Item | undefined {
    return this.items[0]?.isFar === true ? undefined : this.items[0]
  }
}
