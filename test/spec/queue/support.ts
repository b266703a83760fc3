/** What the tests of queues share. */
import { CORE } from "#src/queue/base/internals.js"
import type { BlockingQueue } from "corepool"
import { load } from "#atomics"
import { Flow } from "#src/memory/flow/flow.js"
import { THREAD } from "#src/memory/thread/thread-registry.js"
import { threadContext } from "#src/memory/thread/this-thread.js"
import { now } from "#src/time/timer.js"
import assert from "node:assert/strict"
import { afterEach } from "node:test"
import { turns } from "../../support/harness.ts"

/** The flows of the test that is running. Those that still wait at its end must not keep the process alive. */
const flows = new Set<Flow>()

afterEach(() => {
  for (const flow of flows) flow.interrupt()
  flows.clear()
})

/**
 * Lets go on whoever has been woken, for a turn of the event loop; and those whom another thread has woken, which takes as
 * long as the mail takes to be delivered.
 */
export async function settled(): Promise<void> {
  const { registry, token } = threadContext()
  do await turns(1)
  while (load(registry.words, registry.entryOf(token) + THREAD.MAIL) !== 0)
}

/** A promise and what has become of it. */
export class Watched<T> {
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
}

/** A flow of its own in a call that may wait. */
export class Caller<T> {
  readonly flow: Flow
  readonly call: Watched<T>

  constructor(body: () => Promise<T>, flow: Flow = new Flow()) {
    this.flow = flow
    flows.add(flow)
    this.call = new Watched(flow.run(body))
  }

  get isWaiting(): boolean {
    return this.call.isPending
  }

  interrupt(): void {
    this.flow.interrupt()
  }
}

/** Starts a call as a flow of its own and makes sure that it waits. */
export async function waiting<T>(body: () => Promise<T>): Promise<Caller<T>> {
  const caller = new Caller(body)
  await settled()
  assert.equal(caller.call.state, "pending", "should have to wait")
  return caller
}

/** Makes a call as a flow whose interrupt flag is raised. */
export async function raised<T>(body: () => Promise<T>): Promise<Caller<T>> {
  const flow = new Flow()
  flow.interrupt()
  const caller = new Caller(body, flow)
  await settled()
  return caller
}

/** Checks that a call has ended with this value. */
export async function gives<T>(caller: Caller<T>, value: T): Promise<void> {
  await settled()
  assert.equal(caller.call.reason, undefined)
  assert.equal(caller.call.state, "fulfilled")
  assert.deepEqual(caller.call.value, value)
}

/** Checks that a call has failed with an error of this name. */
export async function failsWith(caller: Caller<unknown>, name: string): Promise<void> {
  await settled()
  assert.equal(caller.call.state, "rejected")
  assert.equal((caller.call.reason as Error).name, name)
}

/** What a pool sees of its work queue. */
interface WorkQueue<E> {
  holdTasks(): void
  receive(settle: { resolve(e: E | undefined): void; reject(reason: unknown): void }, flow: Flow, timeout: number): void
}

/** The public declarations leave this out. */
export function asWorkQueue<E>(queue: object): WorkQueue<E> {
  return (queue as { [CORE]: WorkQueue<E> })[CORE]
}

/**
 * Tells whether so many milliseconds are over. What waits as long and begins later must not end before; that it ends
 * long after proves nothing. (Not by a timer of our own: of two timers that are late either may fire first.)
 */
export function timeLimit(ms: number): { readonly isOver: boolean } {
  const end = now() + ms
  return {
    get isOver() {
      return now() >= end
    },
  }
}

/** Receives as a pool's thread does; the callbacks tell nobody but the result, and at once. */
export function receive<E>(queue: BlockingQueue<E>, timeout: number, flow: Flow = new Flow()): Received<E> {
  flows.add(flow)
  const result: Received<E> = { state: "pending", value: undefined, reason: undefined, flow }
  asWorkQueue<E>(queue).receive(
    {
      resolve: (value) => Object.assign(result, { state: "fulfilled", value }),
      reject: (reason) => Object.assign(result, { state: "rejected", reason }),
    },
    flow,
    timeout,
  )
  return result
}

export interface Received<E> {
  readonly state: "pending" | "fulfilled" | "rejected"
  readonly value: E | undefined
  readonly reason: unknown
  readonly flow: Flow
}
