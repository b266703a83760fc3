/**
 * A binary heap that keeps the order of insertion among equal elements, in two arrays: the elements, and beside each
 * its rank, the number of the insertion. Ranks also tell apart elements that are equal or even the same.
 *
 * Comparators are user code and may throw. So every operation first does all its comparisons, and only then moves
 * elements: a comparator that throws leaves the heap exactly as it was. It must not change the heap itself.
 *
 * A heap of tasks must be able to remove any task ({@link Heap.forgive}): if a comparison throws while an element is
 * removed, the two elements count as equal.
 */
export type Comparator<E> = (a: E, b: E) => number

export class Heap<E> {
  readonly #compare: Comparator<E>
  #elements: E[] = []
  #ranks: number[] = []
  #lastRank = 0
  /** In a heap of tasks, gets an error that the comparator throws during a removal; and that error. */
  #report: ((error: unknown) => void) | undefined
  #failure: { readonly error: unknown } | undefined

  constructor(compare: Comparator<E>) {
    this.#compare = compare
  }

  /** From now on an error of the comparator does not prevent a removal. It is reported afterwards, once. */
  forgive(report: (error: unknown) => void): void {
    this.#report = report
  }

  get size(): number {
    return this.#elements.length
  }

  get first(): E | undefined {
    return this.#elements[0]
  }

  /** The elements, the least first, the others in no order. */
  toArray(): E[] {
    return [...this.#elements]
  }

  /** The ranks of the elements of {@link toArray}. */
  ranks(): number[] {
    return [...this.#ranks]
  }

  indexOf(test: (element: E) => boolean): number {
    return this.#elements.findIndex((element) => test(element))
  }

  indexOfRank(rank: number): number {
    return this.#ranks.indexOf(rank)
  }

  push(element: E): void {
    const last = this.#elements.length
    const target = this.#rise(last, element, this.#lastRank + 1, this.#compare)
    this.#elements.push(element)
    this.#ranks.push(++this.#lastRank)
    this.#lift(last, target)
  }

  pop(): E | undefined {
    const first = this.#elements[0]
    if (first !== undefined) this.removeAt(0)
    return first
  }

  removeAt(index: number): void {
    this.#removeAt(index)
    this.#tellFailure()
  }

  #tellFailure(): void {
    const failure = this.#failure
    this.#failure = undefined
    if (failure !== undefined) this.#report?.(failure.error)
  }

  /** Fills the gap at `index` with the last element, which then sinks or rises to where it belongs. */
  #removeAt(index: number): void {
    const last = this.#elements.length - 1
    const element = this.#elements[last] as E
    const rank = this.#ranks[last] as number
    let target = index
    if (index < last) {
      const compare = this.#comparatorToRemove
      target = this.#sink(index, element, rank, last, compare)
      if (target === index) target = this.#rise(index, element, rank, compare)
    }
    this.#elements.pop()
    this.#ranks.pop()
    if (index === last) return
    this.#elements[index] = element
    this.#ranks[index] = rank
    if (target < index) this.#lift(index, target)
    else this.#drop(index, target)
  }

  /** Removes the elements that pass the test and returns how many. All are tested before the first is removed. */
  removeWhere(test: (element: E) => boolean): number {
    // By rank, so that a test that changes the heap does no harm.
    const tested = this.#ranks.slice()
    const doomed = new Set<number>()
    this.#elements.slice().forEach((element, i) => {
      if (test(element)) doomed.add(tested[i] as number)
    })
    if (doomed.size === 0) return 0
    const rest = new Heap<E>(this.#compare)
    this.#ranks.forEach((rank, i) => {
      if (doomed.has(rank)) return
      rest.#elements.push(this.#elements[i] as E)
      rest.#ranks.push(rank)
    })
    rest.#arrange(this.#comparatorToRemove)
    const removed = this.size - rest.size
    this.#elements = rest.#elements
    this.#ranks = rest.#ranks
    this.#tellFailure()
    return removed
  }

  clear(): void {
    this.#elements = []
    this.#ranks = []
  }

  /** Makes a heap of elements in any order, from the bottom up. */
  #arrange(compare: Comparator<E>): void {
    const size = this.#elements.length
    for (let i = (size >>> 1) - 1; i >= 0; i--) {
      this.#drop(i, this.#sink(i, this.#elements[i] as E, this.#ranks[i] as number, size, compare))
    }
  }

  /** Where an element would come to rest if it rose from `index`. */
  #rise(index: number, element: E, rank: number, compare: Comparator<E>): number {
    let target = index
    while (target > 0) {
      const parent = (target - 1) >>> 1
      if (!this.#precedes(element, rank, parent, compare)) break
      target = parent
    }
    return target
  }

  /** Where an element would come to rest if it sank from `index` among the first `size` elements. */
  #sink(index: number, element: E, rank: number, size: number, compare: Comparator<E>): number {
    let target = index
    for (;;) {
      let child = 2 * target + 1
      if (child >= size) return target
      const right = child + 1
      if (right < size && this.#precedes(this.#elements[right] as E, this.#ranks[right] as number, child, compare)) {
        child = right
      }
      if (this.#precedes(element, rank, child, compare)) return target
      target = child
    }
  }

  get #comparatorToRemove(): Comparator<E> {
    if (this.#report === undefined) return this.#compare
    return (a, b) => {
      try {
        return this.#compare(a, b)
      } catch (error) {
        this.#failure ??= { error }
        return 0
      }
    }
  }

  #precedes(element: E, rank: number, other: number, compare: Comparator<E>): boolean {
    const order = compare(element, this.#elements[other] as E)
    // Neither less nor greater is equal: that covers NaN, which a careless comparator may return.
    return order < 0 || (!(order > 0) && rank < (this.#ranks[other] as number))
  }

  /** Moves the element at `from` up to its ancestor's place `to`; the elements between come down one level. */
  #lift(from: number, to: number): void {
    const element = this.#elements[from] as E
    const rank = this.#ranks[from] as number
    let index = from
    while (index > to) {
      const parent = (index - 1) >>> 1
      this.#elements[index] = this.#elements[parent] as E
      this.#ranks[index] = this.#ranks[parent] as number
      index = parent
    }
    this.#elements[to] = element
    this.#ranks[to] = rank
  }

  /** Moves the element at `from` down to its descendant's place `to`; the elements between go up one level. */
  #drop(from: number, to: number): void {
    let element = this.#elements[from] as E
    let rank = this.#ranks[from] as number
    // The way down is known only from below: each parent is (index - 1) / 2.
    for (let index = to; index >= from; index = index === 0 ? -1 : (index - 1) >>> 1) {
      const above = this.#elements[index] as E
      const aboveRank = this.#ranks[index] as number
      this.#elements[index] = element
      this.#ranks[index] = rank
      element = above
      rank = aboveRank
    }
  }
}
