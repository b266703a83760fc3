/**
 * A cyclic barrier in shared memory: who has arrived, and how the generations of those who wait together end. The action
 * is not here, since functions are not shared: the last to arrive is told to run its own, and says how that went.
 *
 * How it works
 *
 * Whoever changes anything holds GUARD, for a few steps and never across a wait. A generation is ended, under the guard,
 * in one of three ways: it trips, it breaks, or it is reset, which is a break that leaves no trace. Everybody who waits has a
 * node, and a slot here that names it. To end the generation is to write into each node what became of it. Nobody can look it
 * up later: by the time a thread comes to look, the barrier may have been through any number of generations.
 *
 *     GUARD       the token of the thread that is inside, or 0
 *     ARRIVED     how many slots are taken; each holds the number of a node and the token of its thread
 *     TRIPPER     the token of the thread that runs the action, or 0; the generation is complete then
 *     ENDING      how the generation is just being ended, or 0
 *     BROKEN      1 until it is reset
 *     GENERATION  changes when all nodes of a generation have been written, and not before
 *
 * There are two queues. INNER is for the guard. In OUTER are those who came while the action runs: they do not belong to
 * this generation, and the next one has not begun.
 *
 * A node goes back to its thread when GENERATION has changed, so what slots name is always there to be written.
 *
 * Death. Who finds the guard with a dead thread takes it over. If a generation was being ended, that is completed in the
 * same way: slots are emptied from the last to the first, each after its node was written, and writing one twice does no
 * harm. Otherwise the generation breaks. It breaks also if one who waits in it is dead, or the one who runs its action. A
 * death wakes all who wait anywhere, so somebody looks; and if nobody is left, the next one to come does.
 */
import { compareAndSet, load, read, store, write } from "#atomics"
import { BrokenBarrierError, IllegalStateError, InterruptedError, TimeoutError } from "../errors.ts"
import { reacquiring } from "../lock/acquiring.ts"
import type { Flow } from "../memory/flow.ts"
import type { Here } from "../memory/here.ts"
import { wholeLines } from "../memory/layout.ts"
import { FREE, WAITING } from "../memory/node-pool.ts"
import { SharedMemory } from "../memory/shared-memory.ts"
import { NODE } from "../memory/space.ts"
import { WaitNode } from "../memory/wait-node.ts"
import { EXCLUSIVE, QUEUE, WaitQueue } from "../memory/wait-queue.ts"
import { type Steps, TIMEOUT } from "../memory/waiting.ts"

const INNER = 0
const OUTER = wholeLines(QUEUE.SIZE)
const OWN = OUTER + wholeLines(QUEUE.SIZE)
const GUARD = OWN
const ARRIVED = OWN + 1
const TRIPPER = OWN + 2
const ENDING = OWN + 3
const BROKEN = OWN + 4
const GENERATION = OWN + 5
const DEATHS_SEEN = OWN + 6
const PARTIES = OWN + 7
const HAS_ACTION = OWN + 8
const SLOTS = OWN + 9
const SLOT = { NODE: 0, THREAD: 1, SIZE: 2 } as const

/** Values of ENDING. */
const TRIP = 1
const BREAK = 2
const RESET = 3

/** Where a node is told how its generation ended. It stands in no queue and has no other use for its mode. */
const FATE = NODE.MODE

/** What the last to arrive gets if there is an action: it is to run it, and then to say so. */
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

export class BarrierCore {
  readonly #here: Here
  readonly #memory: SharedMemory
  readonly #words: Int32Array
  readonly #inner: WaitQueue
  readonly #outer: WaitQueue
  readonly parties: number
  readonly hasAction: boolean
  /** Those whose generation was ended by this thread, the last to arrive first. Woken when the guard is free again. */
  #released: { readonly thread: number; readonly node: number }[] = []

  constructor(memory: SharedMemory) {
    this.#here = memory.here
    this.#memory = memory
    this.#words = memory.words
    this.#inner = new WaitQueue(memory.here, memory.words, INNER, memory)
    this.#outer = new WaitQueue(memory.here, memory.words, OUTER, memory)
    this.parties = load(this.#words, PARTIES)
    this.hasAction = load(this.#words, HAS_ACTION) !== 0
  }

  static allocate(parties: number, hasAction: boolean): SharedMemory {
    const memory = SharedMemory.allocate(SLOTS + parties * SLOT.SIZE)
    store(memory.words, PARTIES, parties)
    store(memory.words, HAS_ACTION, hasAction ? 1 : 0)
    return memory
  }

  // ------------------------------------------------------------------ what can be asked

  /** Whether nobody has died since somebody last looked. If not, run {@link looking}. */
  get isUpToDate(): boolean {
    return load(this.#words, DEATHS_SEEN) === this.#here.space.deaths
  }

  get isBroken(): boolean {
    return load(this.#words, BROKEN) !== 0
  }

  get arrived(): number {
    return load(this.#words, ARRIVED) + (load(this.#words, TRIPPER) === 0 ? 0 : 1)
  }

  // ------------------------------------------------------------------ what can be done

  /** Arrives, and waits until all have: the arrival index. The last one is told to run the action, if there is one. */
  *arriving(flow: Flow, way: Way): Steps<number | Turn> {
    yield* this.#enteringFromOutside(flow, way.blocks)
    let node: WaitNode
    let generation: number
    let index: number
    try {
      if (this.isBroken) throw new BrokenBarrierError("The barrier is broken")
      if (flow.consumeInterrupt()) {
        this.#end(BREAK)
        throw new InterruptedError("The thread was interrupted before it could wait")
      }
      const arrived = read(this.#words, ARRIVED)
      generation = read(this.#words, GENERATION)
      index = this.parties - 1 - arrived
      if (index === 0) return this.#complete(generation)
      if (way.blocks && way.timeout === Infinity) this.#refuseToBlockAlone()
      node = new WaitNode(this.#here, flow, this.#memory, true, WAITING, 0)
      this.#takeSlot(arrived, node.index)
    } finally {
      this.#exit()
    }
    yield* this.#waiting(flow, node, generation, way)
    return index
  }

  /** After the action: trips, or breaks if the action failed. False if the generation has been ended by others meanwhile. */
  *finishing(flow: Flow, turn: Turn, success: boolean): Steps<boolean> {
    yield* this.#entering(flow)
    const isCurrent = read(this.#words, GENERATION) === turn.generation
    if (isCurrent) this.#end(success ? TRIP : BREAK)
    this.#exit()
    return isCurrent
  }

  *breaking(flow: Flow): Steps<void> {
    yield* this.#entering(flow)
    this.#end(BREAK)
    this.#exit()
  }

  *resetting(flow: Flow): Steps<void> {
    yield* this.#entering(flow)
    this.#end(RESET)
    this.#exit()
  }

  /** Looks whether somebody here has died. */
  *looking(flow: Flow): Steps<void> {
    yield* this.#entering(flow)
    this.#exit()
  }

  // ------------------------------------------------------------------ waiting

  *#waiting(flow: Flow, node: WaitNode, generation: number, way: Way): Steps<void> {
    let givenUp: GivenUp | undefined
    while (node.state !== FREE) {
      if (!this.isUpToDate) {
        yield* this.looking(flow)
        continue
      }
      let reason: GivenUp | undefined
      try {
        if ((yield node) === TIMEOUT) reason = { reason: outOfTime(way) }
      } catch (error) {
        reason = { reason: error }
      }
      if (reason === undefined) continue
      givenUp = reason
      if (yield* this.#breakingOff(flow, node)) {
        node.end()
        throw reason.reason
      }
      // All have arrived: what became of that is what counts now.
      node.interruptible = node.limited = false
    }
    const fate = read(this.#here.space.reach(node.index), node.index + FATE)
    // Still the same: who ended it is not through yet, or died over it, and the node is in its hands.
    if (load(this.#words, GENERATION) === generation) yield* this.looking(flow)
    node.end()
    if (givenUp?.reason instanceof InterruptedError) flow.interrupt() // it came too late for this wait
    if (fate !== TRIP) throw new BrokenBarrierError(REASONS)
  }

  /** Breaks the generation because one in it gives up; false if it is too late for that. */
  *#breakingOff(flow: Flow, node: WaitNode): Steps<boolean> {
    yield* this.#entering(flow)
    const inTime = node.state !== FREE && read(this.#words, TRIPPER) === 0
    if (inTime) this.#end(BREAK)
    this.#exit()
    return inTime
  }

  // ------------------------------------------------------------------ the guard

  *#entering(flow: Flow): Steps<void> {
    if (this.#take()) return
    yield* reacquiring(this.#inner, flow, this.#inner.enter(flow, EXCLUSIVE, false), () => this.#take())
  }

  /** Enters, but not while the action runs. */
  *#enteringFromOutside(flow: Flow, blocks: boolean): Steps<void> {
    if (this.#takeFromOutside()) return
    const node = this.#outer.enter(flow, EXCLUSIVE, false)
    const refuse = blocks ? () => this.#refuseToBlockOwnAction() : undefined
    yield* reacquiring(this.#outer, flow, node, () => this.#takeFromOutside(), refuse)
  }

  #takeFromOutside(): boolean {
    const tripper = load(this.#words, TRIPPER)
    if ((tripper !== 0 && this.#here.space.isAlive(tripper)) || !this.#take()) return false
    if (read(this.#words, TRIPPER) === 0) return true
    // Not as after a change: those outside, perhaps it is us, would only be woken for nothing.
    store(this.#words, GUARD, 0)
    this.#inner.wakeFirst()
    return false
  }

  /** Takes the guard, and looks who has died. */
  #take(): boolean {
    const { space, token } = this.#here
    if (!compareAndSet(this.#words, GUARD, 0, token)) {
      const holder = load(this.#words, GUARD)
      if (holder === 0 || space.isAlive(holder) || !compareAndSet(this.#words, GUARD, holder, token)) return false
      const ending = read(this.#words, ENDING)
      this.#end(ending === 0 ? BREAK : ending)
    }
    const { deaths } = space
    if (deaths === read(this.#words, DEATHS_SEEN)) return true
    if (this.#hasLostSomebody()) this.#end(BREAK)
    store(this.#words, DEATHS_SEEN, deaths)
    return true
  }

  /** Lets go of the guard; then wakes who is to be woken. */
  #exit(): void {
    const released = this.#released
    if (released.length > 0) this.#released = []
    store(this.#words, GUARD, 0)
    this.#inner.wakeFirst()
    this.#outer.wakeFirst()
    for (const { thread, node } of released.reverse()) this.#here.wake(thread, node)
  }

  // ------------------------------------------------------------------ generations; under the guard

  #complete(generation: number): number | Turn {
    if (this.hasAction) {
      store(this.#words, TRIPPER, this.#here.token)
      return { generation }
    }
    this.#end(TRIP)
    return 0
  }

  #takeSlot(position: number, node: number): void {
    const slot = SLOTS + position * SLOT.SIZE
    write(this.#words, slot + SLOT.NODE, node)
    write(this.#words, slot + SLOT.THREAD, this.#here.token)
    store(this.#words, ARRIVED, position + 1)
  }

  #end(how: number): void {
    const words = this.#words
    write(words, ENDING, how)
    for (let left = read(words, ARRIVED) - 1; left >= 0; left--) {
      this.#tell(left, how)
      store(words, ARRIVED, left)
    }
    store(words, TRIPPER, 0)
    store(words, BROKEN, how === BREAK ? 1 : 0)
    store(words, GENERATION, (read(words, GENERATION) + 1) | 0)
    write(words, ENDING, 0)
  }

  #tell(position: number, fate: number): void {
    const slot = SLOTS + position * SLOT.SIZE
    const node = read(this.#words, slot + SLOT.NODE)
    const thread = read(this.#words, slot + SLOT.THREAD)
    const words = this.#here.space.reach(node)
    // It may have been told before, by one who died after that. And if its own thread died too, the node may by now belong to
    // another one; asking in this order shows it, because a thread signs a node before it puts it to use.
    if (load(words, node + NODE.STATE) !== WAITING || load(words, node + NODE.THREAD) !== thread) return
    write(words, node + FATE, fate)
    store(words, node + NODE.STATE, FREE)
    this.#released.push({ thread, node })
  }

  #hasLostSomebody(): boolean {
    const { space } = this.#here
    const tripper = read(this.#words, TRIPPER)
    if (tripper !== 0 && !space.isAlive(tripper)) return true
    for (let position = read(this.#words, ARRIVED) - 1; position >= 0; position--) {
      if (!space.isAlive(read(this.#words, SLOTS + position * SLOT.SIZE + SLOT.THREAD))) return true
    }
    return false
  }

  // ------------------------------------------------------------------ waits that could never end

  #refuseToBlockAlone(): void {
    if (this.#memory.isShared) return
    throw new IllegalStateError(
      "This thread would block for ever: only its own flows know the barrier, and they stand still meanwhile. Await it instead, or share it with another thread",
    )
  }

  #refuseToBlockOwnAction(): void {
    if (load(this.#words, TRIPPER) !== this.#here.token) return
    throw new IllegalStateError(
      "This thread would block for ever: the action of the barrier runs in it, and stands still meanwhile. Use `await barrier.await()`",
    )
  }
}

function outOfTime({ timeout }: Way): TimeoutError {
  return new TimeoutError(`Not all have arrived at the barrier within ${timeout} ms; it is broken now`)
}
