/** The life of a worker thread: it runs the loop of the pool until it may leave. */
import { store } from "#atomics"
import { KeepAlive } from "../memory/thread/keep-alive.ts"
import { PoolCore } from "../core/pool-core.ts"
import { boundTo } from "../primordials.ts"
import { provideModule } from "../task/loading.ts"
import { Thread } from "../thread/thread.ts"
import { isNode } from "#host/runtime"
import { CompletionQueues } from "../platform/memory/completion-queues.ts"
import { TaskPayloads } from "../platform/worker/task-payloads.ts"
import { FunctionTable } from "../platform/memory/function-table.ts"
import { BY_TIME } from "../platform/memory/layout.ts"
import { Channels } from "../platform/transport/channels.ts"
import { JOB_MODULE } from "../platform/worker/job-part.ts"
import { guardMemory } from "../platform/worker/memory-guard.ts"
import { PoolMemory } from "../platform/memory/pool-memory.ts"
import { SharedWorkerTable } from "../platform/memory/shared-worker-table.ts"
import { TaskRecords } from "../platform/memory/task-records.ts"
import { becomeWorker } from "../platform/worker/this-worker.ts"
import { slotTimetable } from "../platform/queue/slot-timetable.ts"
import { queueIn, TaskQueue } from "../platform/queue/task-queue.ts"
import { FAREWELL, type Orders, SAID_ALL } from "../platform/start/worker-orders.ts"
import { prepareForTypeScript } from "./typescript.ts"
import { printBy } from "../platform/start/worker-output.ts"
import { PreloadingRunner } from "../platform/worker/worker-preload.ts"

/** Taken before any task could replace it. */
// oxlint-disable-next-line typescript/unbound-method -- it is bound
const exit = boundTo(process.exit, process)

export async function work(orders: Orders): Promise<void> {
  sayFarewell(orders.progress)
  printBy(orders.outputs)
  guardMemory()
  Thread.adoptMain(orders.name, orders.id)
  // An idle worker awaits its bell, which keeps nothing alive.
  new KeepAlive().hold({})
  const memory = PoolMemory.open(orders.pool)
  Channels.of(memory.threadContext).adopt(orders.channel)
  TaskPayloads.learn = async () => (await rest()).registerAll()
  provideModule(JOB_MODULE, job)
  const workerTable = new SharedWorkerTable(memory, () => memory.ringOwner())
  const self = workerTable.at(orders.worker)
  self.begin() // before any user code: if that ends the thread, the owner finds it in the worker table
  const tasks = new TaskRecords(memory)
  const completionQueues = new CompletionQueues(memory, tasks)
  const Runner = memory.deques === undefined ? PreloadingRunner : (await rest()).forkJoinRunner()
  const host = new Runner(orders, memory, tasks, completionQueues, new FunctionTable(memory.texts), workerTable, self)
  becomeWorker({ identity: memory.identity, runner: host, self })
  await prepareForTypeScript()
  await host.prepare()
  const queue = queueIn(memory, tasks, self.claim)
  const core = new PoolCore<number>(memory.state, queue, host, workerTable)
  if (memory.ordering === BY_TIME) {
    host.follow(
      slotTimetable(memory, tasks, completionQueues, queue, {
        reject: (slot) => host.reject(slot),
        ensureWorker: () => core.ensureWorker(),
        tryTerminate: () => core.tryTerminate(),
        reportUncaught: (error) => self.reportUncaught(error),
      }),
    )
  }
  if (queue instanceof TaskQueue) host.attend(queue, core)
  try {
    await core.run(self)
  } catch {
    // A command or a hook has thrown, which was reported. This thread has asked for a replacement.
  }
  host.end()
  leave(orders.progress)
}

/**
 * Ends this thread, whatever timers and sockets tasks have left in it. With exit code 0: after any other code the owner
 * asks for a thread again.
 */
function leave(progress: Int32Array): never {
  try {
    return exit(0)
  } catch {
    // The runtime cannot call the listeners for the end of the thread, because a task has broken what it needs for
    // that. It does not try a second time.
    store(progress, FAREWELL, 1)
    return exit(0)
  }
}

/** What few threads need; only these load it. */
function rest(): Promise<typeof import("./all-classes.ts")> {
  return import("./all-classes.ts")
}

/** What only the threads of a node of a distributed executor need. */
function job(): Promise<Record<string, unknown>> {
  return import("../platform/worker/job-part.ts")
}

/**
 * Must come first: the owner learns of the end when the thread leaves the thread registry.
 *
 * After an uncaught error the runtime calls the `exit` listeners, reports the error, and then calls `process.exit`. If
 * a listener of the user has caught the error, nothing is reported, and the user calls `process.exit`. Either way
 * `process.reallyExit` comes last.
 */
function sayFarewell(progress: Int32Array): void {
  if (!isNode) return // elsewhere the thread does not learn whether it has failed
  const process = globalThis.process as NodeJS.Process & { reallyExit: (code?: number) => never }
  let hasFailed = false
  process.once("uncaughtExceptionMonitor", () => (hasFailed = true))
  process.once("exit", (code) => {
    if (!hasFailed) {
      store(progress, FAREWELL, code + 1)
      return
    }
    const reallyExit = boundTo(process.reallyExit, process)
    process.reallyExit = (final) => {
      store(progress, SAID_ALL, 1)
      return reallyExit(final)
    }
  })
}
