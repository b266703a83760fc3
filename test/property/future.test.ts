/**
 * Random interleavings of everything that can be done to one FutureTask. After each step the task is compared with
 * what must be true whatever came before; in the end everybody who waited must have been served.
 */
import { CancellationError, InterruptedError, Thread, TimeoutError, virtualThreads } from "corepool"
import * as fc from "fast-check"
import assert from "node:assert/strict"
import { test } from "node:test"
import { OpenTask } from "../spec/future/open-task.ts"
import { Gate, turns } from "../support/harness.ts"

const OPERATIONS_PER_RUN = 50
const RUNS = 200

type Outcome = { readonly value: unknown } | { readonly error: unknown } | "cancelled"

interface Getter {
  readonly thread: Thread
  /** Whether the task was done when the getter came. */
  readonly late: boolean
  limited: boolean
  interrupted: boolean
  result: PromiseSettledResult<unknown> | undefined
}

/** One task, those who wait for it, and what is known of it. */
class Trial {
  readonly #bodies: Gate[] = []
  readonly #getters: Getter[] = []
  readonly #runs: Promise<unknown>[] = []
  readonly #factory = virtualThreads()
  #values = 0
  /** The first outcome that was seen. */
  #outcome: Outcome | undefined
  readonly #task = new OpenTask<unknown>(() => this.#body())
  /** How the next bodies behave. */
  bodyKind: "immediate" | "throwing" | "waiting" | "stubborn" = "immediate"

  #body(): unknown {
    if (this.bodyKind === "immediate") return ++this.#values
    if (this.bodyKind === "throwing") throw new Error(`body ${++this.#values}`)
    const gate = new Gate()
    this.#bodies.push(gate)
    return this.bodyKind === "waiting" ? gate.interruptible() : gate.body()
  }

  /** Every run has a thread of its own, so that cancel(true) interrupts that and nothing else. */
  #onThread(body: () => unknown): void {
    const thread = this.#factory.newThread(() => {
      const run = (async () => body())()
      run.catch(() => undefined) // looked at in the end
      this.#runs.push(run)
    })
    assert.ok(thread)
    thread.start()
  }

  run(): void {
    this.#onThread(() => this.#task.run())
  }

  runAndReset(): void {
    this.#onThread(() => {
      const wasDone = this.#task.isDone
      const again = this.#task.runAndReset()
      if (wasDone) assert.equal(again, false)
      if (this.#task.isDone) assert.notEqual(again, true)
      return again
    })
  }

  set(): void {
    const value = ++this.#values
    this.#completes({ value }, () => this.#task.set(value))
  }

  setException(): void {
    const error = new Error(`set ${++this.#values}`)
    this.#completes({ error }, () => this.#task.setException(error))
  }

  cancel(mayInterrupt: boolean): void {
    const first = !this.#task.isDone
    this.#completes("cancelled", () => assert.equal(this.#task.cancel(mayInterrupt), first))
  }

  /** A call that completes the task with this outcome, unless it is done already. */
  #completes(outcome: Outcome, call: () => void): void {
    const first = !this.#task.isDone
    call()
    assert.equal(this.#task.isDone, true)
    if (first) assert.deepEqual(this.#observed(), outcome)
  }

  get(limit: number | undefined): void {
    const thread = this.#factory.newThread(async () => {
      const [result] = await Promise.allSettled([this.#task.get(limit)])
      getter.result = result
    })
    assert.ok(thread)
    const getter: Getter = {
      thread,
      late: this.#task.isDone,
      limited: limit !== undefined,
      interrupted: false,
      result: undefined,
    }
    this.#getters.push(getter)
    thread.start()
  }

  interrupt(which: number): void {
    const getter = this.#getters[which % Math.max(this.#getters.length, 1)]
    if (getter === undefined) return
    getter.interrupted = true
    getter.thread.interrupt()
  }

  /** Lets the oldest body that still runs end. */
  release(well: boolean): void {
    const gate = this.#bodies.shift()
    if (well) gate?.open(++this.#values)
    else gate?.fail(new Error(`gate ${++this.#values}`))
  }

  /** What must be true at any time. */
  check(): void {
    assert.equal(this.#task.doneCount, this.#task.isDone ? 1 : 0)
    const observed = this.#observed()
    if (this.#outcome !== undefined) assert.deepEqual(observed, this.#outcome, "the outcome changed")
    this.#outcome = observed
  }

  /** Ends whatever still runs, and looks at who got what. */
  async end(): Promise<void> {
    for (const gate of this.#bodies) gate.open("end")
    await turns(4)
    this.cancel(false)
    this.check()
    await turns(4)
    await Promise.all(this.#runs)
    for (const getter of this.#getters) {
      assert.ok(getter.result !== undefined, "a getter was never served")
      this.#judge(getter, getter.result)
    }
    this.check()
  }

  #judge(getter: Getter, result: PromiseSettledResult<unknown>): void {
    const reason: unknown = (result as PromiseRejectedResult).reason
    const broken = reason instanceof InterruptedError && (this.#outcome as { error?: unknown }).error !== reason
    if (broken) assert.ok(getter.interrupted && !getter.late)
    else if (reason instanceof TimeoutError) assert.ok(getter.limited && !getter.late)
    else if (result.status === "fulfilled") assert.deepEqual({ value: result.value }, this.#outcome)
    else if (reason instanceof CancellationError) assert.equal(this.#outcome, "cancelled")
    else assert.equal(reason, (this.#outcome as { error: unknown }).error)
  }

  #observed(): Outcome | undefined {
    switch (this.#task.state) {
      case "running":
        return undefined
      case "success":
        return { value: this.#task.resultNow() }
      case "failed":
        return { error: this.#task.exceptionNow() }
      case "cancelled":
        return "cancelled"
    }
  }
}

type Step = (trial: Trial) => unknown

function step(name: string, take: Step): Step {
  return Object.assign(take, { [fc.toStringMethod]: () => name })
}

/** Completions are rare, so that much can happen before; after one nothing may change any more. */
const steps = fc.oneof(
  { weight: 6, arbitrary: fc.constant(step("run", (trial) => trial.run())) },
  { weight: 6, arbitrary: fc.constant(step("runAndReset", (trial) => trial.runAndReset())) },
  { weight: 1, arbitrary: fc.constant(step("set", (trial) => trial.set())) },
  { weight: 1, arbitrary: fc.constant(step("setException", (trial) => trial.setException())) },
  {
    weight: 1,
    arbitrary: fc.boolean().map((may) => step(`cancel(${may})`, (trial) => trial.cancel(may))),
  },
  { weight: 8, arbitrary: fc.constant(step("get()", (trial) => trial.get(undefined))) },
  {
    weight: 6,
    arbitrary: fc.constantFrom(0, -1, 0.01, 60_000).map((ms) => step(`get(${ms})`, (trial) => trial.get(ms))),
  },
  { weight: 6, arbitrary: fc.nat(100).map((n) => step(`interrupt ${n}`, (trial) => trial.interrupt(n))) },
  { weight: 6, arbitrary: fc.boolean().map((well) => step(`release ${well}`, (trial) => trial.release(well))) },
  {
    weight: 6,
    arbitrary: fc
      .constantFrom("immediate", "throwing", "waiting", "stubborn", "waiting", "stubborn")
      .map((kind) => step(`body ${kind}`, (trial) => (trial.bodyKind = kind))),
  },
  { weight: 8, arbitrary: fc.constant(step("turn", () => turns(1))) },
)

test("[FT15] whatever is done in whatever order, a task is completed once and all who got an outcome got the same", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(steps, { minLength: OPERATIONS_PER_RUN, maxLength: OPERATIONS_PER_RUN, size: "max" }),
      async (taken) => {
        const trial = new Trial()
        for (const take of taken) {
          await take(trial)
          trial.check()
        }
        await trial.end()
      },
    ),
    { numRuns: RUNS },
  )
})
