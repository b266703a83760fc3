/** A pool of platform threads whose tasks kill their threads, spin, fail and are cancelled at random. */
import { Executors, type Future, platformThreads } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually } from "../support/harness.ts"
import { requireMemoryLimits } from "../support/memory-limits.ts"
import { Dice, SEED, STRESS } from "../support/stress.ts"
import { requireTermination } from "../support/termination.ts"
import * as tasks from "./chaos-tasks.ts"

/** With `STRESS=400` a million tasks. */
const TASKS = 2500 * STRESS
const MOST_PENDING = 20_000

/** Of a thousand tasks. */
const KINDS = {
  exit: 1,
  devour: 1,
  throwLater: 1,
  spin: 1,
  fail: 60,
  cancel: 60,
  copy: 20,
  move: 20,
  later: 200,
} as const

const HARMLESS = { add: tasks.add, later: tasks.later, fail: tasks.fail } as const

/** Of what is copied or moved: more than goes through shared memory on the way back. */
const BYTES = 40_000

type Kind = keyof typeof KINDS | "add"

interface Submitted {
  readonly kind: Kind
  readonly index: number
  readonly future: Future<unknown>
}

class Chaos implements AsyncDisposable {
  readonly dice = new Dice(SEED)
  readonly pool = Executors.newFixedThreadPool(
    4,
    platformThreads({ terminateAfter: 5, resourceLimits: { maxOldGenerationSizeMb: 24 } }),
  )
  readonly settled: Uint8Array = new Uint8Array(TASKS)
  readonly wrong: string[] = []
  pending = 0

  submit(index: number): void {
    const kind = this.#pick()
    const future = this.#start(kind, index)
    this.pending++
    const submitted = { kind, index, future }
    void future.then(
      (value) => this.#end(submitted, value),
      (error: unknown) => this.#end(submitted, error),
    )
  }

  #pick(): Kind {
    let rest = this.dice.roll(1000)
    for (const [kind, share] of Object.entries(KINDS)) if ((rest -= share) < 0) return kind as Kind
    return "add"
  }

  #start(kind: Kind, index: number): Future<unknown> {
    const { pool, dice } = this
    switch (kind) {
      case "spin": {
        const future = pool.submit(tasks.spin)
        setTimeout(() => future.cancel(true), dice.roll(100))
        return future
      }
      case "cancel": {
        const future = pool.submit(tasks.add, index, 1)
        const cancel = (): boolean => future.cancel(dice.roll(2) === 0)
        if (dice.roll(2) === 0) cancel()
        else setImmediate(cancel)
        return future
      }
      case "copy":
        return pool.submit(tasks.copyBack, new Uint8Array(BYTES).fill(index))
      case "move": {
        const bytes = new Uint8Array(BYTES).fill(index)
        return pool.with({ transfer: [bytes.buffer] }).submit(tasks.moveBack, bytes)
      }
      case "exit":
        return pool.submit(tasks.exit)
      case "devour":
        return pool.submit(tasks.devour)
      case "throwLater":
        return pool.submit(tasks.throwLater)
      default:
        return pool.submit(HARMLESS[kind], index, 1)
    }
  }

  #end({ kind, index, future }: Submitted, outcome: unknown): void {
    this.pending--
    if ((this.settled[index] as number)++ > 0) this.wrong.push(`task ${index} was settled twice`)
    if (!this.#isRight(kind, index, future, outcome)) {
      this.wrong.push(`task ${index}, of kind ${kind}, ended as ${future.state}: ${String(outcome)}`)
    }
  }

  #isRight(kind: Kind, index: number, { state }: Future<unknown>, outcome: unknown): boolean {
    const { name, message } = (outcome ?? {}) as Error
    switch (kind) {
      case "add":
      case "later":
        return state === "success" && outcome === index + 1
      case "copy":
      case "move":
        return (
          outcome instanceof Uint8Array && outcome.length === BYTES && outcome.every((byte) => byte === index % 256)
        )
      case "fail":
        return state === "failed" && name === "RangeError" && message === `task ${index}`
      case "cancel":
        return state === "cancelled" || outcome === index + 1
      case "spin":
        return state === "cancelled"
      default:
        return state === "failed" && name === "ThreadDeathError"
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.pool.shutdownNow()
    await this.pool.awaitTermination()
  }
}

test("[PL19] many tasks, some of which are deadly", async () => {
  await requireMemoryLimits()
  await requireTermination()
  await using chaos = new Chaos()
  const { pool } = chaos
  for (let index = 0; index < TASKS; index++) {
    chaos.submit(index)
    if (chaos.pending >= MOST_PENDING) await pause(() => chaos.pending < MOST_PENDING / 2)
  }
  await pause(() => chaos.pending === 0)
  assert.deepEqual(chaos.wrong.slice(0, 20), [], `SEED=${SEED}`)
  assert.equal(
    chaos.settled.findIndex((times) => times !== 1),
    -1,
  )
  await eventually(() => pool.poolSize === 4 && pool.activeCount === 0)
  assert.deepEqual([pool.queue.size, pool.completedTaskCount], [0, TASKS])
  pool.shutdown()
  assert.equal(await pool.awaitTermination(), true)
  assert.equal(pool.poolSize, 0)
})

/** As long as it takes: with many tasks that is longer than tests usually wait. */
async function pause(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5))
}
