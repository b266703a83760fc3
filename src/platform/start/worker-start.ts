/**
 * Starts a worker thread, wherever the code of corepool is.
 *
 * If corepool runs from its own files, the thread runs them too: a file beside them loads them, in a way that uses what
 * another thread has compiled (tools/bundle/thread.ts). If a bundler has put corepool into another file, the thread
 * runs the same texts of code as the program. Or the program bundles `corepool/worker` and says by
 * `workerFactory` where that is.
 *
 * Modules that a task imports by name are resolved from the file that has started the thread. So what is installed
 * beside corepool is found, wherever the program was started.
 */
import type { Port } from "#host/threads/ports"
import { overriddenOptions, startsFiles, usable } from "#host/threads/thread-start"
import { BUILD, readTexts, takeScripts, threadFile, workerSource } from "#host/threads/worker-source"
import { adopted, KIND_OF_WORKER, RuntimeThread, type WorkerOptions } from "#host/threads/workers"
import { alone, typeError } from "../../checks.ts"
import type { PlatformThreadOptions, WorkerStart } from "../../thread/platform-threads.ts"
import { keepCode, keptCode, STARTED } from "./worker-code.ts"

/**
 * Starts a thread with these orders, and moves the ports in them. Throws what the runtime, or the user's factory,
 * throws.
 */
export function startWorker(
  name: string,
  orders: unknown,
  transferList: Port[],
  threads: PlatformThreadOptions,
): RuntimeThread {
  const options = optionsOf(name, orders, transferList, threads)
  const { workerFactory } = threads
  if (workerFactory === undefined) {
    const thread = startOwn(options)
    giveCode()
    return thread
  }
  const made: unknown = workerFactory(options)
  const thread = adopted(made, options)
  if (thread !== undefined) return thread
  throw typeError("workerFactory()", KIND_OF_WORKER, made)
}

export function optionsOf(
  name: string,
  workerData: unknown,
  transferList: Port[],
  { resourceLimits, env, execArgv }: PlatformThreadOptions,
): WorkerStart {
  // No property of Object.prototype, such as `Object.prototype.env`, may get into a thread.
  return alone({
    ...overriddenOptions(),
    name,
    workerData,
    transferList: transferList as never[],
    ...(resourceLimits && { resourceLimits: alone(resourceLimits) }),
    ...(env && { env: alone(env) }),
    ...(execArgv && { execArgv: [...execArgv] }),
  })
}

/** Starts the program of a thread. If the orders come later, they come by the port `later`. */
export function startOwn(options: WorkerOptions, later?: Port): RuntimeThread {
  const orders = options.workerData as unknown
  const code = keptCode(BUILD)
  file ??= usable(threadFile())
  if (file !== "" && startsFiles(options.execArgv)) {
    return new RuntimeThread(file, alone({ ...options, workerData: { orders, later, code } }))
  }
  const source = workerSource()
  return new RuntimeThread(source.boot, alone({ ...options, workerData: { orders, later, source, code }, eval: true }))
}

/** Leaves texts and compiled code to the threads that this one starts. They take longer to begin than this takes. */
export function giveCode(): void {
  const { regions } = keptCode(BUILD)
  try {
    if (file !== "") readTexts()
  } catch {
    // The thread reads them itself, and reports why it cannot.
  }
  takeScripts().forEach((script, number) => keepCode(regions[number], STARTED, script))
}

/** Empty if there is none; undefined before the first thread. */
let file: string | undefined
