/**
 * The part of a workerpool that runs in its threads: it calls the methods that a script has registered, and functions
 * that are sent as text. A thread has one task at a time.
 */
import { exitThread, tellParent } from "#host/threads/events"
import { runtime } from "#host/runtime/clock"
import { functionOf } from "#host/code/evaluation"
import { HANDLER_MODULE } from "../../platform/worker/handler-part.ts"
import { perThread } from "../../per-thread.ts"
import { apply } from "../../primordials.ts"
import { defineBuiltIn } from "../../task/definitions.ts"
import { loadModule } from "../../task/loading.ts"
import { transfer } from "../../task/transfer.ts"
import { Thread } from "../../thread/thread.ts"
import { thisThread } from "./handlers-in-thread.ts"
import { propertyOf } from "../../user-values.ts"
import { Transfer } from "./pool-transfer.ts"

// oxlint-disable-next-line typescript/no-explicit-any -- as the shape has it: methods of any parameters
type Method = ((...args: any[]) => any) & { worker?: WorkerpoolWorker }

/** What a method finds as `this.worker`. */
export interface WorkerpoolWorker {
  /** Adds a function that is called if the task is cancelled or out of time; the thread lives on if it resolves. */
  addAbortListener(listener: () => PromiseLike<void>): void
  /** Sends an event to the listener `on` of the task. */
  emit(payload: unknown): void
}

/** Options of `workerpool.worker`. */
export interface WorkerpoolRegisterOptions {
  /** Called in the thread before it ends in order, and awaited. */
  readonly onTerminate?: (code: number | undefined) => PromiseLike<void> | void
  /** How long abort listeners may take, in ms; default 1000. */
  readonly abortListenerTimeout?: number
}

/** What is sent to the pool while a task runs. */
export interface TaskEvent {
  readonly corepoolEvent: number
  readonly payload: unknown
}

interface Registry {
  readonly methods: Map<string, Method>
  readonly ready: Promise<void>
  readonly setReady: () => void
  options: WorkerpoolRegisterOptions
  listeners: (() => PromiseLike<void>)[]
  /** The number of the task that runs. */
  task: number
  /** How many events it has sent. */
  events: number
}

/** The result of a task. The events come another way: the pool waits for all of them. */
export interface MethodResult {
  readonly value: unknown
  readonly events: number
}

const registry: Registry = perThread("workerpool methods", () => {
  let setReady!: () => void
  const ready = new Promise<void>((resolve) => (setReady = resolve))
  return { methods: new Map<string, Method>(), ready, setReady, options: {}, listeners: [], task: 0, events: 0 }
})

const worker: WorkerpoolWorker = {
  addAbortListener: (listener) => void registry.listeners.push(listener),
  emit,
}

/** Sends an event to the listener of the task that runs, if one does. */
export function emit(payload: unknown): void {
  if (registry.task === 0) return
  const isMoved = payload instanceof Transfer
  const event: TaskEvent = { corepoolEvent: registry.task, payload: isMoved ? payload.message : payload }
  tellParent(event, isMoved ? payload.transfer : [])
  registry.events++
}

/** Registers methods of this thread. */
export function register(methods: Readonly<Record<string, Method>> = {}, options?: WorkerpoolRegisterOptions): void {
  for (const [name, method] of Object.entries(methods)) {
    method.worker = worker
    registry.methods.set(name, method)
  }
  if (options !== undefined) registry.options = options
  registry.setReady()
}

/** Loads the script. The tasks of the thread wait until it has registered its methods. */
async function equipMethodsOf(url: string | undefined): Promise<void> {
  thisThread.isWorker = true
  if (url === undefined) return
  await loadModule(url)
  await registry.ready
}

/** Calls a method, or a function that is given as text. */
async function callMethodOf(id: number, method: string, params: readonly unknown[]): Promise<MethodResult> {
  const { signal } = Thread.currentThread()
  registry.task = id
  registry.events = 0
  registry.listeners = []
  try {
    const value: unknown = await Promise.race([called(method, params), cleanedUp(signal)])
    const { events } = registry
    return value instanceof Transfer ? transfer({ value: value.message, events }, value.transfer) : { value, events }
  } catch (thrown) {
    throw asError(thrown)
  } finally {
    registry.task = 0
  }
}

/** An object that can say itself how it is sent becomes an Error with what it says. */
function asError(thrown: unknown): unknown {
  if (thrown instanceof Error || typeof propertyOf(thrown, "toJSON") !== "function") return thrown
  return Object.assign(new Error("An object was thrown"), JSON.parse(JSON.stringify(thrown)) as object)
}

async function called(name: string, params: readonly unknown[]): Promise<unknown> {
  if (name === "run") return await ran(...(params as [string, readonly unknown[] | undefined]))
  if (name === "methods") return ["run", "methods", ...registry.methods.keys()]
  const method = registry.methods.get(name)
  if (method === undefined) throw new Error(`Unknown method "${name}"`)
  return (await apply(method, method, params)) as unknown
}

async function ran(text: string, params: readonly unknown[] | undefined): Promise<unknown> {
  const call = functionOf(`return (${text}).apply(this, arguments)`) as Method
  call.worker = worker
  return (await apply(call, call, params ?? [])) as unknown
}

/**
 * Waits until the task is cancelled. If the task has abort listeners, the promise resolves when they have, and the
 * thread can go on; the pool ends a thread whose listeners take too long. If the task has none, nothing can stop it, so
 * the thread ends itself.
 */
function cleanedUp(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const cleanUp = (): void => {
      const listeners = registry.listeners.splice(0)
      if (listeners.length === 0) {
        exitThread(1)
        return
      }
      const timer = runtime.startTimeout(() => exitThread(1), registry.options.abortListenerTimeout ?? 1000)
      void Promise.all(listeners.map(async (listener) => await listener())).then(
        () => {
          runtime.stopTimeout(timer)
          resolve()
        },
        () => exitThread(1),
      )
    }
    if (signal.aborted) cleanUp()
    else signal.addEventListener("abort", cleanUp, { once: true })
  })
}

/** Lets the thread clean up before it ends. */
async function terminateMethodsOf(): Promise<void> {
  await registry.options.onTerminate?.(0)
}

export const equipMethods: typeof equipMethodsOf = defineBuiltIn(
  { module: HANDLER_MODULE, name: "equipMethods" },
  equipMethodsOf,
)
export const callMethod: typeof callMethodOf = defineBuiltIn(
  { module: HANDLER_MODULE, name: "callMethod" },
  callMethodOf,
)
export const terminateMethods: typeof terminateMethodsOf = defineBuiltIn(
  { module: HANDLER_MODULE, name: "terminateMethods" },
  terminateMethodsOf,
)
