/** Every way to wait in corepool: one entry each. All of them wait for ever if nothing happens. */
import {
  ArrayBlockingQueue,
  BlockingQueue,
  DelayQueue,
  ExecutorCompletionService,
  Executors,
  type ExecutorService,
  FutureTask,
  LinkedBlockingDeque,
  LinkedBlockingQueue,
  LinkedTransferQueue,
  PriorityBlockingQueue,
  ScheduledThreadPoolExecutor,
  SynchronousQueue,
  Thread,
} from "corepool"
import { Gate } from "../../support/harness.ts"
import type { Threads } from "./threads.ts"

/** Far away: a wait with this limit is a timed wait and still lasts as long as the test. */
const LONG = 600_000

export interface Stage extends AsyncDisposable {
  /** An executor that is closed at the end. */
  readonly executor: () => ExecutorService
  /** A task that ends when its thread is interrupted, or at the end. */
  readonly busy: () => Promise<unknown>
}

/** What the waits are for, and its end. */
export function stage(threads: Threads): Stage {
  const gate = new Gate()
  const executors: ExecutorService[] = []
  return {
    executor: () => {
      const executor = Executors.newFixedThreadPool(2, threads.factory)
      executors.push(executor)
      return executor
    },
    busy: gate.interruptible,
    [Symbol.asyncDispose]: async () => {
      gate.open()
      await Promise.all(executors.map((executor) => executor.close()))
    },
  }
}

export type Wait = (on: Stage) => PromiseLike<unknown>

const never = (): FutureTask<number> => new FutureTask(() => 1)

function full<Q extends BlockingQueue<string>>(queue: Q): Q {
  while (queue.offer("filled"));
  return queue
}

async function first(items: AsyncIterable<unknown>): Promise<unknown> {
  for await (const item of items) return item
  return undefined
}

export const waits: Readonly<Record<string, Wait>> = {
  "future.get()": () => never().get(),
  "future.get(ms)": () => never().get(LONG),
  "future.get({ timeout, signal })": () => never().get({ timeout: LONG, signal: new AbortController().signal }),
  "await future": () => never(),
  "future.then": () => never().then(() => 1),
  "Promise.race of futures": () => Promise.race([never(), never()]),
  "Thread.sleep": () => Thread.sleep(LONG),
  "Thread.sleep(Infinity)": () => Thread.sleep(Infinity),
  "thread.join()": () => Thread.currentThread().join(),
  "thread.join(ms)": () => Thread.currentThread().join(LONG),
  ...queueWaits("ArrayBlockingQueue", () => new ArrayBlockingQueue(1), true),
  ...queueWaits("LinkedBlockingQueue", () => new LinkedBlockingQueue(1), true),
  ...queueWaits("LinkedBlockingDeque", () => new LinkedBlockingDeque(1), true),
  ...queueWaits("SynchronousQueue", () => new SynchronousQueue(), true),
  ...queueWaits("PriorityBlockingQueue", () => new PriorityBlockingQueue(), false),
  ...queueWaits("DelayQueue", () => new DelayQueue() as BlockingQueue<unknown> as BlockingQueue<string>, false),
  ...queueWaits("LinkedTransferQueue", () => new LinkedTransferQueue(), false),
  "deque.putFirst": () => full(new LinkedBlockingDeque<string>(1)).putFirst("e"),
  "deque.offerFirst(ms)": () => full(new LinkedBlockingDeque<string>(1)).offerFirst("e", LONG),
  "deque.takeLast": () => new LinkedBlockingDeque<string>().takeLast(),
  "deque.pollLast(ms)": () => new LinkedBlockingDeque<string>().pollLast(LONG),
  "queue.transfer": () => new LinkedTransferQueue<string>().transfer("e"),
  "queue.tryTransfer(ms)": () => new LinkedTransferQueue<string>().tryTransfer("e", LONG),
  "delayQueue.take of what is not yet due": () => {
    const queue = new DelayQueue<{ delay: number }>()
    queue.add({ delay: LONG })
    return queue.take()
  },
  "completions.take()": ({ executor }) => new ExecutorCompletionService(executor()).take(),
  "completions.poll(ms)": ({ executor }) => new ExecutorCompletionService(executor()).poll(LONG),
  invokeAll: ({ executor, busy }) => executor().invokeAll([busy, busy]),
  "invokeAll(ms)": ({ executor, busy }) => executor().invokeAll([busy, busy], LONG),
  invokeAny: ({ executor, busy }) => executor().invokeAny([busy, busy]),
  "invokeAny(ms)": ({ executor, busy }) => executor().invokeAny([busy, busy], LONG),
  "invokeAny, a thread per task": ({ busy }) => perTask((executor) => executor.invokeAny([busy, busy])),
  "awaitTermination()": ({ executor }) => executor().awaitTermination(),
  "awaitTermination(ms)": ({ executor }) => executor().awaitTermination(LONG),
  "awaitTermination, a thread per task": () => perTask((executor) => executor.awaitTermination()),
  "awaitTermination of a view": ({ executor }) => executor().with({ name: "view" }).awaitTermination(),
  "awaitTermination, scheduled": async () => {
    const executor = new ScheduledThreadPoolExecutor({ corePoolSize: 1, threadFactory: neverUsed })
    try {
      return await executor.awaitTermination()
    } finally {
      executor.shutdownNow()
    }
  },
  map: ({ executor, busy }) => first(executor().map(busy, [1, 2, 3])),
  "map, unordered": ({ executor, busy }) => first(executor().map(busy, [1, 2, 3], { ordered: false })),
}

const neverUsed = { isVirtual: true, newThread: () => null }

async function perTask(call: (executor: ExecutorService) => Promise<unknown>): Promise<unknown> {
  const executor = Executors.newVirtualThreadPerTaskExecutor()
  try {
    return await call(executor)
  } finally {
    executor.shutdownNow()
  }
}

function queueWaits(name: string, make: () => BlockingQueue<string>, bounded: boolean): Record<string, Wait> {
  const takes: Record<string, Wait> = {
    [`${name}.take`]: () => make().take(),
    [`${name}.poll(ms)`]: () => make().poll(LONG),
    [`${name}, for await`]: () => first(make()),
  }
  const puts: Record<string, Wait> = {
    [`${name}.put`]: () => full(make()).put("e"),
    [`${name}.offer(ms)`]: () => full(make()).offer("e", LONG),
  }
  return bounded ? { ...takes, ...puts } : takes
}
