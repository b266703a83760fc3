/** Random operations of several tasks on a semaphore and on a model of it, which must agree at every moment. */
import * as fc from "fast-check"
import assert from "node:assert/strict"
import { test } from "node:test"
import { Semaphore } from "corepool"
import { turns } from "../../support/harness.ts"
import { type Call, Task } from "../lock/support.ts"

/** A larger number shows rarer things. */
const STRESS = Number(process.env["STRESS"] ?? 1)

const TASKS = 6

type Outcome = "waits" | "got" | "none" | "InterruptedError" | "AbortError" | "TimeoutError"

interface Step {
  readonly what: keyof typeof WEIGHTS
  readonly task: number
  readonly permits: number
  readonly priority: number
}

const WEIGHTS = {
  acquire: 20,
  acquireUninterruptibly: 6,
  acquireBriefly: 1,
  tryAcquire: 8,
  tryAcquireNow: 6,
  tryAcquireLong: 8,
  release: 30,
  reduce: 3,
  drain: 3,
  interrupt: 6,
  abort: 6,
} as const

const step: fc.Arbitrary<Step> = fc.record({
  what: fc.oneof(
    ...Object.entries(WEIGHTS).map(([what, weight]) => ({ arbitrary: fc.constant(what as Step["what"]), weight })),
  ),
  task: fc.nat(TASKS - 1),
  permits: fc.nat(3),
  priority: fc.constantFrom(0, 0, 0, 1, 2, -1),
})

interface Waiting {
  readonly task: number
  readonly permits: number
  readonly interruptible: boolean
  readonly priority: number
}

/** Permits, and a line of those who wait: what a semaphore is, in as few words as possible. */
class Model {
  permits: number
  readonly line: Waiting[] = []
  readonly outcomes: Outcome[] = Array.from({ length: TASKS }, () => "none")
  readonly raised: boolean[] = Array.from({ length: TASKS }, () => false)
  readonly #fair: boolean

  constructor(permits: number, fair: boolean) {
    this.permits = permits
    this.#fair = fair
  }

  isWaiting(task: number): boolean {
    return this.outcomes[task] === "waits"
  }

  /** Takes them, whoever waits. */
  take(task: number, permits: number): void {
    const enough = this.permits >= permits
    if (enough) this.permits -= permits
    this.outcomes[task] = enough ? "got" : "none"
  }

  acquire({ task, permits, priority }: Step, interruptible: boolean, waits: boolean): void {
    if (interruptible && this.raised[task] === true) {
      this.raised[task] = false
      this.outcomes[task] = "InterruptedError"
    } else if (this.permits >= permits && !(this.#fair && this.line.length > 0)) this.take(task, permits)
    else if (waits) {
      this.outcomes[task] = "waits"
      const behind = this.line.findIndex((one) => one.priority < priority)
      this.line.splice(behind === -1 ? this.line.length : behind, 0, { task, permits, interruptible, priority })
      if (behind === 0) this.serve()
    } else this.outcomes[task] = "none"
  }

  change(by: number): void {
    this.permits += by
    if (by > 0) this.serve()
  }

  interrupt(task: number): void {
    const waiter = this.line.find((one) => one.task === task)
    if (waiter?.interruptible === true) this.giveUp(task, "InterruptedError")
    else this.raised[task] = true
  }

  giveUp(task: number, outcome: Outcome): void {
    const place = this.line.findIndex((one) => one.task === task)
    if (place === -1) return
    this.line.splice(place, 1)
    this.outcomes[task] = outcome
    if (place === 0) this.serve()
  }

  serve(): void {
    for (let first = this.line[0]; first !== undefined && first.permits <= this.permits; first = this.line[0]) {
      this.line.shift()
      this.take(first.task, first.permits)
    }
  }
}

class Run {
  readonly #semaphore: Semaphore
  readonly #model: Model
  readonly #tasks = Array.from({ length: TASKS }, () => new Task())
  readonly #calls: (Call<unknown> | undefined)[] = []
  readonly #controllers: (AbortController | undefined)[] = []

  constructor(permits: number, fair: boolean) {
    this.#semaphore = new Semaphore(permits, { fair })
    this.#model = new Model(permits, fair)
  }

  async all(steps: readonly Step[]): Promise<void> {
    for (const next of steps) {
      await this.#perform(next)
      await turns(1)
      this.#compare(next)
    }
    this.#tasks.forEach((task) => task.interrupt())
    this.#semaphore.drainPermits()
    this.#semaphore.release(1000) // those who cannot be interrupted
    await turns(1)
    assert.equal(this.#semaphore.queueLength, 0)
  }

  async #perform(next: Step): Promise<void> {
    const { what, task, permits } = next
    const [semaphore, model, actor] = [this.#semaphore, this.#model, this.#tasks[task] as Task]
    switch (what) {
      case "release":
        semaphore.release(permits)
        model.change(permits)
        return
      case "reduce":
        semaphore.reducePermits(permits)
        model.change(-permits)
        return
      case "drain": {
        assert.equal(semaphore.drainPermits(), model.permits)
        model.change(-model.permits)
        return
      }
      case "interrupt":
        actor.interrupt()
        model.interrupt(task)
        return
      case "abort":
        this.#controllers[task]?.abort()
        if (this.#controllers[task] !== undefined) model.giveUp(task, "AbortError")
        return
      default:
        if (!model.isWaiting(task)) await this.#acquire(next)
    }
  }

  async #acquire(next: Step): Promise<void> {
    const { what, task, permits, priority } = next
    const [semaphore, model, actor] = [this.#semaphore, this.#model, this.#tasks[task] as Task]
    this.#controllers[task] = undefined
    const call = (body: () => Promise<unknown>): void => void (this.#calls[task] = actor.call(body))
    switch (what) {
      case "tryAcquire":
        call(() => Promise.resolve(semaphore.tryAcquire(permits)))
        model.take(task, permits)
        return
      case "tryAcquireNow":
        call(() => semaphore.tryAcquire(permits, { timeout: 0, priority }))
        model.acquire(next, true, false)
        return
      case "acquireUninterruptibly":
        call(() => semaphore.acquireUninterruptibly(permits, { priority }))
        model.acquire(next, false, true)
        return
      case "acquireBriefly": {
        call(() => semaphore.acquire(permits, { timeout: 1, priority }))
        model.acquire(next, true, true)
        if (!model.isWaiting(task)) return
        while (this.#calls[task]?.isPending === true) await turns(1)
        model.giveUp(task, "TimeoutError")
        return
      }
      default: {
        const controller = new AbortController()
        this.#controllers[task] = controller
        const { signal } = controller
        if (what === "acquire") call(() => semaphore.acquire(permits, { signal, priority }))
        else call(() => semaphore.tryAcquire(permits, { signal, timeout: 60_000, priority }))
        model.acquire(next, true, true)
        return
      }
    }
  }

  #compare(last: Step): void {
    const [semaphore, model] = [this.#semaphore, this.#model]
    const after = `after ${JSON.stringify(last)}`
    assert.equal(semaphore.availablePermits, model.permits, after)
    assert.deepEqual(
      semaphore.queuedThreads.map(({ id }) => id),
      model.line.map(({ task }) => this.#tasks[task]?.flow.id),
      after,
    )
    const outcomes = this.#tasks.map((_, task) => outcomeOf(this.#calls[task]))
    assert.deepEqual(outcomes, model.outcomes, after)
    assert.deepEqual(
      this.#tasks.map((task) => task.isInterrupted),
      model.raised,
      after,
    )
  }
}

function outcomeOf(call: Call<unknown> | undefined): Outcome {
  if (call === undefined) return "none"
  if (call.isPending) return "waits"
  if (call.state === "rejected") return (call.reason as Error).name as Outcome
  return call.value === false ? "none" : "got"
}

for (const fair of [false, true]) {
  // Forty runs of 250 operations for each kind.
  test(`[SM21][SM38] a semaphore does what its model does: ${fair ? "fair" : "not fair"}`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: -2, max: 4 }),
        fc.array(step, { minLength: 250, maxLength: 250 }),
        (permits, steps) => new Run(permits, fair).all(steps),
      ),
      { numRuns: 40 * STRESS },
    )
  })
}
