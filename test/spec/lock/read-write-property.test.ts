/** The lock beside its model, doing the same. */
import { ReentrantReadWriteLock } from "#src/lock/index.js"
import type { WaitOptions } from "#src/memory/flow/waiting.js"
import fc from "fast-check"
import assert from "node:assert/strict"
import { test } from "node:test"
import { setImmediate as turn } from "node:timers/promises"
import { type Manner, type Mode, type Outcome, ReadWriteModel } from "./read-write-model.ts"
import { insideOf, waitersOf } from "./read-write-support.ts"
import { Task, tasks } from "./support.ts"

const STRESS = Number(process.env["STRESS"] ?? 1)
const RUNS = 160 * STRESS
const LENGTH = 100
const TASKS = 5

type Step =
  | { readonly do: "ask"; readonly by: number; readonly mode: Mode; readonly manner: Manner }
  | { readonly do: "unlock"; readonly by: number; readonly mode: Mode }
  | { readonly do: "await" | "signal" | "signalAll" | "interrupt" | "abort"; readonly by: number }

const someone = fc.nat({ max: TASKS - 1 })
const mode = fc.constantFrom<Mode[]>("read", "read", "write")
const manner = fc.constantFrom<Manner[]>("lock", "interruptibly", "zero", "barging")
const anything: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant("ask" as const), by: someone, mode, manner }) },
  { weight: 7, arbitrary: fc.record({ do: fc.constant("unlock" as const), by: someone, mode }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom("await", "signal", "signalAll", "interrupt", "abort"), by: someone }),
  },
)

class World {
  readonly lock: ReentrantReadWriteLock
  readonly model: ReadWriteModel
  readonly #condition
  readonly #tasks = tasks(TASKS)
  readonly #aborts = new Map<number, AbortController>()
  readonly #outcomes = new Map<number, Outcome>()
  steps = 0

  constructor(fair: boolean) {
    this.lock = new ReentrantReadWriteLock({ fair })
    this.model = new ReadWriteModel(fair)
    this.#condition = this.lock.writeLock.newCondition()
  }

  /** Does the same to both. A task that waits can only be interrupted, or its wait aborted. */
  async take(step: Step): Promise<void> {
    const { model } = this
    const task = this.#tasks[step.by] as Task
    if (step.do === "interrupt") {
      model.interrupt(step.by)
      task.interrupt()
    } else if (step.do === "abort") {
      model.abort(step.by)
      this.#aborts.get(step.by)?.abort()
    } else {
      if (model.isBusy(step.by)) return
      model.outcomes.delete(step.by)
      this.#outcomes.delete(step.by)
      if (step.do === "ask") model.ask(step.by, step.mode, step.manner)
      else if (step.do === "unlock") model.unlock(step.by, step.mode)
      else if (step.do === "await") model.awaitSignal(step.by)
      else model.signal(step.by, step.do === "signalAll")
      this.#call(step.by, step, task)
    }
    this.steps++
    await turn()
    this.#compare()
  }

  #call(by: number, step: Step, task: Task): void {
    const controller = new AbortController()
    this.#aborts.set(by, controller)
    task
      .do(async () => await this.#perform(step, { signal: controller.signal }))
      .then(
        (value) => this.#outcomes.set(by, value !== false),
        (error: unknown) => this.#outcomes.set(by, (error as Error).name as Outcome),
      )
  }

  async #perform(step: Step, wait: Exclude<WaitOptions, number>): Promise<unknown> {
    switch (step.do) {
      case "ask": {
        const lock = step.mode === "read" ? this.lock.readLock : this.lock.writeLock
        if (step.manner === "barging") return lock.tryLock()
        if (step.manner === "zero") return await lock.tryLock({ ...wait, timeout: 0 })
        return await (step.manner === "lock" ? lock.lock(wait) : lock.lockInterruptibly(wait))
      }
      case "unlock":
        ;(step.mode === "read" ? this.lock.readLock : this.lock.writeLock).unlock()
        return true
      case "await":
        return await this.#condition.await(wait)
      case "signal":
        this.#condition.signal()
        return true
      default:
        this.#condition.signalAll()
        return true
    }
  }

  #compare(): void {
    const { lock, model } = this
    const seen = {
      outcomes: this.#outcomes,
      reads: this.#tasks.map((task) => task.do(() => lock.readHoldCount)),
      writes: this.#tasks.map((task) => task.do(() => lock.writeHoldCount)),
      // An interrupt that came too late for a wait is put aside until the wait is over.
      raised: this.#tasks.map((task, number) => !model.isBusy(number) && task.isInterrupted),
      counts: [lock.readLockCount, lock.isWriteLocked, lock.queueLength],
      writer: this.#numberOf(insideOf(lock).writer()?.flow),
      line: waitersOf(lock).map(({ flow }) => this.#numberOf(flow)),
    }
    assert.deepEqual(seen, {
      outcomes: model.outcomes,
      reads: this.#tasks.map((_, task) => model.readsOf(task)),
      writes: this.#tasks.map((_, task) => (model.writer === task ? model.writes : 0)),
      raised: this.#tasks.map((_, task) => !model.isBusy(task) && model.raised.has(task)),
      counts: [model.readCount, model.writer !== undefined, model.line.length],
      writer: model.writer,
      line: model.line.map(({ task }) => task),
    })
  }

  #numberOf(flow: number | undefined): number | undefined {
    const index = this.#tasks.findIndex((task) => task.flow.id === flow)
    return index < 0 ? undefined : index
  }

  /** Nobody waits any more in the end. */
  finish(): void {
    for (const controller of this.#aborts.values()) controller.abort()
  }
}

for (const fair of [false, true]) {
  test(`[RW40] whatever tasks do, it is as the rules say (${fair ? "fair" : "not fair"})`, async () => {
    let taken = 0
    await fc.assert(
      fc.asyncProperty(fc.array(anything, { minLength: LENGTH / 2, maxLength: LENGTH }), async (steps) => {
        const world = new World(fair)
        try {
          for (const next of steps) await world.take(next)
        } finally {
          world.finish()
          taken += world.steps
        }
      }),
      { numRuns: RUNS },
    )
    assert.ok(taken >= 5000, `only ${taken} steps`)
  })
}
