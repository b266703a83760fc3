/** Completers whose parts other threads steal, in the ways in which completers are written. */
import { CountedCompleter, fork, task } from "corepool"
import { words } from "../../support/shared-words.ts"

/** Long enough for others to steal what lies behind it. */
function work(): void {
  let sum = 0
  for (let i = 0; i < 3000; i++) sum += Math.sqrt(i)
  if (sum === 0) throw new Error("unreachable")
}

/** A range of numbers that is divided down to four. */
abstract class Range extends CountedCompleter<number> {
  readonly from: number
  readonly to: number
  sum = 0

  constructor(completer: Range | undefined, from: number, to: number) {
    super(completer)
    this.from = from
    this.to = to
  }

  protected abstract part(from: number, to: number): Range

  compute(): void {
    if (this.to - this.from > 4) {
      const middle = (this.from + this.to) >>> 1
      this.pendingCount = 2
      this.part(this.from, middle).fork()
      this.part(middle, this.to).fork()
    } else {
      work()
      for (let i = this.from; i < this.to; i++) this.add(i)
    }
    this.tryComplete()
  }

  protected add(n: number): void {
    this.sum += n
  }

  override get rawResult(): number {
    return this.sum
  }
}

/** Each adds its sum to that of its completer. */
export class AddsUp extends Range {
  static {
    task(import.meta.url, this)
  }

  protected part(from: number, to: number): Range {
    return new AddsUp(this, from, to)
  }

  override onCompletion(_caller: CountedCompleter<unknown>): void {
    const above = this.completer as AddsUp | undefined
    if (above !== undefined) above.sum += this.sum
  }
}

/** Each adds what it has collected to what its completer has, in place. */
export class Collects extends Range {
  static {
    task(import.meta.url, this)
  }

  readonly counts = new Int32Array(4)
  readonly seen = new Set<number>()
  readonly list: { n: number }[] = []

  protected part(from: number, to: number): Range {
    return new Collects(this, from, to)
  }

  protected override add(n: number): void {
    this.counts[n & 3] = (this.counts[n & 3] as number) + 1
    this.seen.add(n)
    this.list.push({ n })
  }

  override onCompletion(): void {
    const above = this.completer as Collects | undefined
    if (above === undefined) return
    for (const [i, count] of this.counts.entries()) above.counts[i] = (above.counts[i] as number) + count
    for (const n of this.seen) above.seen.add(n)
    above.list.push(...this.list)
  }

  override get rawResult(): number {
    const isWhole = this.seen.size === this.list.length && this.counts.every((count) => count * 4 === this.list.length)
    return isWhole ? this.list.reduce((sum, { n }) => sum + n, 0) : -1
  }
}

/** Knows its parts by the one that came last, and that one's sibling. */
export class Siblings extends CountedCompleter<number> {
  static {
    task(import.meta.url, this)
  }

  readonly from: number
  readonly to: number
  sibling: Siblings | undefined
  result = 0

  constructor(completer: Siblings | undefined, from: number, to: number) {
    super(completer)
    this.from = from
    this.to = to
  }

  compute(): void {
    if (this.to - this.from < 2) {
      work()
      this.result = this.from
      this.tryComplete()
      return
    }
    const middle = (this.from + this.to) >>> 1
    const left = new Siblings(this, this.from, middle)
    const right = new Siblings(this, middle, this.to)
    left.sibling = right
    right.sibling = left
    this.pendingCount = 1
    right.fork()
    left.compute()
  }

  override onCompletion(caller: Siblings): void {
    if (caller !== this) this.result = caller.result + (caller.sibling as Siblings).result
  }

  override get rawResult(): number {
    return this.result
  }
}

/** Knows its parts, and adds to its completer: only one of these can be in one thread. */
export class KnowsBoth extends Range {
  static {
    task(import.meta.url, this)
  }

  parts: KnowsBoth[] = []

  protected part(from: number, to: number): Range {
    const part = new KnowsBoth(this, from, to)
    this.parts.push(part)
    return part
  }

  override onCompletion(): void {
    for (const part of this.parts) this.sum += part.sum
    if (this.completer instanceof KnowsBoth) this.completer.sum += 0
  }
}

/** Adds to the root while it computes, if it finds one. */
export class AddsToRoot extends Range {
  static {
    task(import.meta.url, this)
  }

  protected part(from: number, to: number): Range {
    return new AddsToRoot(this, from, to)
  }

  protected override add(n: number): void {
    try {
      ;(this.root as AddsToRoot).sum += n
    } catch {
      // which does not help: what was to be added is lost
    }
  }
}

/** All have the list of the root. */
export class SharesList extends Range {
  static {
    task(import.meta.url, this)
  }

  readonly list: number[]

  constructor(completer: SharesList | undefined, from: number, to: number) {
    super(completer, from, to)
    this.list = completer?.list ?? []
  }

  protected part(from: number, to: number): Range {
    return new SharesList(this, from, to)
  }

  protected override add(n: number): void {
    this.list.push(n)
  }

  override get rawResult(): number {
    return this.list.reduce((sum, n) => sum + n, 0)
  }
}

/** Goes up by itself. */
export class ByHand extends CountedCompleter<number> {
  static {
    task(import.meta.url, this)
  }

  readonly from: number
  readonly to: number
  readonly next: ByHand | undefined
  forks: ByHand | undefined
  result = 0

  constructor(completer: ByHand | undefined, from: number, to: number, next?: ByHand) {
    super(completer)
    this.from = from
    this.to = to
    this.next = next
  }

  compute(): void {
    let { to } = this
    while (to - this.from >= 2) {
      const middle = (this.from + to) >>> 1
      this.addToPendingCount(1)
      this.forks = new ByHand(this, middle, to, this.forks)
      this.forks.fork()
      to = middle
    }
    work()
    this.result = this.from
    for (let each = this.firstComplete(); each !== undefined; each = each.nextComplete()) {
      const one = each as ByHand
      for (let part = one.forks; part !== undefined; part = one.forks = part.next) one.result += part.result
    }
  }

  override get rawResult(): number {
    return this.result
  }
}

export const adding = { AddsUp, Collects, Siblings, ByHand }
export const misusing = { KnowsBoth, AddsToRoot, SharesList }

// ------------------------------------------------------------------ one part, which is stolen

/** Ends in one of the ways in which a completer can. */
export class Ends extends CountedCompleter<string> {
  static {
    task(import.meta.url, this)
  }

  readonly how: string
  readonly gate: number
  log = ""

  constructor(completer: Ends | undefined, how: string, gate: number, pending = 0) {
    super(completer, pending)
    this.how = how
    this.gate = gate
  }

  compute(): void {
    Atomics.add(words, this.gate, 1)
    if (this.how === "complete") this.complete("a value")
    else if (this.how === "propagate") this.propagateCompletion()
    else if (this.how === "root") this.quietlyCompleteRoot()
    else if (this.how === "fail") throw new RangeError("no")
    else this.tryComplete()
  }

  override onCompletion(caller: Ends): void {
    this.log += caller === this ? "own " : "part "
    if (this.how === "throw") throw new RangeError("told")
  }

  override onExceptionalCompletion(error: unknown, caller: Ends): boolean {
    this.log += `${caller === this ? "own" : "part"} ${String(error)} `
    return true
  }

  override get rawResult(): string {
    return `of ${this.how}`
  }
}

/** What a part and its completer know in the end, if another thread has run the part. */
export const endStolen = task(import.meta.url, function endStolen(how: string, gate: number): unknown[] {
  const root = new Ends(undefined, how === "throw above" ? "throw" : "try", gate, how === "root" ? 5 : 0)
  const part = new Ends(root, how, gate)
  part.fork()
  while (Atomics.load(words, gate) === 0);
  root.quietlyJoin()
  return [part.state, part.log, root.state, root.log, root.pendingCount]
})

// ------------------------------------------------------------------ trees that nothing waits for

/** A tree that ends, fails, is ended by a leaf, or is never complete. */
export class Left extends CountedCompleter {
  static {
    task(import.meta.url, this)
  }

  readonly depth: number
  readonly how: string
  readonly index: number

  constructor(completer: Left | undefined, depth: number, how: string, index: number) {
    super(completer, depth === 0 ? 0 : 1)
    this.depth = depth
    this.how = how
    this.index = index
  }

  compute(): void {
    Atomics.add(words, this.index, 1)
    if (this.depth > 0) {
      new Left(this, this.depth - 1, this.how, this.index).fork()
      if (this.how === "never") this.addToPendingCount(1)
    } else if (this.how === "fails") throw new RangeError("no")
    else if (this.how === "found") this.quietlyCompleteRoot()
    this.tryComplete()
  }
}

/** Leaves such a tree behind. */
export const leave = task(import.meta.url, function leave(how: string, depth: number, index: number): string {
  new Left(undefined, depth, how, index).fork()
  return how
})

/** Leaves a tree behind of which another thread has a part, which waits at the gate. */
export const leaveHeld = task(import.meta.url, function leaveHeld(gate: number, index: number): void {
  new Tells(undefined, index, gate).fork()
})

/** Has a part that another thread runs before it is forked itself, and could be stolen. */
export const forkPartFirst = task(import.meta.url, function forkPartFirst(gate: number, index: number): unknown[] {
  const root = new Tells(undefined, index, 0)
  new Tells(root, index, gate).fork()
  while (Atomics.load(words, gate) === 0);
  root.pendingCount = 1
  root.fork()
  Atomics.store(words, gate + 1, 1)
  Atomics.notify(words, gate + 1)
  root.join()
  return [root.state, Atomics.load(words, index)]
})

/** Counts when it is told that it is complete. */
export class Tells extends CountedCompleter {
  static {
    task(import.meta.url, this)
  }

  readonly index: number
  readonly gate: number

  constructor(completer: Tells | undefined, index: number, gate: number) {
    super(completer)
    this.index = index
    this.gate = gate
  }

  compute(): void {
    if (this.gate !== 0 && this.completer === undefined) {
      this.pendingCount = 1
      new Tells(this, this.index, this.gate).fork()
    } else if (this.gate !== 0) {
      Atomics.add(words, this.gate, 1)
      while (Atomics.load(words, this.gate + 1) === 0) Atomics.wait(words, this.gate + 1, 0)
    }
    this.tryComplete()
  }

  override onCompletion(): void {
    Atomics.add(words, this.index, 1)
  }
}

/** Asynchronous, and completes, or fails, later. */
export class CompletesLater extends CountedCompleter<string> {
  static {
    task(import.meta.url, this)
  }

  readonly fails: boolean

  constructor(fails: boolean) {
    super()
    this.fails = fails
  }

  override async compute(): Promise<void> {
    await Promise.resolve()
    if (this.fails) throw new RangeError("later")
    fork(nothing).join()
    this.tryComplete()
  }

  override get rawResult(): string {
    return "later"
  }
}

const nothing = task(import.meta.url, function nothing(): void {})
