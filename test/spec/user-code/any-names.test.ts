/** Subclasses of a program whose members have the names that members of the inside once had. */
import {
  AbstractQueuedSynchronizer,
  ArrayBlockingQueue,
  AtomicInteger,
  CountDownLatch,
  CyclicBarrier,
  DelayQueue,
  type Delayed,
  ForkJoinPool,
  FutureTask,
  LinkedBlockingDeque,
  LinkedBlockingQueue,
  LinkedTransferQueue,
  Phaser,
  PriorityBlockingQueue,
  ReentrantLock,
  ReentrantReadWriteLock,
  type Runnable,
  ScheduledThreadPoolExecutor,
  Semaphore,
  SynchronousQueue,
  ThreadPoolExecutor,
  platformThreads,
  virtualThreads,
} from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { add, crowd, Fib } from "./any-names.ts"

class Task<T> extends FutureTask<T> {
  static {
    crowd(this)
  }
}
class Pool extends ThreadPoolExecutor {
  static {
    crowd(this)
  }
}
class Schedule extends ScheduledThreadPoolExecutor {
  static {
    crowd(this)
  }
}
class TaskQueue extends LinkedBlockingQueue<Runnable> {
  static {
    crowd(this)
  }
}

for (const [kind, factory] of [
  ["virtual", virtualThreads],
  ["platform", platformThreads],
] as const) {
  test(`[UC9] ${kind} threads: tasks, queues and pools may have members of any name`, async () => {
    const workQueue = new TaskQueue()
    await using pool = new Pool({ corePoolSize: 1, maximumPoolSize: 1, workQueue, threadFactory: factory() })
    const own = new Task(() => 42)
    pool.execute(own)
    const futures = [1, 2, 3].map((n) => pool.submit(add, n, 1))
    const cancelled = pool.with({ timeout: 60_000 }).submit(add, 0, 0)
    cancelled.cancel(true)
    assert.equal(await own, 42)
    assert.deepEqual(await Promise.all(futures), [2, 3, 4])
    assert.deepEqual(
      (await pool.invokeAll([() => 1, () => 2])).map((future) => future.resultNow()),
      [1, 2],
    )
    assert.equal(cancelled.isCancelled, true)
  })

  test(`[UC9] ${kind} threads: a scheduled pool may have members of any name`, async () => {
    await using pool = new Schedule({ corePoolSize: 1, threadFactory: factory() })
    assert.equal(await pool.schedule(add, 1, 2, 3), 5)
    const late = pool.schedule(add, 3_600_000, 2, 3)
    assert.deepEqual(pool.shutdownNow().length, 1)
    assert.equal(late.isDone, true)
  })
}

test("[UC9] a task of a ForkJoinPool, and the pool, may have members of any name", async () => {
  class Joining extends ForkJoinPool {
    static {
      crowd(this)
    }
  }
  await using pool = new Joining({ parallelism: 2 })
  assert.equal(await pool.invoke(new Fib(12)), 144)
})

test("[UC9] locks and synchronizers may have members of any name", async () => {
  class Mutex extends AbstractQueuedSynchronizer {
    protected override tryAcquire(): boolean {
      return this.compareAndSetState(0, 1)
    }
    protected override tryRelease(): boolean {
      this.state = 0
      return true
    }
  }
  const [Lock, Both, Permits, Latch, Barrier, Phases, Counter] = [
    class extends ReentrantLock {},
    class extends ReentrantReadWriteLock {},
    class extends Semaphore {},
    class extends CountDownLatch {},
    class extends CyclicBarrier {},
    class extends Phaser {},
    class extends AtomicInteger {},
  ]
  for (const type of [Mutex, Lock, Both, Permits, Latch, Barrier, Phases, Counter]) crowd(type)

  const mutex = new Mutex()
  await mutex.acquire(1)
  const next = mutex.acquire(1)
  mutex.release(1)
  await next
  const lock = new Lock()
  const guard = await lock.lock()
  const condition = lock.newCondition()
  while (await condition.await(1)); // the end of a thread of an earlier test ends a wait as a signal does [CN27]
  guard.unlock()
  const both = new Both()
  await both.readLock.lock()
  both.readLock.unlock()
  await both.writeLock.lock()
  both.writeLock.unlock()
  const permits = new Permits(0)
  const permit = permits.acquire()
  permits.release()
  await permit
  const latch = new Latch(1)
  const open = latch.await()
  latch.countDown()
  await open
  assert.equal(await new Barrier(1).await(), 0)
  assert.equal(new Phases(1).arrive(), 0)
  assert.equal(
    new Counter(1).updateAndGet((n) => n + 1),
    2,
  )
})

test("[UC9] queues of all kinds may have members of any name, also if they are shared", async () => {
  class Item implements Delayed {
    readonly delay = 0
    readonly n = 1
  }
  const queues = [
    new (class Bounded<E> extends ArrayBlockingQueue<E> {})(2),
    new (class Linked<E> extends LinkedBlockingQueue<E> {})(),
    new (class Deque<E> extends LinkedBlockingDeque<E> {})(),
    new (class Transfer<E> extends LinkedTransferQueue<E> {})(),
    new (class Priority<E> extends PriorityBlockingQueue<E> {})((a, b) => (a as Item).n - (b as Item).n),
    new (class Delay<E extends Delayed> extends DelayQueue<E> {})(),
    new (class Direct<E> extends SynchronousQueue<E> {})(),
  ]
  for (const queue of queues) {
    crowd(queue.constructor)
    for (const isShared of [false, true]) {
      if (isShared) assert.equal(typeof queue.handle.corepool, "string")
      const taken = queue.take()
      await queue.put(new Item())
      assert.equal(((await taken) as Item).n, 1)
      assert.equal(queue.poll(), undefined)
      assert.equal(queue.contains(1), false)
      queue.clear()
    }
    queue.close()
  }
})
