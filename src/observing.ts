/**
 * The place at which pools report what happens in them. A pool reads one field, `observing.by`, and calls nothing while
 * that is undefined. `src/events` sets the field while a program listens or has subscribed to a channel; only then is
 * the code of `src/events` loaded.
 */
import { perThread } from "./per-thread.ts"

/** A pool, as events name it. It is the same object in all events of the pool. */
export interface PoolInfo {
  /** Different from that of each other pool of this thread. */
  readonly id: number
  /** The option `name` of the pool, or a text such as `ThreadPoolExecutor@1`. */
  readonly name: string
  /** Whether its threads are virtual ones. */
  readonly isVirtual: boolean
}

/** A thread, as events name it. It is the same object in all events of the thread. */
export interface ThreadInfo {
  /** The `id` of the `Thread`. */
  readonly id: number
  /** The `name` of the `Thread`. */
  readonly name: string
}

/** How a task has ended. */
export type TaskOutcome = "success" | "failed" | "cancelled"

/** Hears of the end of a future. */
export interface SettleObserver {
  settled(future: object): void
}

/** For what a task can wait, as events name it. "Future" stands for all results of tasks, as with `invokeAll`. */
export type WaitedFor =
  | "Future"
  | "ForkJoinTask"
  | "BlockingQueue"
  | "ReentrantLock"
  | "ReentrantReadWriteLock"
  | "Condition"
  | "Semaphore"
  | "CountDownLatch"
  | "CyclicBarrier"
  | "Phaser"
  | "Exchanger"
  | "RateLimiter"
  | "AbstractQueuedSynchronizer"
  | "StructuredTaskScope"
  | "Thread"
  | "sleep"
  | "termination"

/** What is notified of the waits of tasks. */
export interface WaitObserver {
  /** The flow whose owner is `thread` waits. Returns true if `unblocked` is to be called. */
  blocked(thread: object | undefined, what: WaitedFor): boolean
  unblocked(thread: object | undefined, what: WaitedFor): void
}

/** The same in a worker thread. */
export interface WorkerObserver extends WaitObserver {
  /** This thread itself traces the run of the current task: other threads need not. */
  tracesRun(): void
}

/**
 * What is notified of the events of pools. Its methods never throw, except {@link Observer.submit}, which throws what
 * `give` throws.
 */
export interface Observer extends WaitObserver {
  poolCreated(pool: PoolInfo): void
  poolTerminated(pool: PoolInfo): void
  /** A task is given to a pool. Calls `give`, which does so. */
  submit(pool: PoolInfo, task: object, give: () => void): void
  /** The task has got this handle in the memory of a pool of platform threads. */
  recorded(pool: PoolInfo, task: object, handle: number): void
  /** The pool has not taken the task. */
  rejected(pool: PoolInfo, task: object): void
  began(pool: PoolInfo, thread: ThreadInfo, task: object): void
  /** `error` is what a command has thrown; a future has its outcome itself. */
  ended(pool: PoolInfo, thread: ThreadInfo, task: object, error: unknown): void
  /** A command that ran in another thread is over. */
  commandEnded(pool: PoolInfo, handle: number, outcome: TaskOutcome, error: unknown): void
  idle(pool: PoolInfo, thread: ThreadInfo): void
  started(pool: PoolInfo, thread: ThreadInfo): void
  exited(pool: PoolInfo, thread: ThreadInfo, died: boolean): void
  /** Reads what the threads of this pool have written. */
  readRings(pool: RingPool): void
  /** The pool has ended: reads its rings for the last time. */
  poolEnded(pool: RingPool): void
  /** The error of a failed future has been handed out. */
  failureSeen(future: object): void
}

/** A pool whose threads write what happens into rings. */
export interface RingPool {
  readonly info: PoolInfo
  /** From now on the threads write, or no longer. */
  listen(isOn: boolean): void
  /** Tells what the threads have written since the last call. */
  readRings(sink: RingSink): void
  /** How many entries were lost so far. */
  readonly droppedEvents: number
}

/** A run of a task that has a time. */
export interface RingFiring {
  readonly isPeriodic: boolean
  /** When it was due, on the clock of all threads. */
  readonly due: number
  /** How many further times at which it is due have passed. */
  readonly missed: number
}

/** What is read from rings. Times are those of the clock of all threads. */
export interface RingSink {
  /** Before `ringBegan`: the task has a time. */
  ringDue(thread: ThreadInfo, handle: number, firing: RingFiring): void
  /** Before `ringBegan`: the thread has taken the task from `victim`. `parent` is the handle of its parent. */
  ringStole(thread: ThreadInfo, handle: number, time: number, victim: ThreadInfo, parent: number): void
  /** `name` gives that of the function. */
  ringBegan(pool: PoolInfo, thread: ThreadInfo, handle: number, time: number, name: () => string): void
  /** `isTraced` if the thread itself has traced the run. */
  ringEnded(thread: ThreadInfo, handle: number, time: number, outcome: TaskOutcome, isTraced: boolean): void
  /** A task that the thread has forked itself has run. */
  ringRan(
    pool: PoolInfo,
    thread: ThreadInfo,
    start: number,
    end: number,
    outcome: TaskOutcome,
    name: () => string,
  ): void
  ringIdle(pool: PoolInfo, thread: ThreadInfo, time: number): void
  ringBlocked(pool: PoolInfo, thread: ThreadInfo, handle: number, time: number, what: WaitedFor): void
  ringUnblocked(pool: PoolInfo, thread: ThreadInfo, handle: number, time: number, what: WaitedFor): void
}

export interface Observing {
  /** The pools of this thread that have rings. */
  readonly rings: Set<RingPool>
  /** Undefined while no code listens. */
  by: Observer | undefined
  /** Of a worker thread: is notified of the waits of its tasks. */
  worker: WorkerObserver | undefined
  /** How events name threads. */
  readonly threads: WeakMap<object, ThreadInfo>
  /** Called for each new pool, if this thread has code for events. */
  newPool: ((pool: PoolInfo, printsUnobserved: boolean) => void) | undefined
  /** How many pools this thread has made. */
  pools: number
}

export const observing: Observing = /* @__PURE__ */ perThread("observing", () => ({
  rings: new Set<RingPool>(),
  by: undefined,
  worker: undefined,
  threads: new WeakMap<object, ThreadInfo>(),
  newPool: undefined,
  pools: 0,
}))

/** The info of a new pool. */
export function infoOf(name: string, isVirtual: boolean): PoolInfo {
  return { id: ++observing.pools, name, isVirtual }
}

/** How events name this thread. */
export function threadInfoOf(thread: ThreadInfo): ThreadInfo {
  let info = observing.threads.get(thread)
  if (info === undefined) {
    info = { id: thread.id, name: thread.name }
    observing.threads.set(thread, info)
  }
  return info
}

/** The flow whose owner is `thread` begins to wait. True if {@link noteUnblocked} is to be called. */
export function noteBlocked(thread: object | undefined, what: WaitedFor): boolean {
  const { by, worker } = observing
  const isInRing = worker?.blocked(thread, what) === true
  return by?.blocked(thread, what) === true || isInRing
}

export function noteUnblocked(thread: object | undefined, what: WaitedFor): void {
  observing.worker?.unblocked(thread, what)
  observing.by?.unblocked(thread, what)
}
