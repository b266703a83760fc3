import { type Condition, ReentrantLock } from "corepool"
import fc from "fast-check"
import assert from "node:assert/strict"
import { test } from "node:test"
import { setImmediate as turn } from "node:timers/promises"
import { Call, syncOf, Task, waitersOn } from "../spec/lock/support.ts"
import { LockModel, type Outcome } from "./lock-model.ts"

const TASKS = 4
const CONDITIONS = 2

/** Runs × operations. */
const RUNS = 150 * Number(process.env["STRESS"] ?? 1)
const LENGTH = 100

const OPERATIONS = [
  "lock",
  "lockInterruptibly",
  "tryLock",
  "tryLockWithin0",
  "unlock",
  "unlock",
  "await",
  "awaitUninterruptibly",
  "await0",
  "signal",
  "signalAll",
  "interrupt",
  "abort",
] as const

interface Operation {
  readonly name: (typeof OPERATIONS)[number]
  /** Which of those that can do it, round and round. */
  readonly task: number
  readonly condition: number
  /** Whether to let everybody go on, and look around, before the next one. */
  readonly look: boolean
}

const operation: fc.Arbitrary<Operation> = fc.record({
  name: fc.constantFrom(...OPERATIONS),
  task: fc.nat(99),
  condition: fc.nat(CONDITIONS - 1),
  look: fc.boolean(),
})

/** A task and its last call. */
class Actor extends Task {
  controller = new AbortController()
  last: Call<Outcome> = new Call(Promise.resolve(true))

  act(body: (signal: AbortSignal) => Promise<Outcome>): void {
    this.controller = new AbortController()
    this.last = this.call(() => body(this.controller.signal))
  }

  /** What came of its last call; undefined while it waits. */
  get outcome(): Outcome | undefined {
    if (this.last.state === "rejected") return (this.last.reason as Error).name
    return this.last.value
  }
}

class World {
  readonly lock: ReentrantLock
  readonly conditions: readonly Condition[]
  readonly actors = Array.from({ length: TASKS }, () => new Actor())
  readonly model: LockModel

  constructor(fair: boolean) {
    this.model = new LockModel(TASKS, CONDITIONS, fair)
    this.lock = new ReentrantLock({ fair })
    this.conditions = Array.from({ length: CONDITIONS }, () => this.lock.newCondition())
  }

  async perform({ name, task, condition, look }: Operation): Promise<void> {
    const anybody = name === "interrupt" || name === "abort"
    const able = this.actors.flatMap((_, index) => (anybody || !this.model.isWaiting(index) ? [index] : []))
    const chosen = able[task % able.length]
    if (chosen === undefined) return
    this.#do(name, chosen, condition)
    if (!look) return
    await turn()
    this.check()
  }

  #do(name: Operation["name"], task: number, index: number): void {
    const { lock, model } = this
    const actor = this.actors[task] as Actor
    const condition = this.conditions[index] as Condition
    switch (name) {
      case "lock":
      case "lockInterruptibly":
        actor.act(async (signal) => {
          await lock[name]({ signal })
          return "locked"
        })
        model[name](task)
        break
      case "tryLock":
        actor.act(async () => lock.tryLock())
        model.tryLock(task)
        break
      case "tryLockWithin0":
        actor.act((signal) => lock.tryLock({ signal, timeout: 0 }))
        model.tryLockWithin0(task)
        break
      case "unlock":
        actor.act(async () => {
          lock.unlock()
          return true
        })
        model.unlock(task)
        break
      case "await":
      case "awaitUninterruptibly":
        actor.act((signal) => condition[name]({ signal }))
        model.await(task, index, name === "await")
        break
      case "await0":
        actor.act(() => condition.await(0))
        model.await0(task)
        break
      case "signal":
      case "signalAll":
        actor.act(async () => {
          condition[name]()
          return true
        })
        model.signal(task, index, name === "signalAll")
        break
      case "interrupt":
        actor.interrupt()
        model.interrupt(task)
        break
      case "abort":
        actor.controller.abort()
        model.abort(task)
        break
    }
  }

  /** Compares everything that can be seen. */
  check(): void {
    const { lock, model, actors } = this
    const indexOf = (flow: number): number => actors.findIndex((actor) => actor.flow.id === flow)
    const holder = syncOf(lock).holder()
    assert.deepEqual(
      {
        owner: holder === undefined ? undefined : indexOf(holder.flow),
        holds: holder?.holds ?? 0,
        queue: lock.queuedThreads.map(({ id }) => indexOf(id)),
        queueLength: lock.queueLength,
        conditions: this.conditions.map((condition) => waitersOn(condition).map(indexOf)),
        outcomes: actors.map((actor) => actor.outcome),
        raised: actors.map((actor) => actor.outcome !== undefined && actor.isInterrupted),
        holdCounts: actors.map((actor) => actor.do(() => lock.holdCount)),
      },
      {
        owner: model.owner,
        holds: model.holds,
        queue: model.queue.map(({ task }) => task),
        queueLength: model.queue.length,
        conditions: model.conditions.map((waiters) => waiters.map(({ task }) => task)),
        outcomes: model.outcomes,
        raised: model.raised.map((raised, task) => raised && !model.isWaiting(task)),
        holdCounts: actors.map((_, task) => (task === model.owner ? model.holds : 0)),
      },
    )
  }
}

test("[LK28] a lock and its conditions do what a simple model says", async () => {
  let performed = 0
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.array(operation, { minLength: LENGTH, maxLength: LENGTH }),
      async (fair, operations) => {
        const world = new World(fair)
        for (const each of operations) await world.perform(each)
        await turn()
        world.check()
        performed += operations.length
      },
    ),
    { numRuns: RUNS },
  )
  assert.ok(performed >= 10_000)
})
