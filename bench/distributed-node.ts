/**
 * A process that takes jobs, of either contender: an ExecutorNode on virtual threads, or a Worker of BullMQ with the same work in its processor.
 * Prints a line when it is ready.
 */
import { createPostgresBackend, UnrecoverableError, Worker } from "bullmq"
import { Executors } from "corepool"
import { ExecutorNode } from "corepool/distributed"
import { setTimeout } from "node:timers/promises"
import { connectionOf, engineOf } from "./distributed-place.ts"
import * as tasks from "./tasks/distributed.ts"

const [contender = "", name = "", url = "", atOnce = "", lock = ""] = process.argv.slice(2)
const concurrency = Number(atOnce)
const lockDuration = Number(lock)

if (contender === "corepool") {
  await ExecutorNode.start({
    name,
    engine: engineOf(url),
    tasks,
    executor: Executors.newVirtualThreadPerTaskExecutor(),
    concurrency,
    lockDuration,
    signals: ["SIGTERM"],
  })
} else {
  interface Data {
    readonly a: number
    readonly b: number
  }
  const options = {
    connection: connectionOf(url),
    concurrency,
    lockDuration,
    stalledInterval: lockDuration / 2,
  }
  const run = async (job: { name: string; data: Data }, _token?: string, signal?: AbortSignal): Promise<number> => {
    if (job.name === "add") return job.data.a + job.data.b
    await setTimeout(job.data.a, undefined, signal === undefined ? {} : { signal }).catch(() => {
      throw new UnrecoverableError("cancelled")
    })
    return 0
  }
  const worker = url.startsWith("redis")
    ? new Worker<Data>(name, run, options)
    : new Worker(name, run, options as never, createPostgresBackend)
  await worker.waitUntilReady()
}
console.log("ready")
