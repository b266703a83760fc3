/** What the tests of scheduling share, on top of test/support. */
import {
  platformThreads,
  ScheduledThreadPoolExecutor,
  type ScheduledThreadPoolOptions,
  type ThreadFactory,
  virtualThreads,
} from "corepool"
import { turns } from "../../support/harness.ts"
import { Pools } from "../../support/pools.ts"
import type { FakeClock } from "../../support/fake-clock.ts"

/** Looks after scheduled pools, as Pools does after others. */
export class Schedules extends Pools {
  /** A pool with recorded threads, unless the options name a factory. */
  open(corePoolSize = 1, options: Partial<ScheduledThreadPoolOptions> = {}): ScheduledThreadPoolExecutor {
    return this.adopt(new ScheduledThreadPoolExecutor({ corePoolSize, threadFactory: this.factory, ...options }))
  }
}

/** Lets time pass, a millisecond at a time, and in each of them everything happen that is due. */
export async function pass(clock: FakeClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left--) {
    clock.advance(Math.min(left, 1))
    await turns(4)
  }
}

/** Writes down when something happens, counted from when it was made. */
export class Diary {
  readonly #clock: FakeClock
  readonly #start: number
  readonly times: number[] = []
  readonly entries: string[] = []

  constructor(clock: FakeClock) {
    this.#clock = clock
    this.#start = clock.now
  }

  /** A task that writes down when it starts. */
  readonly run = (name = ""): void => {
    this.times.push(this.#clock.now - this.#start)
    this.entries.push(`${name}@${this.#clock.now - this.#start}`)
  }
}

/** How a future that is not done shows itself after all that can happen now has happened: it is pending for good. */
export async function isPending(future: { readonly isDone: boolean }): Promise<boolean> {
  await turns()
  return !future.isDone
}

/** Whatever TypeScript would not let through. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names what it pretends to be
export function wrong<T>(value: unknown): T {
  return value as T
}

/** The kinds of threads. What is said of both is shown with tasks that can be sent, in real time. */
export const kinds = ["virtual", "platform"] as const
export type Kind = (typeof kinds)[number]

export function factoryOf(kind: Kind): ThreadFactory {
  return kind === "virtual" ? virtualThreads() : platformThreads({ name: "w", terminateAfter: Infinity })
}

/** A pool of such threads that is stopped and waited for at the end of the test. */
export class OpenSchedule extends ScheduledThreadPoolExecutor implements AsyncDisposable {
  constructor(kind: Kind, corePoolSize = 1, options: Partial<ScheduledThreadPoolOptions> = {}) {
    super({ corePoolSize, threadFactory: factoryOf(kind), ...options })
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    this.shutdownNow()
    await this.awaitTermination()
  }
}
