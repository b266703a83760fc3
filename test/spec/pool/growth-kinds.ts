/** The two kinds of threads, for tests of how pools grow: tasks that hold their threads until they are let go. */
import { type Future, platformThreads, type ThreadPoolExecutor } from "corepool"
import { Gate } from "../../support/harness.ts"
import { Pools } from "../../support/pools.ts"
import { SharedGate, SharedLog } from "../../support/shared-words.ts"
import * as tasks from "../platform/tasks.ts"
import { noteDown } from "./growth-tasks.ts"

/** Tasks that stay in their threads until the hold ends. */
export interface Hold extends Disposable {
  submit(pool: ThreadPoolExecutor): Future<unknown>
  /** Waits until so many have begun. */
  reached(count: number): Promise<void>
  readonly begun: number
  open(): void
}

export interface Kind {
  readonly name: string
  readonly pools: () => Pools
  readonly hold: () => Hold
  /** Submits tasks that note in which order they begin; returns that order. */
  readonly inOrder: (pool: ThreadPoolExecutor, count: number) => { readonly done: Promise<unknown>; order(): number[] }
}

class LocalHold implements Hold {
  readonly #gate = new Gate()

  submit(pool: ThreadPoolExecutor): Future<unknown> {
    return pool.submit(this.#gate.body)
  }

  reached(count: number): Promise<void> {
    return this.#gate.entered(count)
  }

  get begun(): number {
    return this.#gate.entries
  }

  open(): void {
    this.#gate.open()
  }

  [Symbol.dispose](): void {
    this.open()
  }
}

class SharedHold extends SharedGate implements Hold {
  submit(pool: ThreadPoolExecutor): Future<unknown> {
    return pool.submit(tasks.pass, this.index)
  }

  get begun(): number {
    return this.arrived
  }
}

export const virtual: Kind = {
  name: "virtual threads",
  pools: () => new Pools(),
  hold: () => new LocalHold(),
  inOrder: (pool, count) => {
    const begun: number[] = []
    const futures = Array.from({ length: count }, (_, i) => pool.submit(() => begun.push(i)))
    return { done: Promise.all(futures), order: () => begun }
  },
}

export const platform: Kind = {
  name: "platform threads",
  pools: () => new Pools(platformThreads),
  hold: () => new SharedHold(),
  inOrder: (pool, count) => {
    const log = new SharedLog()
    const futures = Array.from({ length: count }, (_, i) => pool.submit(noteDown, log.index, log.base, i))
    return { done: Promise.all(futures), order: () => log.ids }
  },
}
