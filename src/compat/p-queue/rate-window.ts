/** How many tasks of a PQueue may begin, and when the next one may. Times are those of `Date.now()`. */
export interface RateWindow {
  /** How many tasks count now. `pending` tasks are running; `isContinued` if tasks have waited all the time. */
  count(now: number, pending: number, isContinued: boolean): number
  /** A task begins. */
  note(now: number): void
  /** The task that began last does not count: it was cancelled. */
  undo(): void
  /** When another task may begin, if no more may now. */
  readonly next: number
}

/** Windows of time that follow each other. In each of them a number of tasks may begin. */
export class FixedWindow implements RateWindow {
  readonly #interval: number
  readonly #carriesOver: boolean
  #end = -Infinity
  #count = 0

  constructor(interval: number, carriesOver: boolean) {
    this.#interval = interval
    this.#carriesOver = carriesOver
  }

  count(now: number, pending: number, isContinued: boolean): number {
    if (now >= this.#end) {
      this.#count = this.#carriesOver ? pending : 0
      // While tasks wait, the next window begins where the last one has ended.
      const isNext = isContinued && now < this.#end + this.#interval
      this.#end = isNext && this.#end + this.#interval > now ? this.#end + this.#interval : now + this.#interval
    }
    return this.#count
  }

  note(): void {
    this.#count++
  }

  undo(): void {
    if (this.#count > 0) this.#count--
  }

  get next(): number {
    return this.#end
  }
}

/** In no span of time of this length do more than a number of tasks begin. */
export class SlidingWindow implements RateWindow {
  readonly #interval: number
  /** When the last tasks began; those before `#first` do not count any more. */
  #starts: number[] = []
  #first = 0

  constructor(interval: number) {
    this.#interval = interval
  }

  count(now: number): number {
    while (this.#first < this.#starts.length && now - (this.#starts[this.#first] as number) >= this.#interval) {
      this.#first++
    }
    if (this.#first > 64 && this.#first * 2 > this.#starts.length) {
      this.#starts = this.#starts.slice(this.#first)
      this.#first = 0
    }
    return this.#starts.length - this.#first
  }

  note(now: number): void {
    this.#starts.push(now)
  }

  undo(): void {
    if (this.#starts.length > this.#first) this.#starts.pop()
  }

  get next(): number {
    return (this.#starts[this.#first] ?? -Infinity) + this.#interval
  }
}
