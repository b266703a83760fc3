/**
 * The part of a Piscina that runs in its threads: it finds the function that a module exports, and calls it.
 *
 * A CommonJS module may export one function, several functions by name, or one function with the others as its
 * properties. If a compiler has turned an ES module into a CommonJS module, its exports are inside the default export.
 * Each of these may be a promise of a function.
 */
import { addArguments } from "#host/threads/events"
import { HANDLER_MODULE } from "../../platform/worker/handler-part.ts"
import { perThread } from "../../per-thread.ts"
import { defineBuiltIn } from "../../task/definitions.ts"
import { loadModule } from "../../task/loading.ts"
import { transfer } from "../../task/transfer.ts"
import { propertyOf } from "../../user-values.ts"
import { unwrapped } from "./movable.ts"

/** What this thread is, for the modules that it loads. */
export const thisThread: { isWorker: boolean; workerData: unknown } = perThread("compat thread", () => ({
  isWorker: false,
  workerData: undefined as unknown,
}))

/** What a thread gets before its first task. */
export interface ThreadSetup {
  readonly workerData: unknown
  readonly argv: readonly unknown[]
  /** The function that it loads before its first task, if that is known. */
  readonly url: string | undefined
  readonly name: string
}

type Handler = (task: unknown) => unknown

const handlers = new Map<string, Promise<Handler>>()

/** Makes this thread ready for tasks. */
async function equipThread({ workerData, argv, url, name }: ThreadSetup): Promise<void> {
  thisThread.isWorker = true
  thisThread.workerData = workerData
  addArguments(argv)
  if (url === undefined) return
  try {
    await handlerOf(url, name)
  } catch {
    // Each task that needs it fails with the reason.
  }
}

/** Calls the function with that name of the module with this task. */
async function handleTask(url: string, name: string, task: unknown): Promise<unknown> {
  const handler = await handlerOf(url, name)
  const { value, list } = unwrapped(await handler(task))
  return list.length > 0 ? transfer(value as object, list) : value
}

function handlerOf(url: string, name: string): Promise<Handler> {
  const key = `${name}@${url}`
  let handler = handlers.get(key)
  if (handler === undefined) {
    handler = findHandler(url, name)
    handlers.set(key, handler)
    handler.catch(() => handlers.delete(key)) // the next task tries again
  }
  return handler
}

async function findHandler(url: string, name: string): Promise<Handler> {
  const exports = await loadModule(url)
  const whole = exports["default"]
  const compiled = propertyOf(whole, "default")
  const places =
    name === "default" ? [compiled, whole] : [exports[name], propertyOf(whole, name), propertyOf(compiled, name)]
  for (const place of places) {
    const found = await place
    if (typeof found === "function") return found as Handler
  }
  throw new Error(`No handler function "${name}" exported from "${url}"`)
}

export const equip: typeof equipThread = defineBuiltIn({ module: HANDLER_MODULE, name: "equip" }, equipThread)
export const handle: typeof handleTask = defineBuiltIn({ module: HANDLER_MODULE, name: "handle" }, handleTask)
