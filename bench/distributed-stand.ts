/** What the parts of the distributed benchmarks have in common: a queue with its processes, rows of the table, and how times are taken. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { DistributedExecutor } from "corepool/distributed"
import { ByHand } from "./distributed-hand.ts"
import { CONCURRENCY, engineOf, LOCK } from "./distributed-place.ts"
import * as tasks from "./tasks/distributed.ts"

export interface Sizes {
  readonly burst: number
  readonly trips: number
  readonly rounds: number
  readonly cancels: number
  readonly deaths: number
  readonly growth: number
  readonly backlog: number
  readonly schedules: number
}

export interface Row {
  readonly engine: string
  readonly what: string
  readonly corepool: number
  readonly byHand?: number
  /** What is done by hand. */
  readonly rival?: string
  readonly unit: string
  /** Of corepool's figure to the other one, or of the figure itself. */
  readonly target?: string
}

/** A queue of its own for one part, with the processes that take its jobs. */
export class Bench implements AsyncDisposable {
  readonly engine: string
  readonly url: string
  readonly sizes: Sizes
  readonly fleet: DistributedExecutor
  readonly #name: string
  readonly #processes: ChildProcess[] = []

  constructor(engine: string, url: string, sizes: Sizes, name: string) {
    this.engine = engine
    this.url = url
    this.sizes = sizes
    this.#name = name
    this.fleet = new DistributedExecutor({ name, engine: engineOf(url), tasks })
  }

  get handName(): string {
    return `${this.#name}-by-hand`
  }

  async node(
    contender: "corepool" | "by-hand" = "corepool",
    concurrency: number = CONCURRENCY,
    lock: number = LOCK,
  ): Promise<ChildProcess> {
    const program = fileURLToPath(new URL("distributed-node.js", import.meta.url))
    const queue = contender === "corepool" ? this.#name : this.handName
    const child = spawn(
      process.execPath,
      [...process.execArgv, program, contender, queue, this.url, String(concurrency), String(lock)],
      {
        stdio: ["ignore", "pipe", "inherit"],
      },
    )
    this.#processes.push(child)
    await once(child.stdout, "data")
    return child
  }

  row(what: string, corepool: number, unit: string, more: Partial<Row> = {}): Row {
    return { engine: this.engine, what, corepool, unit, ...more }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fleet.close()
    await this.kill()
  }

  async kill(): Promise<void> {
    for (const child of this.#processes.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      child.kill("SIGKILL")
      await once(child, "exit")
    }
  }
}

export async function startByHand(bench: Bench): Promise<ByHand> {
  const hand = new ByHand(bench.handName, bench.url)
  await hand.ready()
  await bench.node("by-hand")
  return hand
}

export function burstOf(fleet: DistributedExecutor, count: number): Promise<number> {
  return timed(async () => {
    const results = await Promise.all(Array.from({ length: count }, (_, i) => fleet.submit(tasks.add, i, 1)))
    if (results.some((result, i) => result !== i + 1)) throw new Error("A result is wrong")
  })
}

/** The medians of all, which take turns; one round before does not count. */
export async function inTurn<A extends (() => Promise<number>)[]>(
  rounds: number,
  ...acts: A
): Promise<{ [K in keyof A]: number }> {
  const samples = acts.map((): number[] => [])
  for (let round = 0; round <= rounds; round++) {
    for (const [i, act] of acts.entries()) {
      const time = await act()
      if (round > 0) samples[i]?.push(time)
    }
  }
  return samples.map(median) as { [K in keyof A]: number }
}

export async function repeat(times: number, act: () => Promise<number>): Promise<number[]> {
  const samples: number[] = []
  for (let i = 0; i < times; i++) samples.push(await act())
  return samples
}

export async function timed(act: () => PromiseLike<unknown>): Promise<number> {
  const begin = performance.now()
  await act()
  return performance.now() - begin
}

export function median(samples: readonly number[]): number {
  return percentile(samples, 0.5)
}

export function percentile(samples: readonly number[], part: number): number {
  const sorted = samples.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN
}
