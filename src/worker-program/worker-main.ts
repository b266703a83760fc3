/** The life of a worker thread: it runs the loop of the pool until it may leave. */
import { block, store } from "#atomics"
import { exit, sayFarewell } from "#host/threads/farewell"
import { guardMemory } from "#host/threads/memory-guard"
import { printBy } from "#host/threads/output"
import { prepareForTypeScript } from "#host/code/typescript"
import { observing } from "../observing.ts"
import { KeepAlive } from "../memory/thread/keep-alive.ts"
import { leaveAll } from "../memory/thread/this-thread.ts"
import { PoolCore } from "../core/pool-core.ts"
import { WorkerLoop } from "../core/worker-loop.ts"
import { beforeLoading, provideModule } from "../task/loading.ts"
import { Thread } from "../thread/thread.ts"
import { nextTurn } from "../thread/turn.ts"
import { CompletionQueues } from "../platform/memory/completion-queues.ts"
import { FunctionTable } from "../platform/memory/function-table.ts"
import { BY_TIME } from "../platform/memory/layout.ts"
import { Channels } from "../platform/transport/channels.ts"
import { HANDLER_MODULE } from "../platform/worker/handler-part.ts"
import { JOB_MODULE } from "../platform/worker/job-part.ts"
import { PoolMemory } from "../platform/memory/pool-memory.ts"
import type { SharedWorker } from "../platform/memory/workers/shared-worker.ts"
import { FREE } from "../platform/memory/workers/worker-line.ts"
import { SharedWorkerTable } from "../platform/memory/workers/shared-worker-table.ts"
import { TaskRecords } from "../platform/memory/task-records.ts"
import { endTeardown } from "../platform/memory/workers/teardowns.ts"
import { becomeWorker } from "../platform/worker/this-worker.ts"
import { slotTimetable } from "../platform/queue/slot-timetable.ts"
import { slotPacing } from "../platform/queue/slot-pacing.ts"
import { queueIn, type TaskQueue } from "../platform/queue/task-queue.ts"
import { FAREWELL, type Orders, SAID_ALL } from "../platform/start/worker-orders.ts"
import { WorkerAdmission } from "../platform/worker/worker-admission.ts"
import { CAPTURE_MODULE } from "../executor/capture/capture-part.ts"
import { SCOPE_MODULE } from "../structured/scope-module.ts"
import { tearDown } from "../platform/worker/teardown.ts"
import { PreloadingRunner } from "../platform/worker/worker-preload.ts"
import { WorkerWaits } from "../platform/worker/worker-waits.ts"

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
  provideModule(HANDLER_MODULE, handlers)
  provideModule(CAPTURE_MODULE, capture)
  const workerTable = new SharedWorkerTable(memory, () => memory.ringOwner())
  const self = workerTable.at(orders.worker)
  self.begin() // before any user code: if that ends the thread, the owner finds it in the worker table
  const tasks = new TaskRecords(memory)
  const completionQueues = new CompletionQueues(memory, tasks)
  const functions = new FunctionTable(memory.texts)
  const context = { memory, tasks, completionQueues, functions, workerTable, self }
  const forkJoin = memory.deques && new ((await rest()).forkJoinRunner())(orders, context)
  const runner = forkJoin ?? new PreloadingRunner(orders, context)
  const limiter = memory.limiter && (await rateLimiter()).RateLimiter.from(memory.limiter)
  becomeWorker({ identity: memory.identity, runner, self })
  observing.worker = new WorkerWaits(runner.events, context)
  await prepareForTypeScript(beforeLoading)
  await runner.prepare()
  const queue = queueIn(memory, tasks, self.claim)
  const pacing = limiter && slotPacing(limiter, memory, queue, self, (slot) => runner.isOver(slot))
  const core = new PoolCore<number>(memory.state, queue, new WorkerAdmission(context, queue), workerTable)
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
  workerTable.tearsDown = orders.teardown.length > 0
  let hasDied = false
  try {
    await new WorkerLoop(memory.state, pacing ?? queue, pacing ?? queue, runner, core).run(self)
  } catch {
    hasDied = true // A command or a hook has thrown, which was reported. This thread has asked for a replacement.
  }
  forkJoin?.end()
  if (workerTable.tearsDown && !hasDied) await tearDownThread(orders, memory, self, core)
  leave(orders.progress)
}

/**
 * The worker has left, and its pool may have another one in its place. An error ends the thread, so that the owner
 * reports it before the pool terminates.
 */
async function tearDownThread(
  { teardown }: Orders,
  memory: PoolMemory,
  self: SharedWorker,
  core: PoolCore<number>,
): Promise<void> {
  memory.ringOwner() // which limits the time
  const errors = await tearDown(teardown)
  if (errors.length > 0) {
    self.reportUncaught(errors[0])
    await nextTurn() // if the thread still lives then, a listener of the program has caught the error
  } else if (endTeardown(memory, self.number, FREE)) core.tryTerminate()
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

/** What only the threads of a pool with a rate limiter need. */
function rateLimiter(): Promise<typeof import("../sync/rate-limiter.ts")> {
  return import("../sync/rate-limiter.ts")
}

/** What only the threads of a node of a distributed executor need. */
function job(): Promise<Record<string, unknown>> {
  return import("../platform/worker/job-part.ts")
}

/** What only the threads of pools in the shapes of other libraries need. */
function handlers(): Promise<Record<string, unknown>> {
  return import("../platform/worker/handler-part.ts")
}

/** What only the threads need that run tasks whose output is captured. */
function capture(): Promise<Record<string, unknown>> {
  return import("../executor/capture/captured-run.ts")
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
