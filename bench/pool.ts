/** Contest 1: many short asynchronous tasks, eight at a time, each contender by its own bulk idiom. */
import { corepool, type Runnable, type ThreadPoolExecutor } from "./corepool.ts"
import { type Contender, type Contest, pairsOf, requireEqual, sum, sumBelow } from "./contest.ts"
import { fastq, pLimit, pQueue } from "./rivals.ts"

const CONCURRENCY = 8
const PRIORITIES = 20

/** To await it is the shortest wait there is: what is measured is everything around it. */
const NOTHING: unknown = null

async function task(i: number): Promise<number> {
  await NOTHING
  return i
}

/** A contender that collects the results; they must be those of all tasks. */
function collecting(name: string, results: (n: number) => Promise<readonly number[]>): Contender {
  return {
    name,
    async run(n) {
      requireEqual("the sum of the results", sum(await results(n)), sumBelow(n))
    },
  }
}

/** A contender that runs tasks for their effect. */
function effective(
  name: string,
  perform: (n: number, effect: (i: number) => Promise<void>) => Promise<void>,
): Contender {
  return {
    name,
    async run(n) {
      let total = 0
      await perform(n, async (i) => {
        await NOTHING
        total += i
      })
      requireEqual("the sum of what the tasks saw", total, sumBelow(n))
    },
  }
}

function times<T>(n: number, make: (i: number) => T): T[] {
  const made: T[] = []
  for (let i = 0; i < n; i++) made.push(make(i))
  return made
}

async function eachOf(promises: readonly PromiseLike<number>[]): Promise<number[]> {
  const results: number[] = []
  for (const promise of promises) results.push(await promise)
  return results
}

// ------------------------------------------------------------------ corepool

async function newPool(): Promise<ThreadPoolExecutor> {
  const { Executors, virtualThreads } = await corepool()
  return Executors.newFixedThreadPool(CONCURRENCY, virtualThreads())
}

const invokeAll = collecting("invokeAll, resultNow of each", async (n) => {
  const { bind } = await corepool()
  await using executor = await newPool()
  const futures = await executor.invokeAll(times(n, (i) => bind(task, i)))
  return futures.map((future) => future.resultNow())
})

const submitGet = collecting("submit, Promise.all of get()", async (n) => {
  await using executor = await newPool()
  return await Promise.all(times(n, (i) => executor.submit(task, i).get()))
})

const submitAll = collecting("submit, Promise.all of futures", async (n) => {
  await using executor = await newPool()
  return await Promise.all(times(n, (i) => executor.submit(task, i)))
})

const submitAwait = collecting("submit, await of each future", async (n) => {
  await using executor = await newPool()
  return await eachOf(times(n, (i) => executor.submit(task, i)))
})

const execute = effective("execute, close", async (n, effect) => {
  const executor = await newPool()
  for (let i = 0; i < n; i++) executor.execute(effect, i)
  await executor.close()
})

const withPriority = collecting("with({ priority }), Promise.all of get()", async (n) => {
  const { PriorityBlockingQueue, ThreadPoolExecutor, virtualThreads } = await corepool()
  await using executor = new ThreadPoolExecutor({
    corePoolSize: CONCURRENCY,
    maximumPoolSize: CONCURRENCY,
    workQueue: new PriorityBlockingQueue<Runnable>(),
    threadFactory: virtualThreads(),
  })
  const views = times(PRIORITIES, (priority) => executor.with({ priority }))
  return await Promise.all(times(n, (i) => (views[i % PRIORITIES] ?? executor).submit(task, i).get()))
})

// ------------------------------------------------------------------ rivals

const fastqPromise = collecting("fastq.promise", async (n) => {
  const queue = (await fastq()).promise(task, CONCURRENCY)
  return Promise.all(times(n, (i) => queue.push(i)))
})

const fastqAwait = collecting("fastq.promise, await of each", async (n) => {
  const queue = (await fastq()).promise(task, CONCURRENCY)
  return eachOf(times(n, (i) => queue.push(i)))
})

const fastqCallback = effective("fastq, drain", async (n, effect) => {
  const make = await fastq()
  const queue = make<number>((i, report) => void effect(i).then(() => report(null), report), CONCURRENCY)
  const drained = new Promise<void>((resolve) => (queue.drain = resolve))
  for (let i = 0; i < n; i++) queue.push(i)
  await drained
})

const limited = collecting("p-limit", async (n) => {
  const limit = (await pLimit())(CONCURRENCY)
  return Promise.all(times(n, (i) => limit(task, i)))
})

const limitedAwait = collecting("p-limit, await of each", async (n) => {
  const limit = (await pLimit())(CONCURRENCY)
  return eachOf(times(n, (i) => limit(task, i)))
})

const queued = collecting("p-queue", async (n) => {
  const queue = new (await pQueue())({ concurrency: CONCURRENCY })
  return Promise.all(times(n, (i) => queue.add(() => task(i))))
})

const queuedWithPriority = collecting("p-queue with priority", async (n) => {
  const queue = new (await pQueue())({ concurrency: CONCURRENCY })
  return Promise.all(times(n, (i) => queue.add(() => task(i), { priority: i % PRIORITIES })))
})

// ------------------------------------------------------------------ the contest

export const pool: Contest = {
  name: "pool",
  measures: "time",
  bouts: [
    {
      title: `asynchronous tasks, ${CONCURRENCY} at a time, all results collected`,
      n: 200_000,
      pairs: pairsOf(
        [submitAll, submitGet, invokeAll],
        [{ rival: fastqPromise, target: 0.75 }, { rival: limited, target: 1.5 }, { rival: queued }],
      ),
    },
    {
      title: `asynchronous tasks, ${CONCURRENCY} at a time, results awaited one after the other`,
      n: 200_000,
      pairs: [
        { ours: submitAwait, rival: fastqAwait, target: 1.2 },
        { ours: submitAwait, rival: limitedAwait, target: 2 },
      ],
    },
    {
      title: `asynchronous tasks, ${CONCURRENCY} at a time, no results`,
      n: 200_000,
      pairs: [{ ours: execute, rival: fastqCallback, target: 0.8 }],
    },
    {
      title: `asynchronous tasks of ${PRIORITIES} priorities, ${CONCURRENCY} at a time, all results collected`,
      n: 200_000,
      pairs: [{ ours: withPriority, rival: queuedWithPriority, target: 20 }],
    },
  ],
}
