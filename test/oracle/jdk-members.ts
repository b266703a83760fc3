/**
 * The public and protected methods of the classes of JDK 17 that corepool has, as `javap -protected` lists them: those that a class
 * declares or overrides itself. Constructors, and what every object has, are left out.
 */
export const JDK_MEMBERS: Readonly<Record<string, string>> = {
  ThreadPoolExecutor:
    "afterExecute allowCoreThreadTimeOut allowsCoreThreadTimeOut awaitTermination beforeExecute execute finalize getActiveCount getCompletedTaskCount getCorePoolSize getKeepAliveTime getLargestPoolSize getMaximumPoolSize getPoolSize getQueue getRejectedExecutionHandler getTaskCount getThreadFactory isShutdown isTerminated isTerminating prestartAllCoreThreads prestartCoreThread purge remove setCorePoolSize setKeepAliveTime setMaximumPoolSize setRejectedExecutionHandler setThreadFactory shutdown shutdownNow terminated",
  ScheduledThreadPoolExecutor:
    "decorateTask execute getContinueExistingPeriodicTasksAfterShutdownPolicy getExecuteExistingDelayedTasksAfterShutdownPolicy getQueue getRemoveOnCancelPolicy schedule scheduleAtFixedRate scheduleWithFixedDelay setContinueExistingPeriodicTasksAfterShutdownPolicy setExecuteExistingDelayedTasksAfterShutdownPolicy setRemoveOnCancelPolicy shutdown shutdownNow submit",
  AbstractExecutorService: "invokeAll invokeAny newTaskFor submit",
  ExecutorService: "awaitTermination invokeAll invokeAny isShutdown isTerminated shutdown shutdownNow submit",
  Executor: "execute",
  ScheduledExecutorService: "schedule scheduleAtFixedRate scheduleWithFixedDelay",
  Executors:
    "callable defaultThreadFactory newCachedThreadPool newFixedThreadPool newScheduledThreadPool newSingleThreadExecutor newSingleThreadScheduledExecutor newWorkStealingPool privilegedCallable privilegedCallableUsingCurrentClassLoader privilegedThreadFactory unconfigurableExecutorService unconfigurableScheduledExecutorService",
  ExecutorCompletionService: "poll submit take",
  Future: "cancel get isCancelled isDone",
  FutureTask: "cancel done get isCancelled isDone run runAndReset set setException",
  ForkJoinPool:
    "awaitQuiescence awaitTermination commonPool drainTasksTo execute getActiveThreadCount getAsyncMode getCommonPoolParallelism getFactory getParallelism getPoolSize getQueuedSubmissionCount getQueuedTaskCount getRunningThreadCount getStealCount getUncaughtExceptionHandler hasQueuedSubmissions invoke invokeAll invokeAny isQuiescent isShutdown isTerminated isTerminating managedBlock newTaskFor pollSubmission shutdown shutdownNow submit",
  ForkJoinTask:
    "adapt cancel compareAndSetForkJoinTaskTag complete completeExceptionally exec fork get getException getForkJoinTaskTag getPool getQueuedTaskCount getRawResult getSurplusQueuedTaskCount helpQuiesce inForkJoinPool invoke invokeAll isCancelled isCompletedAbnormally isCompletedNormally isDone join peekNextLocalTask pollNextLocalTask pollSubmission pollTask quietlyComplete quietlyInvoke quietlyJoin reinitialize setForkJoinTaskTag setRawResult tryUnfork",
  RecursiveTask: "compute exec getRawResult setRawResult",
  RecursiveAction: "compute exec getRawResult setRawResult",
  CountedCompleter:
    "addToPendingCount compareAndSetPendingCount complete compute decrementPendingCountUnlessZero exec firstComplete getCompleter getPendingCount getRawResult getRoot helpComplete nextComplete onCompletion onExceptionalCompletion propagateCompletion quietlyCompleteRoot setPendingCount setRawResult tryComplete",
  ArrayBlockingQueue:
    "add clear contains drainTo forEach iterator offer peek poll put remainingCapacity remove removeAll removeIf retainAll size spliterator take toArray",
  LinkedBlockingQueue:
    "clear contains drainTo forEach iterator offer peek poll put remainingCapacity remove removeAll removeIf retainAll size spliterator take toArray",
  SynchronousQueue:
    "clear contains containsAll drainTo isEmpty iterator offer peek poll put remainingCapacity remove removeAll retainAll size spliterator take toArray",
  PriorityBlockingQueue:
    "add clear comparator contains drainTo forEach iterator offer peek poll put remainingCapacity remove removeAll removeIf retainAll size spliterator take toArray",
  DelayQueue: "add clear drainTo iterator offer peek poll put remainingCapacity remove size take toArray",
  LinkedBlockingDeque:
    "add addAll addFirst addLast clear contains descendingIterator drainTo element forEach getFirst getLast iterator offer offerFirst offerLast peek peekFirst peekLast poll pollFirst pollLast pop push put putFirst putLast remainingCapacity remove removeAll removeFirst removeFirstOccurrence removeIf removeLast removeLastOccurrence retainAll size spliterator take takeFirst takeLast toArray",
  LinkedTransferQueue:
    "add clear contains drainTo forEach getWaitingConsumerCount hasWaitingConsumer isEmpty iterator offer peek poll put remainingCapacity remove removeAll removeIf retainAll size spliterator take toArray transfer tryTransfer",
  ReentrantLock:
    "getHoldCount getOwner getQueueLength getQueuedThreads getWaitQueueLength getWaitingThreads hasQueuedThread hasQueuedThreads hasWaiters isFair isHeldByCurrentThread isLocked lock lockInterruptibly newCondition tryLock unlock",
  Condition: "await awaitNanos awaitUninterruptibly awaitUntil signal signalAll",
  ReentrantReadWriteLock:
    "getOwner getQueueLength getQueuedReaderThreads getQueuedThreads getQueuedWriterThreads getReadHoldCount getReadLockCount getWaitQueueLength getWaitingThreads getWriteHoldCount hasQueuedThread hasQueuedThreads hasWaiters isFair isWriteLocked isWriteLockedByCurrentThread readLock writeLock",
  ReadLock: "lock lockInterruptibly newCondition tryLock unlock",
  WriteLock: "getHoldCount isHeldByCurrentThread lock lockInterruptibly newCondition tryLock unlock",
  AbstractQueuedSynchronizer:
    "acquire acquireInterruptibly acquireShared acquireSharedInterruptibly compareAndSetState getExclusiveQueuedThreads getFirstQueuedThread getQueueLength getQueuedThreads getSharedQueuedThreads getState getWaitQueueLength getWaitingThreads hasContended hasQueuedPredecessors hasQueuedThreads hasWaiters isHeldExclusively isQueued owns release releaseShared setState tryAcquire tryAcquireNanos tryAcquireShared tryAcquireSharedNanos tryRelease tryReleaseShared",
  Semaphore:
    "acquire acquireUninterruptibly availablePermits drainPermits getQueueLength getQueuedThreads hasQueuedThreads isFair reducePermits release tryAcquire",
  CountDownLatch: "await countDown getCount",
  CyclicBarrier: "await getNumberWaiting getParties isBroken reset",
  Phaser:
    "arrive arriveAndAwaitAdvance arriveAndDeregister awaitAdvance awaitAdvanceInterruptibly bulkRegister forceTermination getArrivedParties getParent getPhase getRegisteredParties getRoot getUnarrivedParties isTerminated onAdvance register",
  Exchanger: "exchange",
  AtomicInteger:
    "accumulateAndGet addAndGet compareAndExchange compareAndExchangeAcquire compareAndExchangeRelease compareAndSet decrementAndGet doubleValue floatValue get getAcquire getAndAccumulate getAndAdd getAndDecrement getAndIncrement getAndSet getAndUpdate getOpaque getPlain incrementAndGet intValue lazySet longValue set setOpaque setPlain setRelease updateAndGet weakCompareAndSet weakCompareAndSetAcquire weakCompareAndSetPlain weakCompareAndSetRelease weakCompareAndSetVolatile",
  AtomicLong:
    "accumulateAndGet addAndGet compareAndExchange compareAndExchangeAcquire compareAndExchangeRelease compareAndSet decrementAndGet doubleValue floatValue get getAcquire getAndAccumulate getAndAdd getAndDecrement getAndIncrement getAndSet getAndUpdate getOpaque getPlain incrementAndGet intValue lazySet longValue set setOpaque setPlain setRelease updateAndGet weakCompareAndSet weakCompareAndSetAcquire weakCompareAndSetPlain weakCompareAndSetRelease weakCompareAndSetVolatile",
  Thread:
    "activeCount checkAccess clone countStackFrames currentThread dumpStack enumerate getAllStackTraces getContextClassLoader getDefaultUncaughtExceptionHandler getId getName getPriority getStackTrace getState getThreadGroup getUncaughtExceptionHandler holdsLock interrupt interrupted isAlive isDaemon isInterrupted join onSpinWait resume run setContextClassLoader setDaemon setDefaultUncaughtExceptionHandler setName setPriority setUncaughtExceptionHandler sleep start stop suspend yield",
}
