/**
 * Where one test of the contract takes place: its executors, its gates, and at the end nothing of them.
 *
 *     await using lab = new ContractLab(subject)
 *     const executor = await lab.executor()      // for a test that leaves it as it was
 *     const executor = await lab.open()          // for one that does not, or needs threads that are yet to start
 */
import type { ThreadPoolExecutor } from "corepool"
import assert from "node:assert/strict"
import { after } from "node:test"
import { type Caller, Lab } from "../../spec/executor/support.ts"
import type { Uncaught } from "../../support/pools.ts"
import { LOCAL } from "./local-work.ts"
import type { AnyExecutorService, ExecutorUnderTest } from "./subject.ts"
import type { Work, WorkGate } from "./work.ts"

/** No interrupt takes so long: it only turns a test that would hang into one that fails. */
const PATIENCE = 60_000

export class ContractLab implements AsyncDisposable {
  readonly work: Work
  readonly #subject: ExecutorUnderTest
  readonly #own: Lab
  #house: House | undefined

  constructor(subject: ExecutorUnderTest) {
    const kind = subject.work ?? LOCAL
    this.#subject = subject
    this.#own = new Lab(kind.threads)
    this.work = kind.open()
  }

  /** An executor that nobody else has. */
  async open(): Promise<AnyExecutorService> {
    return this.#own.keep(await this.#subject.open(this.#own.factory))
  }

  /** An executor that other tests use too, before and after, if a thread costs more than a test. */
  async executor(): Promise<AnyExecutorService> {
    if (this.#subject.work?.sharesExecutors !== true) return await this.open()
    this.#house ??= House.of(this.#subject)
    return await this.#house.executor()
  }

  /** Gives every thread something to do, so that what comes next has to wait. */
  async occupy(executor: AnyExecutorService, gate: WorkGate, threads: number = this.#subject.threads): Promise<void> {
    for (let i = 0; i < threads; i++) executor.submit(gate.body)
    await gate.entered(threads)
  }

  /** Another executor, of the same kind of threads. */
  other(): ThreadPoolExecutor {
    return this.#own.fixed(1)
  }

  /** Runs the function on a thread of its own: one that can be interrupted without harm to the test. */
  call<T>(body: () => PromiseLike<T>): Caller<T> {
    return this.#own.call(body)
  }

  /** The errors that ended threads since the last call. */
  takeUncaught(): Uncaught[] {
    return [...this.#own.takeUncaughtWithThreads(), ...(this.#house?.takeUncaught() ?? [])]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.work[Symbol.asyncDispose]()
    await this.#own[Symbol.asyncDispose]()
    assert.deepEqual(this.#house?.takeUncaught() ?? [], [], "errors ended threads and the test did not expect them")
  }
}

/** The executor that the tests of one subject share. */
class House {
  static readonly #houses = new Map<ExecutorUnderTest, House>()
  readonly #lab: Lab
  readonly #executor: Promise<AnyExecutorService>

  private constructor({ work, open }: ExecutorUnderTest) {
    const lab = new Lab(work?.threads)
    this.#lab = lab
    this.#executor = (async () => lab.keep(await open(lab.factory)))()
  }

  static of(subject: ExecutorUnderTest): House {
    let house = House.#houses.get(subject)
    if (house === undefined) House.#houses.set(subject, (house = new House(subject)))
    return house
  }

  static async close(subject: ExecutorUnderTest): Promise<void> {
    const house = House.#houses.get(subject)
    House.#houses.delete(subject)
    if (house !== undefined) await house.#lab[Symbol.asyncDispose]()
  }

  executor(): Promise<AnyExecutorService> {
    return this.#executor
  }

  takeUncaught(): Uncaught[] {
    return this.#lab.takeUncaughtWithThreads()
  }
}

/** Waits until so many of those inside have an interrupt pending: it may come from another machine. */
export async function untilNoticed(gate: WorkGate, count: number): Promise<void> {
  const deadline = Date.now() + PATIENCE
  while ((await gate.noticed()) !== count) if (Date.now() > deadline) throw new Error("No interrupt arrives")
}

/** To be called where the tests are declared: ends what they share, after the last of them. */
export function closeAfterwards(subject: ExecutorUnderTest): void {
  after(() => House.close(subject))
}
