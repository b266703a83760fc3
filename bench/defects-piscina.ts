/** Defects 1 to 8: piscina, and tinypool, which comes from it. */
import { count, logOf, messageOf, newWords, open, type PeerDefect, tasks, tellOutcome, until } from "./defects-peer.ts"
import { installed } from "./tasks/packages.ts"

interface Pool {
  readonly queueSize: number
  readonly threads: readonly unknown[]
  run(data: unknown, options: { name: string; signal?: AbortSignal }): Promise<unknown>
  close(): Promise<void>
  destroy(): Promise<void>
}

const filename = tasks("defects").href

async function newPiscina(threads: number, options: object = {}): Promise<Pool> {
  const { default: Piscina } = await installed<{ default: new (options: object) => Pool }>("piscina")
  return new Piscina({ filename, minThreads: threads, maxThreads: threads, ...options })
}

async function rejectedOf(promises: readonly Promise<unknown>[]): Promise<PromiseRejectedResult[]> {
  return (await Promise.allSettled(promises)).filter((one) => one.status === "rejected")
}

const inOrder = count(8, (i) => i).join()

async function orderOf(options: object, signal?: AbortSignal): Promise<string> {
  const pool = await newPiscina(1, options)
  const words = newWords()
  await Promise.all(
    count(8, (i) => pool.run({ words, i }, signal === undefined ? { name: "mark" } : { name: "mark", signal })),
  )
  return logOf(words).join()
}

export const piscinaDefects: readonly PeerDefect[] = [
  {
    number: 1,
    peer: "piscina",
    setup: "close() with tasks that run and wait",
    async reproduce() {
      const lost: string[] = []
      for (const [threads, n] of [
        [2, 10],
        [2, 20],
        [4, 40],
      ] as const) {
        const pool = await newPiscina(threads)
        const rejected = rejectedOf(count(n, (i) => pool.run(i % 4, { name: "wait" })))
        await pool.close()
        lost.push(`${(await rejected).length} of ${n}`)
      }
      return { reproduced: lost.some((one) => !one.startsWith("0 ")), seen: `lost ${lost.join(", ")}` }
    },
  },
  {
    number: 2,
    peer: "piscina",
    setup: "maxQueue 2, one thread, 20 tasks with a signal",
    async reproduce() {
      const pool = await newPiscina(1, { maxQueue: 2 })
      const words = newWords()
      const { signal } = new AbortController()
      const rejected = rejectedOf(count(20, () => pool.run(words, { name: "hold", signal })))
      const { queueSize } = pool
      open(words)
      const { length } = await rejected
      return { reproduced: length < 17, seen: `${length} rejected, ${queueSize} in the queue` }
    },
  },
  {
    number: 3,
    peer: "piscina",
    setup: "maxQueue 0, a task while the thread is busy",
    async reproduce() {
      const pool = await newPiscina(1, { maxQueue: 0 })
      const words = newWords()
      const first = pool.run(words, { name: "hold" })
      await until(() => Atomics.load(words, 1) === 1)
      const log = newWords()
      const second = tellOutcome(pool.run({ words: log, i: 7 }, { name: "mark" }))
      open(words)
      await first
      const seen = await second
      // Whatever was queued behind it is done with the next.
      await pool.run(0, { name: "wait" })
      const ran = logOf(log).length > 0
      return { reproduced: seen.startsWith("fails") && ran, seen: `${seen}; ${ran ? "ran" : "did not run"}` }
    },
  },
  {
    number: 4,
    peer: "piscina",
    setup: "one thread, 8 tasks",
    async reproduce() {
      const order = await orderOf({})
      return { reproduced: order !== inOrder, seen: `order ${order}` }
    },
  },
  {
    number: 5,
    peer: "piscina",
    setup: "stricterFIFO, one thread, 8 tasks with a signal",
    async reproduce() {
      const order = await orderOf({ stricterFIFO: true }, new AbortController().signal)
      return { reproduced: order !== inOrder, seen: `order ${order}` }
    },
  },
  {
    number: 6,
    peer: "piscina",
    setup: "run() after destroy()",
    async reproduce() {
      const pool = await newPiscina(1)
      await pool.destroy()
      const seen = await tellOutcome(pool.run(1, { name: "wait" }))
      return { reproduced: seen.startsWith("gives"), seen: `${seen}; ${pool.threads.length} threads` }
    },
  },
  {
    number: 7,
    peer: "piscina",
    setup: "a task returns a function",
    async reproduce() {
      const pool = await newPiscina(1)
      const before = await pool.run(0, { name: "thread" })
      const error: unknown = await pool.run(0, { name: "giveFunction" }).catch((reason: unknown) => reason)
      const killed = (await pool.run(0, { name: "thread" })) !== before
      const bare = !(error instanceof Error) || error.message === ""
      return {
        reproduced: bare || killed,
        seen: `fails with ${messageOf(error)}${killed ? "; the thread was lost" : ""}`,
      }
    },
  },
  {
    number: 8,
    peer: "tinypool",
    setup: "process.exit(3) in a task, one thread",
    async reproduce() {
      const { Tinypool } = await installed<{ Tinypool: new (options: object) => Pool }>("tinypool")
      const pool = new Tinypool({ filename, minThreads: 1, maxThreads: 1 })
      // A pool that never worked would show nothing.
      await pool.run(0, { name: "wait" })
      const [task, next] = [pool.run(0, { name: "exit" }), pool.run(1, { name: "wait" })].map(tellOutcome)
      const seen = `the task: ${await task}; the next: ${await next}`
      return { reproduced: seen.includes("pending"), seen }
    },
  },
]
