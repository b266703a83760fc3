/** Contest 3: what a task costs while it waits. The first one never ends, so all others wait behind it. */
import { corepool, type ThreadPoolExecutor } from "./corepool.ts"
import { type Contender, type Contest, pairsOf } from "./contest.ts"
import { fastq, pLimit, pQueue } from "./rivals.ts"

/** Nothing may be collected before it is measured. */
const kept: unknown[] = []

function never(_i: number): Promise<number> {
  return new Promise(() => undefined)
}

/** What `queue` returns is kept; what it is given back for each task is not, as when nobody has use for it. */
function waiting(name: string, queue: (n: number) => Promise<unknown>): Contender {
  return {
    name,
    async run(n) {
      kept.push(await queue(n))
    },
  }
}

async function newPool(): Promise<ThreadPoolExecutor> {
  const { Executors, virtualThreads } = await corepool()
  return Executors.newFixedThreadPool(1, virtualThreads())
}

const executed = waiting("execute", async (n) => {
  const executor = await newPool()
  for (let i = 0; i < n; i++) executor.execute(never, i)
  return executor
})

const submitted = waiting("submit", async (n) => {
  const executor = await newPool()
  for (let i = 0; i < n; i++) executor.submit(never, i)
  return executor
})

const awaited = waiting("submit and get()", async (n) => {
  const executor = await newPool()
  for (let i = 0; i < n; i++) void executor.submit(never, i).get()
  return executor
})

const fastqCallback = waiting("fastq", async (n) => {
  const make = await fastq()
  const queue = make<number>((i, report) => void never(i).then(() => report(null), report), 1)
  for (let i = 0; i < n; i++) queue.push(i)
  return queue
})

const fastqPromise = waiting("fastq.promise", async (n) => {
  const queue = (await fastq()).promise(never, 1)
  for (let i = 0; i < n; i++) void queue.push(i)
  return queue
})

const limited = waiting("p-limit", async (n) => {
  const limit = (await pLimit())(1)
  for (let i = 0; i < n; i++) void limit(never, i)
  return limit
})

const queued = waiting("p-queue", async (n) => {
  const queue = new (await pQueue())({ concurrency: 1 })
  for (let i = 0; i < n; i++) void queue.add(() => never(i))
  return queue
})

export const memory: Contest = {
  name: "memory",
  measures: "memory",
  bouts: [
    {
      title: "tasks waiting for the only thread, with a future or promise each",
      n: 200_000,
      pairs: pairsOf([submitted, awaited], [{ rival: fastqPromise }, { rival: limited }, { rival: queued }]),
    },
    {
      title: "tasks waiting for the only thread, without a result",
      n: 200_000,
      pairs: [{ ours: executed, rival: fastqCallback }],
    },
  ],
}
