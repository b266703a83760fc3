/** What other threads do in the tests of phasers. */
import { AtomicInteger } from "#src/atomic/index.js"
import { block, load } from "#src/memory/atomics.js"
import type { Shared } from "#src/memory/shared/shared-memory.js"
import { threadContext } from "#src/memory/thread/this-thread.js"
import { QUEUE } from "#src/memory/wait/wait-queue.js"
import { Phaser } from "#src/sync/index.js"
import assert from "node:assert/strict"
import type { Voice } from "../../support/workers.ts"
import { type Counts, countsOf, memoryOf } from "./phaser-support.ts"

/** What can be seen of it, and of the phasers above. */
export function look(shared: Shared): Counts[] {
  const seen: Counts[] = []
  for (let phaser: Phaser | undefined = Phaser.from(shared); phaser; phaser = phaser.parent) seen.push(countsOf(phaser))
  return seen
}

export function arrive(shared: Shared): number {
  return Phaser.from(shared).arrive()
}

export function register(shared: Shared): number {
  return new Phaser(shared).register()
}

/** Takes part in so many phases, blocking or awaiting, and counts its own work in each before it arrives. */
export async function work(shared: Shared, count: Shared, parties: number, phases: number, blocks: boolean) {
  const phaser = Phaser.from(shared)
  const done = AtomicInteger.from(count)
  for (let phase = 0; phase < phases; phase++) {
    done.incrementAndGet()
    const next = blocks ? phaser.arriveAndAwaitAdvanceSync() : await phaser.arriveAndAwaitAdvance()
    assert.equal(next, phase + 1)
    assert.ok(done.get() >= parties * (phase + 1), "the phase has ended before all had arrived")
  }
}

/** Comes and goes, so many times: each time it registers, takes part in a few phases and leaves. */
export async function comeAndGo(shared: Shared, times: number, blocks: boolean): Promise<void> {
  const phaser = Phaser.from(shared)
  for (let time = 0; time < times; time++) {
    let phase = phaser.register()
    assert.ok(phase >= 0)
    for (let round = time % 3; round > 0; round--) {
      const next = blocks ? phaser.arriveAndAwaitAdvanceSync() : await phaser.arriveAndAwaitAdvance()
      assert.equal(next, phase + 1)
      phase = next
    }
    assert.equal(phaser.arriveAndDeregister(), phase)
  }
}

/** Waits for the end of the phase in one of the ways there are, and tells what it got. */
export async function wait(this: Voice, shared: Shared, way: string, phase: number): Promise<number> {
  const phaser = Phaser.from(shared)
  this.say(threadContext().token)
  switch (way) {
    case "awaitAdvanceSync":
      return phaser.awaitAdvanceSync(phase)
    case "awaitAdvanceInterruptiblySync":
      return phaser.awaitAdvanceInterruptiblySync(phase)
    case "awaitAdvanceInterruptibly":
      return phaser.awaitAdvanceInterruptibly(phase)
    case "arriveAndAwaitAdvanceSync":
      return phaser.arriveAndAwaitAdvanceSync()
    case "arriveAndAwaitAdvance":
      return phaser.arriveAndAwaitAdvance()
    default:
      return phaser.awaitAdvance(phase)
  }
}

/** Whether somebody waits for the end of the phase. */
function isAwaited(phaser: Phaser): boolean {
  return load(memoryOf(phaser.root).words, QUEUE.HEAD) !== 0
}

class Slow extends Phaser {
  onEntry: () => void = () => undefined

  protected override onAdvance(): boolean {
    this.onEntry()
    while (!isAwaited(this)) block(1)
    return false
  }
}

/** Arrives last; `onAdvance` takes until somebody else waits for it. */
export function arriveSlowly(this: Voice, shared: Shared): number {
  const phaser = Slow.from(shared)
  phaser.onEntry = () => this.say("advancing")
  return phaser.arrive()
}

class Endless extends Phaser {
  onEntry: () => void = () => undefined

  protected override onAdvance(): boolean {
    ;(this.root as Endless).onEntry()
    for (;;) block(Infinity)
  }
}

/** Arrives last; `onAdvance` never returns. */
export function arriveForEver(this: Voice, shared: Shared): number {
  const phaser = Endless.from(shared)
  ;(phaser.root as Endless).onEntry = () => this.say("advancing")
  return phaser.arrive()
}

const seen: string[] = []

class Telling extends Phaser {
  protected override onAdvance(phase: number, parties: number): boolean {
    seen.push(`${this.constructor.name} ${phase} ${parties}`)
    return false
  }
}

class Made extends Telling {
  readonly #name: string

  constructor(shared: Shared, name: string) {
    super(shared)
    this.#name = name
  }

  protected override onAdvance(phase: number): boolean {
    seen.push(`${this.#name} ${phase}`)
    return false
  }
}

/** Arrives with subclasses, and tells what their `onAdvance` has seen in this thread. */
export function arriveAndTell(shared: Shared, times: number): string[] {
  const phaser = Telling.from(shared)
  for (let left = times; left > 0; left--) phaser.arrive()
  return seen
}

export function arriveAsMade(shared: Shared): string[] {
  new Made(shared, "made").arrive()
  return seen
}
