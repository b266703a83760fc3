/** The life of a worker thread: it runs the loop of the pool until it may leave. */
import { block, store } from "#atomics"
import { exit, sayFarewell } from "#host/farewell"
import { guardMemory } from "#host/memory-guard"
import { printBy } from "#host/output"
import { prepareForTypeScript } from "#host/typescript"
import { KeepAlive } from "../memory/thread/keep-alive.ts"
import { leaveAll } from "../memory/thread/this-thread.ts"
import { PoolCore } from "../core/pool-core.ts"
import { WorkerLoop } from "../core/worker-loop.ts"
import { beforeLoading, provideModule } from "../task/loading.ts"
import { Thread } from "../thread/thread.ts"
import { CompletionQueues } from "../platform/memory/completion-queues.ts"
import { FunctionTable } from "../platform/memory/function-table.ts"
import { BY_TIME } from "../platform/memory/layout.ts"
import { Channels } from "../platform/transport/channels.ts"
import { JOB_MODULE } from "../platform/worker/job-part.ts"
import { PoolMemory } from "../platform/memory/pool-memory.ts"
import { SharedWorkerTable } from "../platform/memory/shared-worker-table.ts"
import { TaskRecords } from "../platform/memory/task-records.ts"
import { becomeWorker } from "../platform/worker/this-worker.ts"
import { slotTimetable } from "../platform/queue/slot-timetable.ts"
import { queueIn, type TaskQueue } from "../platform/queue/task-queue.ts"
import { FAREWELL, type Orders, SAID_ALL } from "../platform/start/worker-orders.ts"
import { WorkerAdmission } from "../platform/worker/worker-admission.ts"
import { SCOPE_MODULE } from "../structured/sending.ts"
import { PreloadingRunner } from "../platform/worker/worker-preload.ts"

export async function work(orders: Orders): Promise<void> {
  tellTheEnd(orders.progress)
  printBy(orders.outputs, block)
  guardMemory(leaveAll)
  Thread.adoptMain(orders.name, orders.id)
  // An idle worker awaits its bell, which keeps nothing alive.
  new KeepAlive().hold({})
  const memory = PoolMemory.open(orders.pool)
  const channels = Channels.of(memory.threadContext)
  channels.adopt(orders.channel)
  channels.loadClasses = async () => (await rest()).registerAll()
  provideModule(JOB_MODULE, job)
  provideModule(SCOPE_MODULE, scope)
  const workerTable = new SharedWorkerTable(memory, () => memory.ringOwner())
  const self = workerTable.at(orders.worker)
  self.begin() // before any user code: if that ends the thread, the owner finds it in the worker table
  const tasks = new TaskRecords(memory)
  const completionQueues = new CompletionQueues(memory, tasks)
  const functions = new FunctionTable(memory.texts)
  const context = { memory, tasks, completionQueues, functions, workerTable, self }
  const forkJoin = memory.deques && new ((await rest()).forkJoinRunner())(orders, context)
  const runner = forkJoin ?? new PreloadingRunner(orders, context)
  becomeWorker({ identity: memory.identity, runner, self })
  await prepareForTypeScript(beforeLoading)
  await runner.prepare()
  const queue = queueIn(memory, tasks, self.claim)
  const core = new PoolCore<number>(memory.state, queue, new WorkerAdmission(context), workerTable)
  if (memory.ordering === BY_TIME) {
    runner.follow(
      slotTimetable(memory, tasks, completionQueues, queue, {
        ensureWorker: () => core.ensureWorker(),
        tryTerminate: () => core.tryTerminate(),
        reportUncaught: (error) => self.reportUncaught(error),
      }),
    )
  }
  forkJoin?.attend(queue as TaskQueue, core)
  try {
    await new WorkerLoop(memory.state, queue, queue, runner, core).run(self)
  } catch {
    // A command or a hook has thrown, which was reported. This thread has asked for a replacement.
  }
  forkJoin?.end()
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

/** What only the threads need that run forks of scopes. */
async function scope(): Promise<Record<string, unknown>> {
  const part = await import("../structured/remote.ts")
  part.sendForks()
  return part
}

/** Must come first: the owner learns of the end when the thread leaves the thread registry. */
function tellTheEnd(progress: Int32Array): void {
  sayFarewell({
    ending: (code) => store(progress, FAREWELL, code + 1),
    saidAll: () => store(progress, SAID_ALL, 1),
  })
}
