/**
 * How a worker thread is started, wherever corepool has got to.
 *
 * The program of a thread is a text, which the build has put into worker-source.ts: to load a hundred small files would take
 * three times as long as everything else, and a program that is bundled has no such files. A few lines start it, which the runtime
 * has from a file beside this one, or, if a bundler has put this file into another one, as text too. Whoever wants no
 * text to be evaluated bundles `corepool/worker`, and says by `workerFactory` where it is.
 *
 * Why there is a file at all: modules that a task imports by name are looked for from there, so that what is installed
 * beside corepool is found, wherever the program was started.
 */
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { type MessagePort, Worker as RuntimeThread, type WorkerOptions } from "node:worker_threads"
import { alone, typeError } from "../checks.ts"
import { IllegalStateError } from "../errors.ts"
import type { PlatformThreadOptions, WorkerStart } from "../thread/platform-threads.ts"
import { codeIn, keptCode } from "./worker-code.ts"
import { WORKER_SOURCE } from "./worker-source.ts"

/** Starts a thread with these orders, and moves these ports in them. Throws what the runtime, or the user's factory, throws. */
export function startWorker(
  name: string,
  workerData: unknown,
  transferList: MessagePort[],
  threads: PlatformThreadOptions,
): RuntimeThread {
  const { resourceLimits, env, execArgv, workerFactory } = threads
  // Nothing that all objects inherit may get into a thread: `Object.prototype.env`, say, whoever has put it there.
  const options: WorkerStart = alone({
    name,
    workerData,
    transferList: transferList as never[],
    ...(resourceLimits && { resourceLimits: alone(resourceLimits) }),
    ...(env && { env: alone(env) }),
    ...(execArgv && { execArgv: [...execArgv] }),
  })
  if (workerFactory === undefined) return startOwn(options)
  const made: unknown = workerFactory(options)
  if (made instanceof RuntimeThread) return made
  throw typeError("workerFactory()", "a Worker of node:worker_threads", made)
}

/** Whether the runtime can do something with compiled code; others have the methods too. */
const keepsCode = !("bun" in process.versions || "deno" in process.versions)

function startOwn(options: WorkerOptions): RuntimeThread {
  const source = WORKER_SOURCE
  if (source === undefined) {
    throw new IllegalStateError("corepool has no program for its threads: it was not built, or bundled before that")
  }
  const code = keepsCode ? keptCode(source.program) : undefined
  const workerData = { orders: options.workerData as unknown, source, code, compiled: code && codeIn(code) }
  file ??= bootFile()
  // With that flag, which threads inherit, Node starts no files.
  const startsFiles = !(options.execArgv ?? process.execArgv).some((flag) => flag.startsWith("--input-type"))
  return file !== "" && startsFiles
    ? new RuntimeThread(new URL(file), alone({ ...options, workerData }))
    : new RuntimeThread(source.boot, alone({ ...options, workerData, eval: true }))
}

/** Empty if there is none; undefined before anybody asked. */
let file: string | undefined

function bootFile(): string {
  // A bundler for another kind of modules leaves nothing of `import.meta`.
  const url = (import.meta as Partial<ImportMeta>).url ?? ""
  // If this is not the file it was, then what lies beside it is not ours, whatever it is called.
  if (!/^file:.*\/platform\/worker-start\.[jt]s$/.test(url)) return ""
  const boot = url.replace(/worker-start\.[jt]s$/, "corepool-boot.cjs")
  try {
    return existsSync(fileURLToPath(boot)) ? boot : ""
  } catch {
    return "" // Deno, for a program that may not read files (--allow-read)
  }
}
