/** What a worker of workers.ts runs: one exported function of one module. */
import { parentPort, workerData } from "node:worker_threads"
import type { Order, Report } from "./workers.ts"

const { module, name, args, life } = workerData as Order

function report(message: Report): void {
  parentPort?.postMessage(message)
}

try {
  if (life !== undefined) {
    const { ReentrantLock } = await import("corepool")
    ReentrantLock.from(life as Parameters<typeof ReentrantLock.from>[0]).lockSync()
  }
  const exports = (await import(module)) as Record<string, unknown>
  const job = exports[name]
  if (typeof job !== "function") throw new TypeError(`${module} exports no function ${name}`)
  const result: unknown = await Reflect.apply(job, { say: (word: unknown) => report({ said: word }) }, args)
  report({ result })
} catch (error) {
  report({
    error:
      error instanceof Error
        ? { name: error.name, message: error.message, stack: error.stack }
        : { name: "", message: String(error), stack: "" },
  })
}
