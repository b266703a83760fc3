/**
 * A fleet of real processes on a real server, which a test can kill one by one, and the books that are compared in the end: what the tasks have
 * written, what the futures say, what the engine counts.
 *
 *     await using lab = await FaultLab.open(kind)
 *     const fleet = lab.fleet()
 *     const node = await lab.node("first")
 *     const future = fleet.submit(tasks.hold, "a")
 *     await lab.started("a")
 *     await node.kill()
 */
import { DistributedExecutor, type DistributedExecutorOptions, migrate } from "corepool/distributed"
import assert from "node:assert/strict"
import { type ChildProcess, fork } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe } from "node:test"
import { setTimeout as pause } from "node:timers/promises"
import { type EngineAddress, engineAt } from "./engine-address.ts"
import * as tasks from "./fault.tasks.ts"
import type { ChildAnswer, ChildMessage, ChildOrder, Submission } from "./fault-child.ts"
import { testPostgres } from "./postgres.ts"
import { testRedis, withoutRedis } from "./redis.ts"

export { type EngineAddress, engineAt, portOf, through } from "./engine-address.ts"

let schema: Promise<EngineAddress> | undefined

async function migrated(): Promise<EngineAddress> {
  const { url, fresh } = await testPostgres()
  const address = { kind: "postgres", options: { url, schema: fresh() } } as const
  await migrate(engineAt(address))
  return address
}

export interface FaultKind {
  readonly name: string
  /** Why it cannot be tested here; false if it can. */
  readonly skip: string | false
  readonly address: () => Promise<EngineAddress>
}

/** The servers on which each fault is tried. */
export const KINDS: readonly FaultKind[] = [
  { name: "PostgreSQL", skip: false, address: () => (schema ??= migrated()) },
  {
    name: "Redis",
    skip: withoutRedis,
    address: async () => {
      const { url, fresh } = await testRedis()
      return { kind: "redis", options: { url, prefix: fresh() } }
    },
  },
]

/**
 * Defines tests for each kind of server. They run several at a time: most of what they do is wait for locks that run out. Each has a queue of its own, so they do
 * not meet.
 */
export function onEachServer(define: (kind: FaultKind) => void): void {
  describe("faults", { concurrency: 4 }, () => {
    for (const kind of KINDS) define(kind)
  })
}

/** The lock of a node that loses it in a test, which waits for that. While the node lives it keeps the lock, also on a machine that is busy with other things. */
export const BRIEF = { lockDuration: 3000 }
/** The lock of all others: they keep it however busy the machine is. */
const LOCK = 60_000

/** Nothing that a test waits for takes so long. */
const PATIENCE = 90_000
const PROGRAM = fileURLToPath(new URL("fault-child.js", import.meta.url))

export class FaultLab implements AsyncDisposable {
  readonly address: EngineAddress
  readonly queue = `q-${randomUUID()}`
  /** What the executors of this process have told of. */
  readonly errors: unknown[] = []
  readonly #folder = mkdtempSync(join(tmpdir(), "corepool-faults-"))
  readonly #children: FleetChild[] = []
  readonly #fleets: DistributedExecutor[] = []

  private constructor(address: EngineAddress) {
    this.address = address
  }

  static async open(place: FaultKind | EngineAddress): Promise<FaultLab> {
    return new FaultLab("skip" in place ? await place.address() : place)
  }

  /** An executor in this process. */
  fleet(options: Partial<DistributedExecutorOptions> = {}): DistributedExecutor {
    const fleet = new DistributedExecutor({
      name: this.queue,
      engine: engineAt(this.address),
      tasks,
      onError: (error) => this.errors.push(error),
      ...options,
    })
    this.#fleets.push(fleet)
    return fleet
  }

  node(nodeName: string, options: Partial<ChildOrder> = {}): Promise<FleetChild> {
    return this.#child({ ...options, role: "node", nodeName })
  }

  /** A node that may be killed before it has said that it is there. */
  mortal(nodeName: string, options: Partial<ChildOrder> = {}): FleetChild {
    const child = this.#launch({ ...options, role: "node", nodeName })
    child.ready.catch(() => undefined) // it has been killed
    return child
  }

  /** A process that submits. */
  submitter(options: Partial<ChildOrder> = {}): Promise<FleetChild> {
    return this.#child({ ...options, role: "submitter" })
  }

  async #child(options: Partial<ChildOrder>): Promise<FleetChild> {
    const child = this.#launch(options)
    await child.ready
    return child
  }

  #launch(options: Partial<ChildOrder>): FleetChild {
    const child = new FleetChild(this.#folder, {
      role: "node",
      nodeName: "submitter",
      address: this.address,
      queue: this.queue,
      concurrency: 4,
      lockDuration: LOCK,
      threads: "virtual",
      clock: 0,
      ...options,
    })
    this.#children.push(child)
    return child
  }

  // ------------------------------------------------------------------ the books

  /** What the tasks have written, in order. */
  get ledger(): tasks.Entry[] {
    const path = join(this.#folder, "ledger")
    if (!existsSync(path)) return []
    // A line is there when its end is.
    const lines = readFileSync(path, "utf8").split("\n").slice(0, -1)
    return lines.map((line) => JSON.parse(line) as tasks.Entry)
  }

  starts(key?: string): tasks.Entry[] {
    return this.ledger.filter((entry) => entry.event === "start" && (key === undefined || entry.key === key))
  }

  ends(key?: string): tasks.Entry[] {
    return this.ledger.filter((entry) => entry.event === "end" && (key === undefined || entry.key === key))
  }

  /** How often each key was begun. */
  get runs(): Map<string, number> {
    const runs = new Map<string, number>()
    for (const { key } of this.starts()) runs.set(key, (runs.get(key) ?? 0) + 1)
    return runs
  }

  /** What began again did so because a node had died with it. (A node that dies before it has begun a job counts, too.) */
  repeatsFollowDeaths(): void {
    const deaths = new Map<string, number[]>()
    for (const entry of this.starts()) deaths.set(entry.key, [...(deaths.get(entry.key) ?? []), entry.deaths])
    for (const [key, counts] of deaths) {
      assert.deepEqual(
        counts,
        [...new Set(counts)].sort((a, b) => a - b),
        `${key}: ${JSON.stringify(this.ledger.filter((entry) => entry.key === key))}`,
      )
    }
  }

  /** Is fulfilled when tasks with this key have begun so often. */
  async started(key: string, times = 1): Promise<void> {
    await until(() => this.starts(key).length >= times, `${times} starts of ${key}`)
  }

  async ended(key: string, times = 1): Promise<void> {
    await until(() => this.ends(key).length >= times, `${times} ends of ${key}`)
  }

  /** Lets a task go on when tasks with this key have begun so often. Those that had to do with a death begin one after the other, in any order. */
  async passed(key: string, times: number): Promise<void> {
    await this.started(key, times)
    this.openGate(key)
  }

  openGate(name: string): void {
    writeFileSync(join(this.#folder, `gate-${name}`), "")
  }

  /** The engine has nothing left to do, and has so many outcomes; no future is left. */
  async settled(fleet: DistributedExecutor, outcomes: { completed: number; failed?: number }): Promise<void> {
    const { completed, failed = 0 } = outcomes
    const stats = await fleet.stats()
    assert.deepEqual(stats, { waiting: 0, delayed: 0, active: 0, completed, failed, outstanding: 0 })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#children.map((child) => child.kill()))
    for (const fleet of this.#fleets) {
      await fleet.shutdownNow()
      // If a test has failed, the killed nodes may have had tasks that no node will end.
      await fleet.awaitTermination(2000)
    }
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** Waits for a condition; `what` is what never came true. */
export async function until(condition: () => boolean | Promise<boolean>, what: string | (() => string)): Promise<void> {
  const limit = performance.now() + PATIENCE
  while (!(await condition())) {
    if (performance.now() > limit) throw new Error(`Never came true: ${typeof what === "string" ? what : what()}`)
    await pause(5)
  }
}

/** A process of the fleet. */
export class FleetChild {
  readonly #process: ChildProcess
  readonly #exit: Promise<unknown>
  readonly #answers: ((answer: ChildAnswer | undefined) => void)[] = []
  readonly ready: Promise<unknown>

  constructor(folder: string, order: ChildOrder) {
    this.#process = fork(PROGRAM, [JSON.stringify(order)], {
      env: { ...process.env, [tasks.FOLDER]: folder, [tasks.NODE]: order.nodeName, NODE_TEST_CONTEXT: undefined },
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    })
    this.#exit = once(this.#process, "exit")
    this.#process.on("message", (answer: ChildAnswer) => this.#answers.shift()?.(answer))
    void this.#exit.then(() => {
      for (const tell of this.#answers.splice(0)) tell(undefined)
    })
    this.ready = this.#answer()
  }

  get isAlive(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null
  }

  /** As `kill -9`. */
  async kill(): Promise<void> {
    this.#process.kill("SIGKILL")
    await this.#exit
  }

  /** Is fulfilled when the process has ended, however. */
  async exited(): Promise<void> {
    await this.#exit
  }

  /** Drains it; fulfilled when the process has ended. */
  async close(): Promise<void> {
    this.#process.send({ do: "close" } satisfies ChildMessage)
    const [code, signal] = (await this.#exit) as [number | null, string | null]
    if (code !== 0) throw new Error(`The process has ended with ${signal ?? code}`)
  }

  /** Gives the ids, when all are stored. */
  async submit(submissions: readonly Submission[]): Promise<string[]> {
    return (await this.#ask({ do: "submit", submissions })) as string[]
  }

  /** The results of all that it has submitted. */
  async results(): Promise<unknown[]> {
    return (await this.#ask({ do: "await" })) as unknown[]
  }

  #ask(message: ChildMessage): Promise<unknown> {
    this.#process.send(message)
    return this.#answer()
  }

  async #answer(): Promise<unknown> {
    const answer = await new Promise<ChildAnswer | undefined>((resolve) => this.#answers.push(resolve))
    if (answer === undefined) throw new Error("The process has ended")
    if (answer.error !== undefined) throw new Error(answer.error)
    return answer.value
  }
}
