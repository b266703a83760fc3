/** The synchronizers of which both wait nodes and events tell. */
export const SYNCHRONIZERS = [
  "ReentrantLock",
  "ReentrantReadWriteLock",
  "Condition",
  "Semaphore",
  "CountDownLatch",
  "CyclicBarrier",
  "Phaser",
  "Exchanger",
  "RateLimiter",
] as const

/** The kinds of objects in shared memory for which a flow can wait, as wait nodes name them: by a small number. */
const KINDS: readonly string[] = [
  "AbstractQueuedSynchronizer",
  ...SYNCHRONIZERS,
  "ArrayBlockingQueue",
  "LinkedBlockingQueue",
  "LinkedBlockingDeque",
  "LinkedTransferQueue",
  "PriorityBlockingQueue",
  "DelayQueue",
  "SynchronousQueue",
]

/** The number of the kind; 0 if it has none. */
export function kindOf(type: string): number {
  return KINDS.indexOf(type) + 1
}

/** The name of the class. */
export function kindName(kind: number): string {
  return KINDS[kind - 1] ?? "an object"
}
