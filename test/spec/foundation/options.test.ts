import {
  ArrayBlockingQueue,
  CountDownLatch,
  CyclicBarrier,
  Exchanger,
  ExecutorCompletionService,
  Executors,
  ForkJoinPool,
  FutureTask,
  LinkedBlockingDeque,
  LinkedTransferQueue,
  parallelForEach,
  parallelForEachSync,
  parallelMap,
  parallelMapSync,
  parallelPrefix,
  parallelPrefixSync,
  parallelReduce,
  parallelReduceSync,
  parallelSort,
  parallelSortSync,
  Phaser,
  platformThreads,
  ReentrantLock,
  ReentrantReadWriteLock,
  registerClass,
  ScheduledThreadPoolExecutor,
  Semaphore,
  SynchronousQueue,
  Thread,
  ThreadPoolExecutor,
  virtualThreads,
} from "corepool"
import { ManualClock } from "corepool/testing"
import assert from "node:assert/strict"
import { test } from "node:test"
import { rejectionOf, thrownBy } from "../../support/harness.ts"

/** Who takes options: a call with them, those it needs, a misspelt one, and the one that is meant. */
interface Place {
  readonly call: (options: never) => unknown
  readonly needed?: object
  readonly wrong: string
  readonly meant: string
}

const add = (a: number, b: number): number => a + b
const numbers = Float64Array.of(1, 2, 3)
class Point {
  x = 1
}

const lock = new ReentrantLock()
const pair = new ReentrantReadWriteLock()
const empty = new ArrayBlockingQueue<number>(1)
const done = new FutureTask(() => 1)
void done.run()
const pending = new FutureTask(() => 1)
const service = new ExecutorCompletionService(virtual())

function virtual(): ScheduledThreadPoolExecutor {
  return new ScheduledThreadPoolExecutor({ corePoolSize: 1, threadFactory: virtualThreads() })
}

function wait(call: (options: never) => unknown): Place {
  return { call, needed: { timeout: 0 }, wrong: "timeOut", meant: "timeout" }
}

const PLACES: Record<string, Place> = {
  ThreadPoolExecutor: {
    call: (options) => new ThreadPoolExecutor(options),
    needed: { corePoolSize: 1, maximumPoolSize: 1, threadFactory: virtualThreads() },
    wrong: "maxPoolSize",
    meant: "maximumPoolSize",
  },
  ScheduledThreadPoolExecutor: {
    call: (options) => new ScheduledThreadPoolExecutor(options),
    needed: { corePoolSize: 1, threadFactory: virtualThreads() },
    wrong: "threadfactory",
    meant: "threadFactory",
  },
  ForkJoinPool: { call: (options) => new ForkJoinPool(options), wrong: "paralelism", meant: "parallelism" },
  platformThreads: { call: (options) => platformThreads(options), wrong: "terminateafter", meant: "terminateAfter" },
  resourceLimits: {
    call: (resourceLimits) => platformThreads({ resourceLimits }),
    wrong: "maxOldGenerationSizeMB",
    meant: "maxOldGenerationSizeMb",
  },
  virtualThreads: { call: (options) => virtualThreads(options), wrong: "nmae", meant: "name" },
  with: { call: (options) => virtual().with(options), wrong: "abortSignal", meant: "signal" },
  "with of a view": {
    call: (options) => virtual().with({ timeout: 1 }).with(options),
    wrong: "prio",
    meant: "priority",
  },
  "with of a delegate": {
    call: (options) => Executors.unconfigurableExecutorService(virtual()).with(options),
    wrong: "queuetimeout",
    meant: "queueTimeout",
  },
  map: { call: (options) => virtual().map((n: number) => n, [1], options), wrong: "order", meant: "ordered" },
  scheduleCron: {
    call: (options) =>
      virtual()
        .scheduleCron(() => {}, "0 0 * * *", options)
        .cancel(),
    wrong: "timeZone",
    meant: "timezone",
  },
  close: { call: (options) => virtual().close(options), wrong: "singal", meant: "signal" },
  "close of a terminated executor": {
    call: async (options) => {
      const pool = virtual()
      await pool.close()
      await pool.close(options)
    },
    wrong: "Signal",
    meant: "signal",
  },
  "sleep of a clock": { call: (options) => new ManualClock().sleep(0, options), wrong: "sgnal", meant: "signal" },
  "Thread.sleep": { call: (options) => Thread.sleep(0, options), wrong: "signals", meant: "signal" },
  ReentrantLock: { call: (options) => new ReentrantLock(options), wrong: "fiar", meant: "fair" },
  ReentrantReadWriteLock: { call: (options) => new ReentrantReadWriteLock(options), wrong: "Fair", meant: "fair" },
  Semaphore: { call: (options) => new Semaphore(1, options), wrong: "fairness", meant: "fair" },
  ArrayBlockingQueue: { call: (options) => new ArrayBlockingQueue(1, options), wrong: "fairr", meant: "fair" },
  SynchronousQueue: { call: (options) => new SynchronousQueue(options), wrong: "isFair", meant: "fair" },
  registerClass: { call: (codec) => registerClass(Point, codec), wrong: "encoder", meant: "encode" },
  ManualClock: { call: (options) => new ManualClock(options), wrong: "startsAt", meant: "startAt" },
  parallelForEach: { call: (options) => parallelForEach(0, () => {}, options), wrong: "grains", meant: "grain" },
  parallelForEachSync: { call: (options) => parallelForEachSync(0, () => {}, options), wrong: "arg", meant: "args" },
  parallelMap: { call: (options) => parallelMap(numbers, (x) => x, options), wrong: "inTo", meant: "into" },
  parallelMapSync: { call: (options) => parallelMapSync(numbers, (x) => x, options), wrong: "in_to", meant: "into" },
  parallelPrefix: { call: (options) => parallelPrefix(numbers, add, options), wrong: "gain", meant: "grain" },
  parallelPrefixSync: { call: (options) => parallelPrefixSync(numbers, add, options), wrong: "pools", meant: "pool" },
  parallelReduce: { call: (options) => parallelReduce(numbers, add, options), wrong: "initialValue", meant: "initial" },
  parallelReduceSync: { call: (options) => parallelReduceSync(numbers, add, options), wrong: "init", meant: "initial" },
  parallelSort: { call: (options) => parallelSort(numbers, options), wrong: "comparator", meant: "compare" },
  parallelSortSync: { call: (options) => parallelSortSync(numbers, options), wrong: "comparer", meant: "compare" },
  "get of a future": wait((options) => pending.get(options)),
  "get of a future that is done": wait((options) => done.get(options)),
  awaitTermination: wait((options) => virtual().awaitTermination(options)),
  "awaitTermination of a ForkJoinPool": wait((options) =>
    new ForkJoinPool({ parallelism: 1 }).awaitTermination(options),
  ),
  awaitQuiescence: wait((options) => new ForkJoinPool({ parallelism: 1 }).awaitQuiescence(options)),
  invokeAll: wait((options) => virtual().invokeAll([() => 1], options)),
  invokeAny: wait((options) => Executors.newVirtualThreadPerTaskExecutor().invokeAny([() => 1], options)),
  "invokeAny of a pool": wait((options) => virtual().invokeAny([() => 1], options)),
  "poll of a completion service": wait((options) => service.poll(options)),
  "poll of a queue": wait((options) => empty.poll(options)),
  "offer of a queue": wait((options) => empty.offer(1, options)),
  "take of a queue": wait((options) => empty.take(options)),
  "take of a deque": wait((options) => new LinkedBlockingDeque<number>().takeLast(options)),
  "transfer of a queue": wait((options) => new LinkedTransferQueue<number>().transfer(1, options)),
  "tryTransfer of a queue": wait((options) => new LinkedTransferQueue<number>().tryTransfer(1, options)),
  "lock of a lock": wait((options) => lock.lock(options)),
  "tryLock of a lock": wait((options) => new ReentrantLock().tryLock(options)),
  "lock of a write lock": wait((options) => new ReentrantReadWriteLock().writeLock.lock(options)),
  "lock of a read lock": wait((options) => pair.readLock.lock(options)),
  "await of a condition": wait(async (options) => {
    const own = new ReentrantLock()
    using _held = await own.lock()
    await own.newCondition().await(options)
  }),
  "acquire of a semaphore": wait((options) => new Semaphore(1).acquire(1, options)),
  "tryAcquire of a semaphore": wait((options) => new Semaphore(1).tryAcquire(1, options)),
  "await of a latch": wait((options) => new CountDownLatch(0).await(options)),
  "await of a barrier": wait((options) => new CyclicBarrier(2).await(options)),
  "awaitAdvance of a phaser": wait((options) => new Phaser(1).awaitAdvance(0, options)),
  exchange: wait((options) => new Exchanger().exchange(1, options)),
  "join of a thread": wait((options) => Thread.currentThread().join(options)),
}

/** What comes of it, whether it throws or rejects. */
async function refusalOf(call: () => unknown): Promise<unknown> {
  return await rejectionOf(Promise.resolve().then(call))
}

for (const [name, { call, needed, wrong, meant }] of Object.entries(PLACES)) {
  const attempt = (options: object): Promise<unknown> => refusalOf(() => call(options as never))

  test(`[CK12] an unknown option is refused, and the nearest is named: ${name}`, async () => {
    for (const options of [{ ...needed, [wrong]: undefined }, Object.create({ ...needed, [wrong]: 1 }) as object]) {
      const error = await attempt(options)
      assert.ok(error instanceof TypeError, String(error))
      const place = name === "resourceLimits" ? " of `resourceLimits`" : name === "registerClass" ? " of `codec`" : ""
      assert.equal(error.message, `Unknown option \`${wrong}\`${place}: did you mean \`${meant}\`?`)
    }
    const error = await attempt({ ...needed, nothingOfTheKind: 1 })
    assert.ok(error instanceof TypeError)
    assert.match(error.message, /^Unknown option `nothingOfTheKind`.*: known are `/)
    assert.ok(error.message.includes(`\`${meant}\``))
  })

  test(`[CK13] what a getter throws is the error of the call: ${name}`, async () => {
    const thrown = new Error("by the getter")
    const options = Object.defineProperty({ ...needed }, meant, {
      enumerable: true,
      get() {
        throw thrown
      },
    })
    assert.equal(await attempt(options), thrown)
  })
}

test("[CK13] symbols, missing prototypes and inherited options are fine, and each option is read once", async () => {
  let reads = 0
  const options = Object.assign(Object.create(null) as object, { [Symbol("mine")]: 1 })
  const inheriting = Object.create(
    {
      get fair() {
        reads++
        return true
      },
    },
    { [Symbol("mine")]: { value: 1, enumerable: true } },
  ) as { fair: boolean }
  assert.equal(new ReentrantLock(options).isFair, false)
  assert.equal(new ReentrantLock(inheriting).isFair, true)
  assert.equal(reads, 1)
  assert.equal(await done.get(Object.assign(options, { timeout: 1 })), 1)
  class Settings {
    readonly corePoolSize = 1
    readonly maximumPoolSize = 2
    get threadFactory() {
      return virtualThreads()
    }
    describe(): string {
      return "methods are not enumerable, and so no options"
    }
  }
  await using pool = new ThreadPoolExecutor(new Settings())
  assert.equal(pool.maximumPoolSize, 2)
})

test("[CK12] a signal in the place of options is refused as such", async () => {
  const error = await rejectionOf(done.get(AbortSignal.abort() as never))
  assert.ok(error instanceof TypeError)
  assert.match(error.message, /to be a number of milliseconds or { timeout, signal }, got an instance of AbortSignal$/)
})

test("[CK12] an AbortController can stand in the place of { signal }", async () => {
  const control = new AbortController()
  const reason = new Error("enough")
  const waits = [pending.get(control), Thread.sleep(60_000, control), empty.take(control)].map(rejectionOf)
  control.abort(reason)
  assert.deepEqual(await Promise.all(waits), [reason, reason, reason])
})

test("[CK12] a time limit of close() has a refusal of its own", async () => {
  const error = await rejectionOf(virtual().close({ timeout: 5 } as never))
  assert.match(String(error), /^TypeError: Expected `timeout` to be left out/)
})

test("[CK12] names of what all objects have, and names of any length, are unknown options as any other", () => {
  for (const key of ["toString", "constructor", "__proto__", "x".repeat(100_000), "💥".repeat(300), ""]) {
    const options = Object.defineProperty({}, key, { value: 1, enumerable: true })
    const error = thrownBy(() => new ReentrantLock(options))
    assert.ok(error instanceof TypeError, key)
    assert.match(error.message, /^Unknown option `.*: known are `fair`$/su)
    assert.ok(error.message.length <= 500 && !/\p{Surrogate}/u.test(error.message))
  }
})
