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

/** What the last to arrive gets if there is an action: it is to run that, and then to say so. */
export interface Turn {
  readonly generation: number
}

/** How somebody waits who arrives. */
export interface Way {
  readonly timeout: number
  /** Whether its whole thread stands still meanwhile. */
  readonly blocks: boolean
}

/** Why a wait was given up. */
interface GivenUp {
  readonly reason: unknown
}

const REASONS =
  "The barrier broke: one of those who wait gave up or died, or the action failed, or somebody has reset the barrier"

/**
 * A cyclic barrier in shared memory, without its action: functions are not shared, so the last to arrive is told to run
 * its own, and says how that went. All of it are steps, to be run blocking or awaiting.
 *
 * How it works
 *
 * Whoever changes anything holds GUARD, which names its thread, for a few steps and never across a wait. There are two
 * queues. INNER is for the guard. In OUTER are those who come while the action runs: they do not belong to this
 * generation, and the next one has not begun. What happens under the guard is in barrier-generation.ts.
 *
 * Who has arrived waits for its own node to be told what became of the generation. It is woken when that is so, or by
 * its time limit, an interrupt or a signal, and then breaks the generation; unless all have arrived and the action
 * runs.
 *
 * Death. Who finds the guard with a dead thread takes it over and completes what that one had begun. Whoever takes the
 * guard first of all looks whether a thread has died that belongs to the generation, and then breaks it. A death wakes
 * all who wait anywhere, so somebody looks; and if nobody is left, the next one to come does.
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

  /** For asking. It may not know yet of somebody's death: then {@link looking} comes first. */
  get generation(): BarrierGeneration {
    return this.#generation
  }

  // ------------------------------------------------------------------ what can be done

  /** Arrives, and waits until all have: the arrival index. The last one is told to run the action, if there is one. */
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

  /** After the action: trips, or breaks if that failed. False if others have ended the generation meanwhile. */
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

  /** Looks whether somebody here has died. */
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
      // Too late: all have arrived, and what comes of it is what counts.
      node.interruptible = node.limited = false
    }
    const hasTripped = generation.hasTripped(node)
    // Who is ending the generation may not be through yet, or have died over it: then it has the node in hands.
    if (generation.number === number) yield* this.looking(flow)
    node.end()
    if (givenUp?.reason instanceof InterruptedError) flow.interrupt() // it was not for this wait
    if (!hasTripped) throw new BrokenBarrierError(REASONS)
  }

  /** Breaks the generation because one in it gives up; false if it is too late for that. */
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
    // Not as after a change: those outside, and it may be us, would be woken for nothing.
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

  /** Lets go of the guard; then wakes who is to be woken. */
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
