/** Reads what flows wait for, and which thread holds that: from the waits of this thread, and from shared memory. */
import { CORE } from "../queue/base/internals.ts"
import { WORK } from "../future/internals.ts"
import { FutureTask } from "../future/future-task.ts"
import { nameOfTask } from "../future/describe.ts"
import { nameOf } from "../future/runnable.ts"
import { identityOf } from "../identity.ts"
import { LockSync } from "../lock/lock-sync.ts"
import { ReadWriteSync } from "../lock/read-write-sync.ts"
import type { Flow } from "../memory/flow/flow.ts"
import { Parked } from "../memory/flow/wait-list.ts"
import { kindName, kindOf } from "../memory/shared/kinds.ts"
import { Shareable, type SharedMemory } from "../memory/shared/shared-memory.ts"
import { sharedObject } from "../memory/shared/shared-objects.ts"
import { ENGINE } from "../pool/internals.ts"
import type { PoolEngine } from "../pool/engine/pool-engine.ts"
import { threadContext } from "../memory/thread/this-thread.ts"
import { WaitNode } from "../memory/wait/wait-node.ts"
import { ScopeCore } from "../structured/scope-core.ts"
import { Thread } from "../thread/thread.ts"

/** The place of a flow: its thread's token, and its number in that thread. */
export interface FlowPlace {
  readonly thread: number
  readonly flow: number
}

/** A wait as it was found. */
export interface FoundWait {
  readonly object: string
  /** The flow that holds the lock. */
  readonly holder?: FlowPlace
  /** The future whose task is to end. */
  readonly future?: object
}

const LOCK = kindOf("ReentrantLock")
const READ_WRITE_LOCK = kindOf("ReentrantReadWriteLock")

/** All waits at one moment. */
export class Waits {
  readonly #context = threadContext()
  /** Of the flows of this thread. */
  readonly #here = new Map<Flow, Set<Parked>>()
  /** Of the flows of other threads, by thread and flow. */
  readonly #elsewhere = new Map<number, Map<number, FoundWait[]>>()

  constructor() {
    for (const node of this.#context.waits) {
      if (node instanceof WaitNode && node.parked !== undefined) this.#note(node.parked)
    }
    for (const { thread, flow, kind, object } of this.#context.registry.waits()) {
      if (thread === this.#context.token) continue
      let flows = this.#elsewhere.get(thread)
      if (flows === undefined) this.#elsewhere.set(thread, (flows = new Map<number, FoundWait[]>()))
      flows.set(flow, [...(flows.get(flow) ?? []), foundShared(kind, object)])
    }
  }

  /** The token of this thread. */
  get token(): number {
    return this.#context.token
  }

  isBlocked(token: number): boolean {
    return this.#context.registry.isBlocked(token)
  }

  /** What a flow of this thread waits for. */
  of(flow: Flow): FoundWait[] {
    for (const wait of flow.waits()) if (wait instanceof Parked) this.#note(wait)
    const waits = [...(this.#here.get(flow) ?? [])]
    return waits.map((wait) => found(wait.subject)).filter((wait) => wait !== undefined)
  }

  /** What the flows of another thread wait for, by the numbers of the flows. */
  ofThread(token: number): ReadonlyMap<number, readonly FoundWait[]> {
    return this.#elsewhere.get(token) ?? new Map<number, FoundWait[]>()
  }

  /** The threads that share memory with this one. */
  get threads(): Iterable<{ readonly token: number; readonly threadId: number; readonly parentId: number }> {
    return this.#context.registry.threads()
  }

  #note(wait: Parked): void {
    const waits = this.#here.get(wait.flow)
    if (waits === undefined) this.#here.set(wait.flow, new Set([wait]))
    else waits.add(wait)
  }
}

/** The description of what a flow of this thread waits for; undefined if that is of no interest. */
function found(subject: unknown): FoundWait | undefined {
  if (typeof subject === "string") return { object: subject }
  if (typeof subject !== "object" || subject === null) return undefined
  if (subject instanceof FutureTask) return { object: futureText(subject), future: subject }
  if (subject instanceof Thread) return { object: `the end of thread ${subject.name}` }
  if (subject instanceof ScopeCore) return { object: `the forks of scope ${subject.name}` }
  const memory = Shareable.memoryOf(subject)
  const holder = memory === undefined ? undefined : holderOf(memory.kind, memory)
  const { face = subject } = subject as { face?: object }
  return { object: identityOf(face), ...(holder === undefined ? {} : { holder }) }
}

/** The same for a flow of another thread: only what shared memory says of it. */
function foundShared(kind: number, number: number): FoundWait {
  const object = number === 0 ? undefined : sharedObject(number)
  if (object === undefined) return { object: number === 0 ? kindName(kind) : `${kindName(kind)} number ${number}` }
  const memory = Shareable.memoryOf(object)
  const holder = memory === undefined ? undefined : holderOf(kind, memory)
  return { object: identityOf(object), ...(holder === undefined ? {} : { holder }) }
}

function holderOf(kind: number, memory: SharedMemory): FlowPlace | undefined {
  if (kind === LOCK) return new LockSync(memory).holder()
  return kind === READ_WRITE_LOCK ? new ReadWriteSync(memory, memory).writer() : undefined
}

function futureText(future: FutureTask<unknown>): string {
  const work = future[WORK]
  return work === undefined ? identityOf(future) : `${identityOf(future)} (${nameOfTask(work)})`
}

/** The name of a task, without any call of a method of the program. */
export function taskName(task: unknown): string {
  if (typeof task === "string") return task
  if (task instanceof FutureTask) {
    const { body } = task as { body?: unknown }
    const work = typeof body === "function" ? body : task[WORK]
    return work === undefined ? identityOf(task) : nameOfTask(work as never)
  }
  return typeof task === "function" ? nameOf(task) : identityOf(task as object)
}

/** How many tasks wait in the queue of a pool that has threads; undefined if the queue does not say. */
export function sizeOf(pool: object): number | undefined {
  try {
    const { queue } = (pool as { [ENGINE]: PoolEngine })[ENGINE]
    return queue[CORE].size
  } catch {
    return undefined
  }
}
