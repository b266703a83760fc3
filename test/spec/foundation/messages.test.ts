import {
  bind,
  CorepoolError,
  Executors,
  ForkJoinPool,
  FutureTask,
  IllegalStateError,
  LinkedBlockingQueue,
  platformThreads,
  ReentrantLock,
  registerClass,
  Semaphore,
  task,
  tasksOf,
  ThreadPoolExecutor,
  TimeoutError,
  transfer,
  virtualThreads,
} from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { rejectionOf } from "../../support/harness.ts"

const LONG = "long".repeat(5000)
const AFTER_CUT = "💥".repeat(5000)

/** An object, a function and a class whose names are as long. */
const Long = { [LONG]: class { x = 1 } }[LONG] as new () => object // prettier-ignore
const named = { [LONG]: () => 1 }[LONG] as () => number
const keyed = { [LONG]: { [LONG]: [named] } }
const wrong = (value: unknown): never => value as never

/** Calls that corepool refuses, or that fail, with something long in the message. */
const FAILURES: Record<string, () => unknown> = {
  "a string as a number": () => new Semaphore(wrong(LONG)),
  "an instance of a class": () => new LinkedBlockingQueue(wrong(new Long())),
  "a function as options": () => new ReentrantLock(wrong(named)),
  "a bigint": () => new Semaphore(wrong(BigInt("9".repeat(5000)))),
  "a symbol": () => new Semaphore(wrong(Symbol(LONG))),
  "an unknown option": () => new ReentrantLock(wrong({ [LONG]: 1 })),
  "half characters": () => new ReentrantLock(wrong({ [AFTER_CUT]: 1 })),
  "a cron expression": () => scheduled().scheduleCron(() => {}, LONG),
  "a time zone": () => scheduled().scheduleCron(() => {}, "0 0 * * *", { timezone: LONG }),
  "a task of the entry module": () => task(LONG, named),
  "a task without a name": () => platform((pool) => pool.submit(task(`data:text/javascript,//${LONG}`, () => 1))),
  "a class that is registered twice": () => {
    registerClass(Long, { name: LONG })
    registerClass(Map, { name: LONG })
  },
  "a transfer list": () => transfer({}, [new Long()]),
  "a refused task": async () => {
    const pool = Executors.newFixedThreadPool(1, virtualThreads())
    await pool.close()
    pool.submit(named)
  },
  "a pool with a name": async () => {
    const options = { corePoolSize: 1, maximumPoolSize: 1, threadFactory: virtualThreads(), name: LONG }
    const pool = new ThreadPoolExecutor(options)
    await pool.close()
    pool.execute(bind(named))
  },
  "a subclass of a pool": async () => {
    class Mine extends ForkJoinPool {}
    Object.defineProperty(Mine, "name", { value: LONG })
    const pool = new Mine({ parallelism: 1 })
    await pool.close()
    pool.submit(() => 1)
  },
  "an argument at a long place": () => platform((pool) => pool.submit((x) => x, keyed)),
  "an argument of a long name": () => platform((pool) => pool.submit((x) => x, named)),
  "an argument with a getter": () =>
    platform((pool) =>
      pool.submit((x) => x, {
        get a() {
          throw new Error(LONG)
        },
      }),
    ),
  "a result at a long place": () => platform((pool) => pool.submit((key) => ({ [key]: () => 1 }), LONG)),
  "a function that is built in": () => platform((pool) => pool.submit(named.bind(undefined))),
  "an exported name": () =>
    platform((pool) => pool.submit(tasksOf<Any>("data:text/javascript,")[LONG] as () => unknown)),
  "a module": () =>
    platform((pool) => pool.submit(tasksOf<Any>(`data:text/javascript,//${LONG}`)["f"] as () => unknown)),
  "a module that throws": () =>
    platform((pool) =>
      pool.submit(tasksOf<Any>(`data:text/javascript,throw new Error("${LONG}")`)["f"] as () => unknown),
    ),
  "a module with many exports": () => {
    const names = Array.from({ length: 500 }, (_, n) => `export function exported${n}() {}`)
    return platform((pool) =>
      pool.submit(tasksOf<Any>(`data:text/javascript,${names.join(";")}`)["f"] as () => unknown),
    )
  },
  "a module that is to be preloaded": () => {
    const factory = platformThreads({ name: () => LONG, preload: [`data:text/javascript,throw new Error("${LONG}")`] })
    return platform((pool) => pool.submit(() => 1), factory)
  },
  "a proxy of a thrown error": () =>
    platform((pool) =>
      pool.submit((text) => {
        throw new Proxy(new Error(text), {})
      }, LONG),
    ),
}

type Any = Readonly<Record<string, () => unknown>>

function scheduled() {
  return Executors.newScheduledThreadPool(1, virtualThreads())
}

async function platform(
  run: (pool: ThreadPoolExecutor) => PromiseLike<unknown>,
  factory = platformThreads(),
): Promise<unknown> {
  await using pool = Executors.newFixedThreadPool(1, factory)
  return await run(pool)
}

for (const [name, fail] of Object.entries(FAILURES)) {
  test(`[ER8] the message has at most 500 characters: ${name}`, async () => {
    const error = await rejectionOf(Promise.resolve().then(fail))
    assert.ok(
      error instanceof CorepoolError || error instanceof TypeError || error instanceof RangeError,
      String(error),
    )
    assert.ok(error.message.length <= 500, `${error.message.length}: ${error.message}`)
    assert.ok(error.message.length > 20 && !/\p{Surrogate}/u.test(error.message), error.message)
  })
}

test("[ER8] the beginning and the end of a message remain", async () => {
  const error = (await rejectionOf(platform((pool) => pool.submit((x) => x, keyed)))) as Error
  assert.match(error.message, /^Function longlong.* in `args\[0\]\.longlong.* … .*long\[0\]` cannot be copied$/)
})

test("[ER8] what the program gives to its own errors is left as it is, also across threads", async () => {
  class Mine extends IllegalStateError {}
  assert.equal(new Mine(LONG).message, LONG)
  assert.equal(new TimeoutError(LONG).message.length, 500)
  const failed = new FutureTask(() => {
    throw new RangeError(LONG)
  })
  void failed.run()
  assert.equal(((await rejectionOf(failed)) as Error).message, LONG)
  const thrown = await rejectionOf(
    platform((pool) =>
      pool.submit((text) => {
        throw new RangeError(text)
      }, LONG),
    ),
  )
  assert.equal((thrown as Error).message, LONG)
})
