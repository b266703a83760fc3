/** Defects 7 and 9 to 15: poolifier, workerpool, threads.js, multithreading. */
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import {
  count,
  messageOf,
  newWords,
  outcomeOf,
  type PeerDefect,
  PENDING,
  tasks,
  tellOutcome,
  until,
} from "./defects-peer.ts"
import { multithreading } from "./rivals.ts"
import { installed } from "./tasks/packages.ts"

interface Poolifier {
  execute(data: unknown, name: string, signal?: AbortSignal): Promise<unknown>
  destroy(): Promise<void>
}

async function newPoolifier(options: object = {}): Promise<Poolifier> {
  const { FixedThreadPool } = await installed<{
    FixedThreadPool: new (threads: number, file: string, options: object) => Poolifier
  }>("poolifier")
  return new FixedThreadPool(1, fileURLToPath(tasks("defects-poolifier")), {
    errorHandler: () => undefined,
    ...options,
  })
}

type Cancellable = Promise<unknown> & { cancel(): Cancellable }

interface Workerpool {
  exec(name: string, args: readonly unknown[]): Cancellable
}

async function newWorkerpool(): Promise<Workerpool> {
  const { default: library } = await installed<{ default: { pool(file: string, options: object): Workerpool } }>(
    "workerpool",
  )
  return library.pool(fileURLToPath(tasks("defects-workerpool")), {
    workerType: "thread",
    minWorkers: 1,
    maxWorkers: 1,
  })
}

type ThreadsWorker = Readonly<Record<string, (data?: unknown) => Promise<unknown>>>

interface Threads {
  readonly Pool: (
    spawn: () => Promise<unknown>,
    threads: number,
  ) => { queue(task: (worker: ThreadsWorker) => Promise<unknown>): PromiseLike<unknown> }
  /** The path is that from the file in which this is called. */
  readonly Worker: new (path: string) => unknown
  readonly spawn: (worker: unknown) => Promise<unknown>
}

async function call(worker: ThreadsWorker, name: string, data?: unknown): Promise<unknown> {
  const task = worker[name]
  if (task === undefined) throw new Error(`There is no task ${name}`)
  return task(data)
}

// These two are sent as source: they must not refer to anything out here.

const identity = (i: number): number => i

const uncaught = (_: number): Promise<never> => {
  setTimeout(() => {
    throw new Error("thrown where nobody catches")
  })
  return new Promise(() => undefined)
}

export const otherDefects: readonly PeerDefect[] = [
  {
    number: 7,
    peer: "poolifier",
    setup: "a task returns a function",
    async reproduce() {
      const pool = await newPoolifier()
      const outcome = await outcomeOf(pool.execute(0, "giveFunction"))
      if (outcome === PENDING) return { reproduced: true, seen: "pending" }
      const error = "error" in outcome ? outcome.error : undefined
      return {
        reproduced: !(error instanceof Error) || error.message === "",
        seen: `fails with ${messageOf(error)}`,
      }
    },
  },
  {
    number: 9,
    peer: "poolifier",
    setup: "exit, uncaught error, out of memory in a task",
    async reproduce() {
      const seen: string[] = []
      let hung = 0
      for (const task of ["exit", "throwUncaught", "fillHeap"]) {
        let ended = false
        const pool = await newPoolifier({
          workerOptions: { resourceLimits: { maxOldGenerationSizeMb: 16 } },
          exitHandler: () => (ended = true),
          errorHandler: () => (ended = true),
        })
        // A pool that never worked would show nothing.
        await pool.execute(0, "wait")
        const running = pool.execute(0, task)
        await Promise.race([until(() => ended), sleep(10_000)])
        const outcome = await tellOutcome(running)
        if (ended && outcome === "pending") hung++
        seen.push(`${task}: ${ended ? "the thread ended, " : ""}${outcome}`)
      }
      return { reproduced: hung > 0, seen: seen.join("; ") }
    },
  },
  {
    number: 10,
    peer: "poolifier",
    setup: "abort of a task that computes, and of one that waits",
    async reproduce() {
      const pool = await newPoolifier()
      const computing = new AbortController()
      const result = pool.execute(500, "spin", computing.signal)
      setTimeout(() => computing.abort(), 100)
      const seen = await tellOutcome(result)
      const waiting = new AbortController()
      const words = newWords()
      const aborted = outcomeOf(pool.execute({ words, n: 200 }, "steps", waiting.signal))
      await until(() => Atomics.load(words, 1) > 5)
      waiting.abort()
      await aborted
      const then = Atomics.load(words, 1)
      await pool.execute(50, "wait")
      const goesOn = Atomics.load(words, 1) > then + 5
      return {
        reproduced: seen.startsWith("gives") || goesOn,
        seen: `computing: ${seen}; waiting: ${goesOn ? "goes on" : "stops"}`,
      }
    },
  },
  {
    number: 11,
    peer: "poolifier",
    setup: "destroy() while a task runs",
    async reproduce() {
      const pool = await newPoolifier()
      const running = pool.execute(300, "wait")
      await pool.execute(0, "wait")
      await pool.destroy()
      const seen = await tellOutcome(running)
      return { reproduced: seen === "pending", seen: `the task: ${seen}` }
    },
  },
  {
    number: 12,
    peer: "workerpool",
    setup: "cancel() of a task that computes; the next one",
    async reproduce() {
      const pool = await newWorkerpool()
      await pool.exec("wait", [0])
      const running = pool.exec("spin", [10_000])
      const cancelled = tellOutcome(running)
      const start = performance.now()
      void running.cancel()
      await cancelled
      await pool.exec("wait", [0])
      const late = Math.round(performance.now() - start)
      return { reproduced: late > 1000, seen: `ran ${late} ms later` }
    },
  },
  {
    number: 13,
    peer: "workerpool",
    setup: "a task throws an error with a circle, one with a BigInt, undefined",
    async reproduce() {
      const pool = await newWorkerpool()
      const seen: string[] = []
      let lost = 0
      for (const task of ["throwCircle", "throwBigInt", "throwUndefined"]) {
        const before = await pool.exec("thread", [0])
        const outcome = await outcomeOf(pool.exec(task, [0]))
        seen.push(outcome === PENDING ? "pending" : "error" in outcome ? messageOf(outcome.error) : "no error")
        if ((await pool.exec("thread", [0])) !== before) lost++
      }
      return { reproduced: lost > 0, seen: `${lost} of 3 threads lost; ${seen.join("; ")}` }
    },
  },
  {
    number: 14,
    peer: "threads",
    setup: "uncaught error, exit in a task, one thread",
    async reproduce() {
      const { Pool, spawn, Worker } = await installed<{ default: Threads }>("threads").then((module) => module.default)
      const seen: string[] = []
      for (const name of ["throwUncaught", "exit"]) {
        const pool = Pool(() => spawn(new Worker("./tasks/defects-threads.js")), 1)
        // A pool that never worked would show nothing.
        await pool.queue((worker) => call(worker, "wait", 1))
        const task = tellOutcome(pool.queue((worker) => call(worker, name)))
        const next = tellOutcome(pool.queue((worker) => call(worker, "wait", 1)))
        seen.push(`${name}: ${await task}, the next: ${await next}`)
      }
      return { reproduced: seen.some((one) => one.includes("pending")), seen: seen.join("; ") }
    },
  },
  {
    number: 15,
    peer: "multithreading",
    setup: "70,000 tasks outstanding; an uncaught error in a task",
    async reproduce() {
      const { move, spawn } = await multithreading()
      const handles = count(70_000, (i) => spawn(move(i), identity).join())
      let settled = 0
      for (const handle of handles) void handle.then(() => settled++)
      await Promise.race([Promise.all(handles), outcomeOf(new Promise(() => undefined))])
      const failing = await tellOutcome(spawn(move(0), uncaught).join())
      return {
        reproduced: settled < handles.length || failing === "pending",
        seen: `${handles.length - settled} of 70,000 pending; uncaught: ${failing}`,
      }
    },
  },
]
