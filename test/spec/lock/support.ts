/** What the tests of locks and synchronizers share. */
import { MEMORY, SYNC, WAIT_QUEUE } from "#src/lock/internals.js"
import {
  type AbstractQueuedSynchronizer,
  type Condition,
  type Lock,
  ReentrantLock,
  type Thread,
  virtualThreads,
} from "corepool"
import type { LockSync } from "#src/lock/lock-sync.js"
import { Flow } from "#src/memory/flow/flow.js"
import type { SharedMemory } from "#src/memory/shared/shared-memory.js"
import type { WaitQueue } from "#src/memory/wait/wait-queue.js"
import { threadContext } from "#src/memory/thread/this-thread.js"
import { now } from "#src/time/timer.js"
import assert from "node:assert/strict"
import { eventually, turns } from "../../support/harness.ts"
import type { WorkerHand } from "../../support/workers.ts"

/** A call that may have to wait, and what has become of it. */
export class Call<T> {
  state: "pending" | "fulfilled" | "rejected" = "pending"
  value: T | undefined
  reason: unknown

  constructor(promise: Promise<T>) {
    promise.then(
      (value) => {
        this.state = "fulfilled"
        this.value = value
      },
      (reason: unknown) => {
        this.state = "rejected"
        this.reason = reason
      },
    )
  }

  get isPending(): boolean {
    return this.state === "pending"
  }

  /** Checks that it waits, however long. */
  async waits(): Promise<void> {
    await turns(2)
    assert.equal(this.state, "pending", "should have to wait")
  }

  /** Checks that it has ended without an error, and gives its result. */
  async ends(): Promise<T> {
    await turns(2)
    assert.equal(this.reason, undefined)
    assert.equal(this.state, "fulfilled")
    return this.value as T
  }

  /** Checks that it has failed with an error of this name, and gives that. */
  async failsWith(name: string): Promise<Error> {
    await turns(2)
    assert.equal(this.state, "rejected")
    const error = this.reason as Error
    assert.equal(error.name, name)
    return error
  }
}

/** A task: a flow of this thread, which does what the test tells it. */
export class Task {
  readonly flow = new Flow()

  /** Does something that need not wait. */
  do<T>(body: () => T): T {
    return this.flow.run(body)
  }

  /** Makes a call that may have to wait. */
  call<T>(body: () => Promise<T>): Call<T> {
    return new Call(this.flow.run(body))
  }

  /** Makes a call, and makes sure that it waits. */
  async waitIn<T>(body: () => Promise<T>): Promise<Call<T>> {
    const call = this.call(body)
    await call.waits()
    return call
  }

  /** Tries to take a lock, without waiting. */
  tries(lock: Lock): boolean {
    return this.do(() => lock.tryLock())
  }

  interrupt(): void {
    this.flow.interrupt()
  }

  get isInterrupted(): boolean {
    return this.flow.isInterrupted
  }

  /** A new one whose interrupt flag is raised. */
  static raised(): Task {
    const task = new Task()
    task.interrupt()
    return task
  }
}

/** As many tasks. */
export function tasks(count: number): Task[] {
  return Array.from({ length: count }, () => new Task())
}

/**
 * Tells whether so many milliseconds are over. What waits as long and begins later must not end before; that it ends
 * long after proves nothing.
 */
export function timeLimit(ms: number): { readonly isOver: boolean } {
  const end = now() + ms
  return {
    get isOver() {
      return now() >= end
    },
  }
}

/**
 * Kills a worker, and waits until its death is known here. That may be a moment after its end: Deno tells of a worker so late
 * that this one may be gone by then. To look at the lock would not do, for that tends its queue.
 */
export async function killed(victim: WorkerHand): Promise<void> {
  const { registry } = threadContext()
  const { deaths } = registry
  await victim.kill()
  await eventually(() => registry.deaths > deaths)
}

/** See {@link parked}. */
interface Parked {
  readonly lock: ReentrantLock
  readonly condition: Condition
  readonly waiter: Task
  readonly call: Call<boolean>
  /** What it saw at the end of its wait. */
  readonly seen: { holdCount: number; raised: boolean }
}

/** A lock with a condition, and a task that waits on it; with the lock again it looks around and unlocks. */
export async function parked(
  fair: boolean,
  wait: (condition: Condition) => Promise<boolean>,
  waiter: Task = new Task(),
): Promise<Parked> {
  const all = park(fair, wait, waiter)
  await all.call.waits()
  return all
}

/** The same, but the test has the lock: however short its limit, the wait cannot be over. */
export async function parkedAndLocked(
  fair: boolean,
  wait: (condition: Condition) => Promise<boolean>,
): Promise<Parked> {
  const all = park(fair, wait, new Task())
  await all.lock.lock()
  return all
}

function park(fair: boolean, wait: (condition: Condition) => Promise<boolean>, waiter: Task): Parked {
  const lock = new ReentrantLock({ fair })
  const condition = lock.newCondition()
  const seen = { holdCount: 0, raised: false }
  const call = waiter.call(async () => {
    using _ = await lock.lock()
    try {
      return await wait(condition)
    } finally {
      seen.holdCount = lock.holdCount
      seen.raised = waiter.isInterrupted
    }
  })
  return { lock, condition, waiter, call, seen }
}

/** A virtual thread, which is not started. */
export function thread(body: () => unknown, name?: string): Thread {
  const made = virtualThreads(name === undefined ? {} : { name: () => name }).newThread(body)
  assert.ok(made)
  return made
}

// The public declarations leave these out.

export function syncOf(lock: ReentrantLock): LockSync {
  return (lock as unknown as { [SYNC]: LockSync })[SYNC]
}

export function queueOf(synchronizer: AbstractQueuedSynchronizer): WaitQueue {
  return (synchronizer as unknown as { [WAIT_QUEUE]: WaitQueue })[WAIT_QUEUE]
}

export function memoryOf(synchronizer: AbstractQueuedSynchronizer): SharedMemory {
  return (synchronizer as unknown as { [MEMORY]: SharedMemory })[MEMORY]
}

/** The flows that wait on a condition, longest waiting first. */
export function waitersOn(condition: Condition): number[] {
  return (condition as unknown as { waiters(): { flow: number }[] }).waiters().map(({ flow }) => flow)
}
