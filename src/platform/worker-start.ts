/**
 * How a worker thread is started, wherever corepool has got to.
 *
 * Normally the program of the thread is a file beside this one. A bundler puts this file into another one, somewhere else,
 * and leaves the program out. Then it is started from the text that the build has put into worker-source.ts. Whoever wants
 * no text to be evaluated bundles `corepool/worker` too, and says by `workerFactory` where it is.
 */
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { type MessagePort, Worker as RuntimeThread, type WorkerOptions } from "node:worker_threads"
import { typeError } from "../checks.ts"
import { IllegalStateError } from "../errors.ts"
import type { PlatformThreadOptions, WorkerStart } from "../thread/platform-threads.ts"
import { WORKER_SOURCE } from "./worker-source.ts"

/** Starts a thread with these orders, and moves these ports in them. Throws what the runtime, or the user's factory, throws. */
export function startWorker(
  name: string,
  workerData: unknown,
  transferList: MessagePort[],
  threads: PlatformThreadOptions,
): RuntimeThread {
  const { resourceLimits, env, execArgv, workerFactory } = threads
  const options: WorkerStart = {
    name,
    workerData,
    transferList: transferList as never[],
    ...(resourceLimits && { resourceLimits: { ...resourceLimits } }),
    ...(env && { env: { ...env } }),
    ...(execArgv && { execArgv: [...execArgv] }),
  }
  if (workerFactory === undefined) return startOwn(options)
  const made: unknown = workerFactory(options)
  if (made instanceof RuntimeThread) return made
  throw typeError("workerFactory()", "a Worker of node:worker_threads", made)
}

function startOwn(options: WorkerOptions): RuntimeThread {
  file ??= entryFile()
  // With that flag, which threads inherit, Node starts no files.
  const startsFiles = !(options.execArgv ?? process.execArgv).some((flag) => flag.startsWith("--input-type"))
  if (file !== "" && startsFiles) return new RuntimeThread(new URL(file), options)
  if (WORKER_SOURCE === undefined) {
    throw new IllegalStateError("corepool was bundled before it was built, so it has no program for its threads")
  }
  return new RuntimeThread(WORKER_SOURCE, { ...options, eval: true })
}

/** Empty if there is none; undefined before anybody asked. */
let file: string | undefined

function entryFile(): string {
  // A bundler for another kind of modules leaves nothing of `import.meta`.
  const url = (import.meta as Partial<ImportMeta>).url ?? ""
  // If this is not the file it was, then what lies beside it is not ours, whatever it is called.
  if (!/^file:.*\/platform\/worker-start\.[jt]s$/.test(url)) return ""
  const entry = url.replace(/worker-start(?=\.[jt]s$)/, "worker-entry")
  return existsSync(fileURLToPath(entry)) ? entry : ""
}
