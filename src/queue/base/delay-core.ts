import { MAX_VALUE, typeError } from "../../checks.ts"
import { type Flow, uncaught } from "../../memory/flow/flow.ts"
import { TIMEOUT, type Settle, type Steps, type Wake } from "../../memory/flow/waiting.ts"
import { now } from "../../time/timer.ts"
import { isComparable } from "../local/order.ts"
import { HeapCore } from "./heap-core.ts"
import { type QueueBackend, sharedBackends } from "./queue-backend.ts"
import type { End } from "./queue-core.ts"

/** An element of a `DelayQueue`. */
export interface Delayed {
  /** Milliseconds until it may be taken; zero or less once it has expired. Asked again and again as time goes by. */
  readonly delay: number
  /** The order among elements; should agree with their delays. Without it elements are ordered by their delays. */
  compareTo?(other: this): number
}

/*
 * How it works: leader and followers. Only one of the waiting flows, the leader, waits with a time limit, for the head
 * to expire; the others wait without. When the leader leaves, with or without an element, it wakes the next in line,
 * which becomes leader if there is still an element to wait for. A new head deposes the leader and wakes the next in
 * line, since the leader sleeps too long for it. A flow that finds no expired element waits again, at the end of the
 * line, as in Java.
 *
 * Why not one timer for the queue: the leader's own limit already is one, and it is gone when its wait is.
 */
export class DelayCore<E extends Delayed> extends HeapCore<E> {
  /** The leader, the flow that waits for the head to expire: any object, used only for its identity. */
  #leader: object | undefined
  #passing: "no" | "yes" | "again" = "no"

  readonly #type: string

  /** `type` is the name of the queue's class in handles. */
  constructor(type: string) {
    super(sooner)
    this.#type = type
  }

  override check(e: E): void {
    super.check(e)
    if (typeof (e as { delay?: unknown }).delay !== "number") {
      throw typeError("e", "an object with a `delay` in milliseconds", e)
    }
  }

  protected override insert(e: E): boolean {
    if (this.isClosed) return false
    this.heap.push(e)
    if (this.heap.first === e) {
      this.#leader = undefined
      this.#pass()
    }
    return true
  }

  override ready(): E | undefined {
    const first = this.heap.first
    return first === undefined || this.#delayOf(first) > 0 ? undefined : first
  }

  protected override *taking(end: End, timeout: number, flow: Flow): Steps<E | undefined> {
    const deadline = now() + timeout
    while (!(this.isClosed && this.isEmpty)) {
      const why = yield* this.#waiting(deadline)
      if (this.shared !== undefined && why !== TIMEOUT) return yield* this.shared.taking(end, flow)
      const e = this.extract(end)
      if (e !== undefined || why === TIMEOUT) return e
    }
    return undefined
  }

  /** A pool's task whose `delay` throws counts as due. */
  #delayOf(e: E): number {
    if (!this.isForgiving) return e.delay
    try {
      return e.delay
    } catch (error) {
      uncaught(error)
      return 0
    }
  }

  *#waiting(deadline: number): Steps<Wake> {
    const { first } = this.heap
    const delay = first && this.#delayOf(first)
    // A flow that gives up before the head expires must not lead: no flow would wait for the head after that.
    if (delay === undefined || this.#leader !== undefined || deadline - now() < delay) return yield this.takers
    const me = {}
    this.#leader = me
    try {
      return yield { list: this.takers, atMost: delay }
    } finally {
      if (this.#leader === me) this.#leader = undefined
    }
  }

  /** A flow that leaves passes the lead on, but first settles its own wait. */
  override obtain(end: End, settle: Settle<E | undefined>, flow: Flow, timeout: number, abort?: AbortSignal): void {
    if (this.shared !== undefined) {
      super.obtain(end, settle, flow, timeout, abort)
      return
    }
    const passing: Settle<E | undefined> = {
      resolve: (e) => {
        settle.resolve(e)
        this.#pass()
      },
      reject: (reason) => {
        settle.reject(reason)
        this.#pass()
      },
    }
    super.obtain(end, passing, flow, timeout, abort)
  }

  override obtainSync(end: End, timeout: number): E | undefined {
    try {
      return super.obtainSync(end, timeout)
    } finally {
      this.#pass()
    }
  }

  /**
   * Wakes the next in line if there is no leader. That flow takes what has expired and passes in its turn, or becomes
   * leader. A loop rather than recursion: one expiry may serve thousands of flows.
   */
  #pass(): void {
    if (this.#passing !== "no") {
      this.#passing = "again"
      return
    }
    do {
      this.#passing = "yes"
      if (this.#leader === undefined && !this.isEmpty) this.takers.signal()
    } while ((this.#passing as string) === "again")
    this.#passing = "no"
  }

  override vacated(): void {
    if (this.isClosed && this.isEmpty) this.takers.signalAll()
  }

  protected override closing(): void {
    this.vacated()
  }

  protected override toShared(): QueueBackend<E> {
    const settings = { capacity: MAX_VALUE, ordering: "due" } as const
    return sharedBackends().create<E>(this.#type, settings).filledWith(this.elementsAsTheyCame())
  }
}

function sooner(a: Delayed, b: Delayed): number {
  if (isComparable(a) && isComparable(b)) return a.compareTo(b)
  return a.delay - b.delay
}
