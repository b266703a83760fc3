/**
 * Executors under random treatment: tasks of all tempers, given directly and through views, one by one and in bulk,
 * cancelled, aborted and timed out in any order. In the end every future has settled, once, and nothing is left
 * anywhere.
 */
import {
  ArrayBlockingQueue,
  type Callable,
  DiscardOldestPolicy,
  ExecutorCompletionService,
  type ExecutorService,
  type Future,
  FutureTask,
  PriorityBlockingQueue,
  RejectedExecutionError,
  SynchronousQueue,
  type TaskOptions,
  Thread,
  ThreadPoolExecutor,
  type ThreadPoolOptions,
} from "corepool"
import * as fc from "fast-check"
import assert from "node:assert/strict"
import test from "node:test"
import { ThreadPerTaskExecutor } from "#src/pool/thread-per-task-executor.js"
import { Lab, listeners, SerialExecutor } from "../spec/executor/support.ts"
import { CountedTimers } from "../support/counted-timers.ts"
import { eventually, Gate, turns } from "../support/harness.ts"

/** 50 runs of 200 operations: ten thousand. */
const RUNS = 50
const OPERATIONS = 200

/** A future that counts how often it was completed. */
class Counted<T> extends FutureTask<T> {
  ended = 0
  protected override done(): void {
    this.ended++
  }
}

/** What is open in one run, and what was made. */
class Scene {
  readonly made: Counted<unknown>[] = []
  readonly futures: Future<unknown>[] = []
  readonly signals: AbortSignal[] = []
  readonly executor: ExecutorService
  readonly queue: () => number
  readonly #service: ExecutorCompletionService<unknown>
  readonly #prioritized: boolean
  #controller = this.#newController()
  #gate = new Gate()
  /** What was begun and must come to an end, good or bad. */
  readonly #pending: Promise<unknown>[] = []

  constructor(kind: Kind, lab: Lab) {
    const newTaskFor = <T>(callable: Callable<T>): FutureTask<T> => {
      const task = new Counted(callable)
      this.made.push(task)
      return task
    }
    const { executor, queue, prioritized } = KINDS[kind](lab, newTaskFor)
    this.executor = executor
    this.queue = queue
    this.#prioritized = prioritized ?? false
    this.#service = new ExecutorCompletionService(this.#view("plain"))
  }

  #newController(): AbortController {
    const controller = new AbortController()
    this.signals.push(controller.signal)
    return controller
  }

  #view(name: ViewName, priority = 0): ExecutorService {
    const { signal } = this.#controller
    const view = this.#prioritized ? this.executor.with({ priority }) : this.executor
    const options: Record<ViewName, TaskOptions | undefined> = {
      plain: undefined,
      signal: { signal },
      timeout: { timeout: 1 },
      queueTimeout: { queueTimeout: 1, name: "queued" },
      everything: { signal, timeout: 1, queueTimeout: 2, name: "everything" },
    }
    const chosen = options[name]
    return chosen === undefined ? view : view.with({ name: "outer" }).with(chosen)
  }

  #body(temper: Temper): Callable<unknown> {
    const tempers: Record<Temper, Callable<unknown>> = {
      quick: () => "quick",
      failing: () => Promise.reject(new Error("failing")),
      slow: () => turns(2),
      napping: () => Thread.sleep(1),
      obedient: () => Thread.sleep(Infinity),
      stubborn: this.#gate.body,
    }
    return tempers[temper]
  }

  async perform(operation: Operation): Promise<void> {
    try {
      await this.#perform(operation)
    } catch (error) {
      if (!(error instanceof RejectedExecutionError)) throw error
    }
  }

  async #perform(operation: Operation): Promise<void> {
    switch (operation.do) {
      case "submit":
        this.futures.push(this.#view(operation.view, operation.number).submit(this.#body(operation.temper)))
        return
      case "execute":
        this.#view(operation.view, operation.number).execute(this.#body(operation.temper))
        return
      case "serve":
        this.futures.push(this.#service.submit(this.#body(operation.temper)))
        return
      case "invokeAll":
        this.#watch(this.#view(operation.view).invokeAll(this.#bodies(operation), operation.number))
        return
      case "invokeAny":
        this.#watch(this.#view(operation.view).invokeAny(this.#bodies(operation), operation.number))
        return
      case "map":
        this.#watch(this.#map(operation))
        return
      case "cancel":
        this.futures[operation.number % Math.max(this.futures.length, 1)]?.cancel(operation.view === "signal")
        return
      case "abort":
        this.#controller.abort()
        this.#controller = this.#newController()
        return
      case "open":
        this.#gate.open()
        this.#gate = new Gate()
        return
      case "turn":
        await turns(1)
        return
      case "tick":
        await Thread.sleep(1)
    }
  }

  #watch(begun: Promise<unknown>): void {
    this.#pending.push(Promise.allSettled([begun]))
  }

  #bodies({ temper, number }: Operation): Callable<unknown>[] {
    return [this.#body("slow"), this.#body(temper), ...(number > 5 ? [this.#body("obedient")] : [])]
  }

  async #map({ view, temper, number }: Operation): Promise<void> {
    let taken = 0
    const results = this.#view(view).map(this.#body(temper), [1, 2, 3, 4], {
      ordered: number > 5,
      window: 1 + (number % 3),
    })
    for await (const _ of results) if (++taken > number) break
  }

  /** Lets everything go and waits for the end. */
  async end(): Promise<void> {
    this.#gate.open()
    for (const task of this.executor.shutdownNow()) if (task instanceof FutureTask) task.cancel()
    assert.equal(await this.executor.awaitTermination(), true)
    await Promise.all(this.#pending)
  }
}

interface Subject {
  readonly executor: ExecutorService
  readonly queue: () => number
  readonly prioritized?: boolean
}

type NewTaskFor = <T>(callable: Callable<T>) => FutureTask<T>

function pool(lab: Lab, newTaskFor: NewTaskFor, options: Partial<ThreadPoolOptions>): Subject {
  class Own extends ThreadPoolExecutor {
    protected override newTaskFor<T>(callable: Callable<T>): FutureTask<T> {
      return newTaskFor(callable)
    }
  }
  const executor = new Own({ corePoolSize: 2, maximumPoolSize: 2, threadFactory: lab.factory, ...options })
  return {
    executor,
    queue: () => executor.queue.size + executor.activeCount,
    prioritized: options.workQueue instanceof PriorityBlockingQueue,
  }
}

type Kind = "fixed" | "bounded" | "discarding" | "cached" | "prioritized" | "perTask" | "serial"

const KINDS: Record<Kind, (lab: Lab, newTaskFor: NewTaskFor) => Subject> = {
  fixed: (lab, newTaskFor) => pool(lab, newTaskFor, {}),
  bounded: (lab, newTaskFor) => pool(lab, newTaskFor, { maximumPoolSize: 3, workQueue: new ArrayBlockingQueue(3) }),
  discarding: (lab, newTaskFor) =>
    pool(lab, newTaskFor, { workQueue: new ArrayBlockingQueue(2), handler: DiscardOldestPolicy }),
  cached: (lab, newTaskFor) =>
    pool(lab, newTaskFor, {
      corePoolSize: 0,
      maximumPoolSize: 1000,
      keepAliveTime: 1,
      workQueue: new SynchronousQueue(),
    }),
  prioritized: (lab, newTaskFor) => pool(lab, newTaskFor, { workQueue: new PriorityBlockingQueue() }),
  perTask: (lab, newTaskFor) => {
    class Own extends ThreadPerTaskExecutor {
      protected override newTaskFor<T>(callable: Callable<T>): FutureTask<T> {
        return newTaskFor(callable)
      }
    }
    const executor = new Own(lab.factory)
    return { executor, queue: () => executor.threadCount }
  },
  serial: (lab, newTaskFor) => {
    class Own extends SerialExecutor {
      protected override newTaskFor<T>(callable: Callable<T>): FutureTask<T> {
        return newTaskFor(callable)
      }
    }
    return { executor: new Own(lab.factory), queue: () => 0 }
  },
}

const kinds = Object.keys(KINDS) as Kind[]

const VIEWS = ["plain", "signal", "timeout", "queueTimeout", "everything"] as const
type ViewName = (typeof VIEWS)[number]

const TEMPERS = ["quick", "failing", "slow", "napping", "obedient", "stubborn"] as const
type Temper = (typeof TEMPERS)[number]

interface Operation {
  readonly do:
    "submit" | "execute" | "serve" | "invokeAll" | "invokeAny" | "map" | "cancel" | "abort" | "open" | "turn" | "tick"
  readonly view: ViewName
  readonly temper: Temper
  readonly number: number
}

const operations = fc.array(
  fc.record({
    do: fc.oneof(
      { weight: 8, arbitrary: fc.constant("submit" as const) },
      { weight: 4, arbitrary: fc.constantFrom("execute" as const, "serve" as const, "cancel" as const) },
      { weight: 4, arbitrary: fc.constantFrom("invokeAll" as const, "invokeAny" as const, "map" as const) },
      { weight: 6, arbitrary: fc.constantFrom("abort" as const, "open" as const, "turn" as const, "tick" as const) },
    ),
    view: fc.constantFrom(...VIEWS),
    temper: fc.constantFrom(...TEMPERS),
    number: fc.nat(10),
  }),
  { minLength: OPERATIONS, maxLength: OPERATIONS },
)

test("[ES48][ES49] whatever is done, every future settles once and nothing is left behind", async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...kinds), operations, async (kind, steps) => {
      await using lab = new Lab()
      using timers = new CountedTimers()
      // On a thread of its own: commands that never got a thread are told to its handler.
      const { outcome } = lab.call(async () => {
        const scene = new Scene(kind, lab)
        for (const step of steps) await scene.perform(step)
        await scene.end()
        return scene
      })
      const settled = await outcome
      if (settled.status === "rejected") throw settled.reason
      const { made, futures, signals, queue } = settled.value
      lab.takeUncaught() // failures of commands, as ordered
      for (const future of futures) assert.equal(future.isDone, true, String(future))
      for (const task of made) assert.deepEqual([task.isDone, task.ended], [true, 1], String(task))
      for (const signal of signals) assert.equal(listeners(signal), 0)
      assert.equal(queue(), 0)
      await eventually(() => lab.threads.every((thread) => !thread.isAlive))
      assert.equal(timers.ticking, 0)
    }),
    { numRuns: RUNS },
  )
})
