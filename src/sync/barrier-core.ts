import { compareAndSet, load, store } from "#atomics"
import { BrokenBarrierError, IllegalStateError, InterruptedError, TimeoutError } from "../errors.ts"
import { reacquiring } from "../lock/acquiring.ts"
import { type Flow, interrupted } from "../memory/flow/flow.ts"
import type { ThreadContext } from "../memory/thread/thread-context.ts"
import { WAITING } from "../memory/thread/node-pool.ts"
import type { SharedMemory } from "../memory/shared/shared-memory.ts"
import { WaitNode } from "../memory/wait/wait-node.ts"
import { EXCLUSIVE, WaitQueue } from "../memory/wait/wait-queue.ts"
import { type Steps, TIMEOUT } from "../memory/flow/waiting.ts"
import { BARRIER, BarrierGeneration, BREAK, INNER, OUTER, RESET, TRIP } from "./barrier-generation.ts"

/** What the last flow to arrive gets if there is an action: it has to run the action, and then to call `finishing`. */
export interface Turn {
  readonly generation: number
}

/** How an arriving flow waits. */
export interface Way {
  readonly timeout: number
  /** Whether it blocks its whole thread. */
  readonly blocks: boolean
}

/** Why a wait was given up. */
interface GivenUp {
  readonly reason: unknown
}

const REASONS = "The barrier broke: a task that waited gave up or died, the action failed, or the barrier was reset"

/**
 * A cyclic barrier in shared memory, without its action. Functions are not shared, so the last flow to arrive runs the
 * action of its own thread, and reports how that went. All methods are steps, to be run blocking or awaiting.
 *
 * How it works
 *
 * A thread that changes anything holds GUARD, which names the thread, for a few steps and never across a wait. There
 * are two queues. INNER is for the guard. In OUTER are the flows that come while the action runs: they do not belong to
 * this generation, and the next one has not begun. barrier-generation.ts has what happens under the guard.
 *
 * A flow that has arrived waits until the outcome of the generation is written into its node, and is woken then. Its
 * time limit, an interrupt or a signal wakes it too, and then it breaks the generation, unless all flows have arrived
 * and the action runs.
 *
 * Death. A thread that finds the guard with a dead thread takes it over and completes what that thread had begun. Each
 * thread that takes the guard first looks whether a thread has died that belongs to the generation, and if so breaks
 * it. A death wakes all waiting flows, so one of them looks; if none is left, the next flow that comes does.
 */
export class BarrierCore {
  readonly #threadContext: ThreadContext
  readonly #memory: SharedMemory
  readonly #inner: WaitQueue
  readonly #outer: WaitQueue
  readonly #generation: BarrierGeneration

  constructor(memory: SharedMemory) {
    this.#threadContext = memory.threadContext
    this.#memory = memory
    this.#inner = new WaitQueue(memory.threadContext, memory.words, INNER, memory)
    this.#outer = new WaitQueue(memory.threadContext, memory.words, OUTER, memory)
    this.#generation = new BarrierGeneration(memory)
  }

  /** For queries. It may not have noticed a death yet: then run {@link looking} first. */
  get generation(): BarrierGeneration {
    return this.#generation
  }

  // ------------------------------------------------------------------ what can be done

  /**
   * Arrives, waits until all have arrived, and returns the arrival index. The last flow gets a Turn if there is an
   * action.
   */
  *arriving(flow: Flow, way: Way): Steps<number | Turn> {
    yield* this.#enteringFromOutside(flow, way)
    const generation = this.#generation
    const { number } = generation
    const index = generation.parties - 1 - generation.arrived
    let node: WaitNode
    try {
      if (generation.isBroken) throw new BrokenBarrierError("The barrier is broken")
      if (flow.consumeInterrupt()) {
        generation.end(BREAK)
        throw interrupted(" before it could wait")
      }
      if (index === 0) return this.#complete(number)
      this.#refuseToBlockAlone(way)
      node = new WaitNode(this.#threadContext, flow, this.#memory, true, WAITING, 0)
      generation.add(node)
    } finally {
      this.#exit()
    }
    yield* this.#waiting(flow, node, number, way)
    return index
  }

  #complete(generation: number): number | Turn {
    if (this.#generation.hasAction) {
      this.#generation.beginAction()
      return { generation }
    }
    this.#generation.end(TRIP)
    return 0
  }

  /** After the action: trips, or breaks if the action failed. False if others have ended the generation meanwhile. */
  *finishing(flow: Flow, turn: Turn, success: boolean): Steps<boolean> {
    yield* this.#entering(flow)
    const isCurrent = this.#generation.number === turn.generation
    if (isCurrent) this.#generation.end(success ? TRIP : BREAK)
    this.#exit()
    return isCurrent
  }

  *breaking(flow: Flow): Steps<void> {
    yield* this.#entering(flow)
    this.#generation.end(BREAK)
    this.#exit()
  }

  *resetting(flow: Flow): Steps<void> {
    yield* this.#entering(flow)
    this.#generation.end(RESET)
    this.#exit()
  }

  /** Looks whether a thread has died that belongs to the generation. */
  *looking(flow: Flow): Steps<void> {
    yield* this.#entering(flow)
    this.#exit()
  }

  // ------------------------------------------------------------------ waiting

  *#waiting(flow: Flow, node: WaitNode, number: number, way: Way): Steps<void> {
    const generation = this.#generation
    let givenUp: GivenUp | undefined
    while (!generation.isOver(node)) {
      if (!generation.isUpToDate) {
        yield* this.looking(flow)
        continue
      }
      try {
        if ((yield node) !== TIMEOUT) continue
        givenUp = { reason: outOfTime(way) }
      } catch (reason) {
        givenUp = { reason }
      }
      if (yield* this.#breakingOff(flow, node)) {
        node.end()
        throw givenUp.reason
      }
      // Too late to give up: all have arrived, and the outcome of the action counts.
      node.interruptible = node.limited = false
    }
    const hasTripped = generation.hasTripped(node)
    // The thread that ends the generation may not be done yet, or may have died during it: then the node is still in
    // use.
    if (generation.number === number) yield* this.looking(flow)
    node.end()
    if (givenUp?.reason instanceof InterruptedError) flow.interrupt() // the interrupt was not for this wait
    if (!hasTripped) throw new BrokenBarrierError(REASONS)
  }

  /** Breaks the generation because this flow gives up; false if it is too late for that. */
  *#breakingOff(flow: Flow, node: WaitNode): Steps<boolean> {
    yield* this.#entering(flow)
    const inTime = !this.#generation.isOver(node) && this.#generation.tripper === 0
    if (inTime) this.#generation.end(BREAK)
    this.#exit()
    return inTime
  }

  // ------------------------------------------------------------------ the guard

  *#entering(flow: Flow): Steps<void> {
    if (this.#take()) return
    yield* reacquiring(this.#inner, flow, this.#inner.enter(flow, EXCLUSIVE, false), () => this.#take())
  }

  /** Enters, but not while the action runs. */
  *#enteringFromOutside(flow: Flow, { blocks }: Way): Steps<void> {
    if (this.#takeFromOutside()) return
    const node = this.#outer.enter(flow, EXCLUSIVE, false)
    const refuse = blocks ? () => this.#refuseToBlockTheAction() : undefined
    yield* reacquiring(this.#outer, flow, node, () => this.#takeFromOutside(), refuse)
  }

  #takeFromOutside(): boolean {
    const { tripper } = this.#generation
    if ((tripper !== 0 && this.#threadContext.registry.isAlive(tripper)) || !this.#take()) return false
    if (this.#generation.tripper === 0) return true
    // Not by `#exit`, as after a change: flows in OUTER, perhaps this very one, would be woken for nothing.
    store(this.#memory.words, BARRIER.GUARD, 0)
    this.#inner.wakeFirst()
    return false
  }

  #take(): boolean {
    const { words } = this.#memory
    const { registry, token } = this.#threadContext
    if (!compareAndSet(words, BARRIER.GUARD, 0, token)) {
      const holder = load(words, BARRIER.GUARD)
      if (holder === 0 || registry.isAlive(holder) || !compareAndSet(words, BARRIER.GUARD, holder, token)) return false
      this.#generation.recover()
    }
    this.#generation.look()
    return true
  }

  /** Lets go of the guard; then wakes the released flows and the first of both queues. */
  #exit(): void {
    const released = this.#generation.takeReleased()
    store(this.#memory.words, BARRIER.GUARD, 0)
    this.#inner.wakeFirst()
    this.#outer.wakeFirst()
    for (const { thread, node } of released) this.#threadContext.wake(thread, node)
  }

  // ------------------------------------------------------------------ waits that could never end

  #refuseToBlockAlone({ blocks, timeout }: Way): void {
    if (!blocks || timeout < Infinity || this.#memory.isShared) return
    throw new IllegalStateError(
      "This thread would block for ever: only its own flows know the barrier, and they stand still meanwhile. Await it instead, or share it with another thread",
    )
  }

  #refuseToBlockTheAction(): void {
    if (this.#generation.tripper !== this.#threadContext.token) return
    throw new IllegalStateError(
      "This thread would block for ever: it runs the action of the barrier, which stands still meanwhile. Use `await barrier.await()`",
    )
  }
}

function outOfTime({ timeout }: Way): TimeoutError {
  return new TimeoutError(`Not all have arrived at the barrier within ${timeout} ms; it is broken now`)
}
