/** Delayed tasks and series on four platform threads that are cancelled at random, and whose threads die. */
import { platformThreads, type ScheduledFuture, ScheduledThreadPoolExecutor } from "corepool"
import { sharedNow } from "#src/time/shared-clock.js"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually } from "../support/harness.ts"
import { Dice, SEED, STRESS } from "../support/stress.ts"
import { requireTermination } from "../support/termination.ts"
import * as tasks from "./schedule-tasks.ts"
import { WORD } from "./schedule-tasks.ts"

const TASKS = 600 * STRESS
const MOST_PENDING = 400

/** Of a thousand tasks; the others just run. */
const KINDS = { die: 6, spin: 4, fail: 60, runLater: 300 } as const
type Kind = keyof typeof KINDS | "run"

const BODIES: Readonly<Record<Kind, (...args: never[]) => unknown>> = {
  die: tasks.die,
  spin: tasks.spin,
  fail: tasks.fail,
  runLater: tasks.runLater,
  run: tasks.run,
}

type Way = "once" | "rate" | "delay"

interface Submitted {
  readonly kind: Kind
  readonly way: Way
  readonly at: number
  readonly future: ScheduledFuture<unknown>
  /** It is going to be cancelled, and perhaps in time. */
  readonly isCancelled: boolean
}

class Chaos implements AsyncDisposable {
  readonly dice = new Dice(SEED)
  readonly pool = new ScheduledThreadPoolExecutor({
    corePoolSize: 4,
    threadFactory: platformThreads({ terminateAfter: 5 }),
  })
  readonly words = new Int32Array(new SharedArrayBuffer(TASKS * WORD.SIZE * 4))
  readonly wrong: string[] = []
  pending = 0
  settled = 0

  schedule(index: number): void {
    const kind = this.#pick()
    const way = (["once", "once", "rate", "delay"] as const)[this.dice.roll(4)] as Way
    const at = index * WORD.SIZE
    const delay = this.dice.roll(200) / 10 - 1
    const period = way === "once" ? 0 : 0.1 + this.dice.roll(50) / 10
    const times = { first: sharedNow() + delay, period }
    const { pool, words } = this
    const future =
      way === "once"
        ? pool.schedule<never[], unknown>(BODIES[kind], delay, ...([words, at, times] as never[]))
        : pool[way === "rate" ? "scheduleAtFixedRate" : "scheduleWithFixedDelay"]<never[]>(
            BODIES[kind],
            delay,
            period,
            ...([words, at, times] as never[]),
          )
    const isEndless = way !== "once" && (kind === "run" || kind === "runLater")
    const isCancelled = isEndless || kind === "spin" || this.dice.roll(8) === 0
    if (isCancelled) setTimeout(() => future.cancel(kind === "spin" || this.dice.roll(2) === 0), this.dice.roll(60))
    this.pending++
    const submitted = { kind, way, at, future, isCancelled }
    void future.then(
      (value) => this.#end(submitted, value),
      (error: unknown) => this.#end(submitted, error),
    )
  }

  #pick(): Kind {
    let rest = this.dice.roll(1000)
    for (const [kind, share] of Object.entries(KINDS)) if ((rest -= share) < 0) return kind as Kind
    return "run"
  }

  #end(submitted: Submitted, outcome: unknown): void {
    this.pending--
    this.settled++
    const { kind, way, at, future } = submitted
    if (!this.#isRight(submitted, outcome)) {
      this.wrong.push(`${kind} ${way} ${at / WORD.SIZE} ended as ${future.state}: ${String(outcome)}`)
    }
  }

  #isRight({ kind, way, at, future, isCancelled }: Submitted, outcome: unknown): boolean {
    const { state } = future
    const { name, message } = (outcome ?? {}) as Error
    if (state === "cancelled") return isCancelled
    const runs = this.words[at + WORD.RUNS] as number
    switch (kind) {
      case "die":
        return name === "ThreadDeathError" && message.includes("exit code 7") && runs === (way === "once" ? 1 : 3)
      case "fail":
        return name === "RangeError" && message === "own" && runs === (way === "once" ? 1 : 4)
      case "spin":
        return false
      default:
        return way === "once" && state === "success" && outcome === 1 && runs === 1
    }
  }

  /** What the tasks themselves have seen. */
  findings(): string[] {
    const found: string[] = []
    for (let at = 0; at < this.words.length; at += WORD.SIZE) {
      const [early, clashes] = [this.words[at + WORD.EARLY] as number, this.words[at + WORD.CLASHES] as number]
      if (early + clashes > 0)
        found.push(`task ${at / WORD.SIZE}: ${early} times early, ${clashes} times twice at once`)
    }
    return found
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.pool.shutdownNow()
    await this.pool.awaitTermination()
  }
}

for (const removeOnCancel of [false, true]) {
  test(`[SP10] delayed tasks and series, cancelled at random, on threads that die; removeOnCancel ${removeOnCancel}`, async () => {
    await requireTermination()
    await using chaos = new Chaos()
    const { pool } = chaos
    pool.removeOnCancel = removeOnCancel
    for (let index = 0; index < TASKS; index++) {
      chaos.schedule(index)
      if (chaos.pending >= MOST_PENDING) await eventually(() => chaos.pending < MOST_PENDING / 2)
    }
    await eventually(() => chaos.pending === 0)
    assert.deepEqual(chaos.wrong.slice(0, 20), [], `SEED=${SEED}`)
    assert.deepEqual(chaos.findings(), [], `SEED=${SEED}`)
    assert.equal(chaos.settled, TASKS)
    // What was cancelled waits until its time has come.
    await eventually(() => pool.queue.size === 0 && pool.activeCount === 0 && pool.poolSize === 4)
    pool.shutdown()
    assert.equal(await pool.awaitTermination(), true)
  })
}
