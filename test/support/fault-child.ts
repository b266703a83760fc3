/**
 * The program of a process of a fleet, for tests of faults: a node, or a program that submits. It is told what to be by its argument, and what to do by
 * messages; each is answered by one. It ends when its parent does.
 */
import type { DistributedExecutor as Fleet, DistributedTaskOptions, ExecutorNode as Node } from "corepool/distributed"
import type { EngineAddress } from "./engine-address.ts"

export interface ChildOrder {
  readonly role: "node" | "submitter"
  readonly address: EngineAddress
  readonly queue: string
  readonly nodeName: string
  readonly concurrency: number
  readonly lockDuration: number
  readonly threads: "virtual" | "platform"
  /** By how many ms the clock of this machine is wrong. */
  readonly clock: number
}

export type TaskName = Exclude<keyof typeof import("./fault.tasks.ts"), "FOLDER" | "NODE">

export interface Submission {
  readonly task: TaskName
  readonly args: readonly unknown[]
  readonly options?: DistributedTaskOptions
}

export type ChildMessage =
  /** Answered by the end of the process, with exit code 0: an answer might be lost with it. */
  | { readonly do: "close" }
  /** Answered by the ids, when all are stored. */
  | { readonly do: "submit"; readonly submissions: readonly Submission[] }
  /** Answered by the results of all that were submitted, in order. */
  | { readonly do: "await" }

export interface ChildAnswer {
  readonly value?: unknown
  readonly error?: string
}

const order = JSON.parse(process.argv[2] ?? "") as ChildOrder
if (order.clock !== 0) shiftClock(order.clock)
process.on("disconnect", () => process.exit())

// After the clock is set, so that nothing has looked at the right one.
const { Executors, virtualThreads } = await import("corepool")
const { DistributedExecutor, ExecutorNode } = await import("corepool/distributed")
const { engineAt } = await import("./engine-address.ts")
const tasks = await import("./fault.tasks.ts")

const engine = engineAt(order.address)
const settings = { name: order.queue, engine, tasks, onError: () => undefined }
const { concurrency } = order
let node: Node | undefined
let fleet: Fleet | undefined
const results: PromiseLike<unknown>[] = []

if (order.role === "node") {
  const executor = order.threads === "virtual" ? Executors.newFixedThreadPool(concurrency, virtualThreads()) : undefined
  const { nodeName, lockDuration } = order
  const own = executor === undefined ? { concurrency } : { executor }
  node = await ExecutorNode.start({ ...settings, nodeName, lockDuration, ...own })
} else {
  fleet = new DistributedExecutor(settings)
}

process.on("message", (message: ChildMessage) => {
  act(message).then(
    (value) => answer({ value }),
    (error: unknown) => answer({ error: String(error) }),
  )
})
answer({ value: "ready" })

async function act(message: ChildMessage): Promise<unknown> {
  switch (message.do) {
    case "close":
      await node?.close()
      await fleet?.close()
      return process.exit(0)
    case "submit": {
      const futures = message.submissions.map(({ task, args, options = {} }) =>
        (fleet as Fleet).with(options).submit(tasks[task] as (...given: unknown[]) => unknown, ...args),
      )
      for (const future of futures) future.catch(() => undefined)
      results.push(...futures)
      const stored = futures as unknown as { id: string; stored: Promise<void> }[]
      await Promise.all(stored.map((future) => future.stored))
      return stored.map(({ id }) => id)
    }
    case "await":
      return await Promise.all(results)
  }
}

function answer(given: ChildAnswer): void {
  process.send?.(given)
}

function shiftClock(by: number): void {
  const RealDate = Date
  const now = (): number => RealDate.now() + by
  globalThis.Date = class extends RealDate {
    static override now = now
    constructor(...given: [] | ConstructorParameters<typeof Date>) {
      if (given.length === 0) super(now())
      else super(...given)
    }
  } as typeof Date
}
