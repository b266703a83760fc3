/** Random settings of pools, and random things to do to them. */
import {
  ArrayBlockingQueue,
  type BlockingQueue,
  LinkedBlockingDeque,
  LinkedBlockingQueue,
  LinkedTransferQueue,
  PriorityBlockingQueue,
  type Runnable,
  SynchronousQueue,
  Thread,
} from "corepool"
import fc from "fast-check"
import { setImmediate as turn } from "node:timers/promises"
import { type Job, OnPurpose, policies, type Policy, World } from "./pool-world.ts"

// ------------------------------------------------------------------ settings

const queues = {
  linked: () => new LinkedBlockingQueue<Runnable>(),
  "linked 2": () => new LinkedBlockingQueue<Runnable>(2),
  "array 1": () => new ArrayBlockingQueue<Runnable>(1),
  "array 3": () => new ArrayBlockingQueue<Runnable>(3),
  deque: () => new LinkedBlockingDeque<Runnable>(3),
  transfer: () => new LinkedTransferQueue<Runnable>(),
  // Any order will do, as long as it is one that is not that of arrival.
  priority: () => new PriorityBlockingQueue<Runnable>((a, b) => orderOf(a) - orderOf(b)),
  synchronous: () => new SynchronousQueue<Runnable>(),
  "fair synchronous": () => new SynchronousQueue<Runnable>({ fair: true }),
} satisfies Record<string, () => BlockingQueue<Runnable>>

let last = 0
const orders = new WeakMap<Runnable, number>()

function orderOf(task: Runnable): number {
  let order = orders.get(task)
  if (order === undefined) orders.set(task, (order = last = (last * 7 + 3) % 101))
  return order
}

export interface Settings {
  readonly core: number
  readonly more: number
  readonly keepAlive: number
  readonly coreTimeOut: boolean
  readonly queue: keyof typeof queues
  readonly policy: Policy
}

export const settings: fc.Arbitrary<Settings> = fc.record({
  core: fc.nat(3),
  more: fc.nat(3),
  keepAlive: fc.constantFrom(0, 1, 60_000, Infinity),
  coreTimeOut: fc.boolean(),
  queue: fc.constantFrom(...(Object.keys(queues) as (keyof typeof queues)[])),
  policy: fc.constantFrom(...policies),
})

export function worldOf({ core, more, keepAlive, coreTimeOut, queue, policy }: Settings): World {
  return new World(
    {
      corePoolSize: core,
      maximumPoolSize: Math.max(core + more, 1),
      keepAliveTime: keepAlive,
      allowCoreThreadTimeOut: coreTimeOut && keepAlive > 0,
      workQueue: queues[queue](),
    },
    allowed(policy, queue),
  )
}

/** With a queue that holds nothing, discarding the oldest fills the stack: [RJ9], tested elsewhere. */
function allowed(policy: Policy, queue: keyof typeof queues): Policy {
  return policy === "discard oldest" && queue.endsWith("synchronous") ? "discard" : policy
}

// ------------------------------------------------------------------ tasks

const bodies = [
  "value",
  "throws",
  "microtasks",
  "gated",
  "interruptible",
  "executes another",
  "cancels itself",
] as const
type Body = (typeof bodies)[number]

function bodyOf(world: World, kind: Body): (job: Job) => unknown {
  switch (kind) {
    case "value":
      return ({ id }) => id
    case "throws":
      return () => {
        throw new OnPurpose("task")
      }
    case "microtasks":
      return async ({ id }) => {
        for (let i = 0; i < id % 4; i++) await Promise.resolve()
        if (id % 3 === 0) throw new OnPurpose("task")
        return id
      }
    case "gated":
      return ({ gate }) => gate.body()
    case "interruptible":
      return ({ gate }) => gate.interruptible()
    case "executes another":
      return async ({ id }) => {
        world.execute(bodyOf(world, id % 2 === 0 ? "value" : "microtasks"))
        await Promise.resolve()
        world.submit(bodyOf(world, "throws"))
      }
    case "cancels itself":
      return ({ future, id }) => {
        future?.cancel(id % 2 === 0)
        return Thread.interrupted()
      }
  }
}

// ------------------------------------------------------------------ operations

export type Operation =
  | { readonly do: "execute" | "submit"; readonly body: Body }
  | {
      readonly do: "open" | "fail" | "remove" | "cancel" | "cancel with interrupt" | "interrupt"
      readonly which: number
    }
  | { readonly do: "core size" | "maximum size"; readonly size: number }
  | { readonly do: "keep-alive"; readonly ms: number }
  | { readonly do: "core time-out"; readonly on: boolean }
  | { readonly do: "policy"; readonly policy: Policy }
  | { readonly do: "microtasks"; readonly count: number }
  | { readonly do: (typeof plain)[number] }

const plain = [
  "turn",
  "purge",
  "poll the queue",
  "prestart one",
  "prestart all",
  "factory refuses",
  "factory throws",
  "beforeExecute throws",
  "afterExecute throws",
  "shutdown",
  "shutdownNow",
] as const

const which = fc.nat(30)
const giving = fc.record({
  do: fc.constantFrom("execute" as const, "submit" as const),
  body: fc.constantFrom(...bodies),
})
const handling = fc.record({
  do: fc.constantFrom(
    "open" as const,
    "fail" as const,
    "remove" as const,
    "cancel" as const,
    "cancel with interrupt" as const,
    "interrupt" as const,
  ),
  which,
})
const setting = fc.oneof(
  fc.record({
    do: fc.constantFrom("core size" as const, "maximum size" as const),
    size: fc.integer({ min: -1, max: 6 }),
  }),
  fc.record({ do: fc.constant("keep-alive" as const), ms: fc.constantFrom(-1, 0, 1, 50, Infinity) }),
  fc.record({ do: fc.constant("core time-out" as const), on: fc.boolean() }),
  fc.record({ do: fc.constant("policy" as const), policy: fc.constantFrom(...policies) }),
)
const waiting = fc.oneof(
  fc.record({ do: fc.constant("microtasks" as const), count: fc.nat(6) }),
  fc.constant({ do: "turn" as const }),
)

function plainly(...names: (typeof plain)[number][]): fc.Arbitrary<Operation> {
  return fc.record({ do: fc.constantFrom(...names) })
}

/** Nothing fails but tasks. */
export const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 30, arbitrary: giving },
  { weight: 25, arbitrary: handling },
  { weight: 15, arbitrary: waiting },
  { weight: 10, arbitrary: setting },
  { weight: 8, arbitrary: plainly("purge", "poll the queue", "prestart one", "prestart all") },
  { weight: 1, arbitrary: plainly("shutdown", "shutdownNow") },
)

/** Factories and hooks fail too. */
export const roughOperation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 8, arbitrary: operation },
  {
    weight: 1,
    arbitrary: plainly("factory refuses", "factory throws", "beforeExecute throws", "afterExecute throws"),
  },
)

/** Does it. A setting that is out of its range, and a factory that fails, throw as they should. */
export async function perform(world: World, doing: Operation, kind: Settings["queue"]): Promise<void> {
  const { pool, jobs } = world
  const job = "which" in doing ? jobs[doing.which % Math.max(jobs.length, 1)] : undefined
  try {
    switch (doing.do) {
      case "execute":
      case "submit":
        world[doing.do](bodyOf(world, doing.body))
        break
      case "open":
        job?.gate.open(job.id)
        break
      case "fail":
        job?.gate.fail(new OnPurpose("task"))
        break
      case "remove":
        if (job !== undefined) world.remove(job)
        break
      case "cancel":
        job?.future?.cancel()
        break
      case "cancel with interrupt":
        job?.future?.cancel(true)
        break
      case "interrupt":
        world.threads[doing.which % Math.max(world.threads.length, 1)]?.interrupt()
        break
      case "core size":
        pool.corePoolSize = doing.size
        break
      case "maximum size":
        world.setMaximum(doing.size)
        break
      case "keep-alive":
        pool.keepAliveTime = doing.ms
        break
      case "core time-out":
        pool.allowCoreThreadTimeOut = doing.on
        break
      case "policy":
        world.policy = allowed(doing.policy, kind)
        break
      case "microtasks":
        for (let i = 0; i < doing.count; i++) await Promise.resolve()
        break
      case "turn":
        await turn()
        break
      case "purge":
        world.purge()
        break
      case "poll the queue":
        world.poll()
        break
      case "prestart one":
        pool.prestartCoreThread()
        break
      case "prestart all":
        pool.prestartAllCoreThreads()
        break
      case "factory refuses":
        world.factoryFails = "refuses"
        break
      case "factory throws":
        world.factoryFails = "throws"
        break
      case "beforeExecute throws":
        world.beforeThrows = true
        break
      case "afterExecute throws":
        world.afterThrows = true
        break
      case "shutdown":
        world.shutdown()
        break
      case "shutdownNow":
        world.shutdownNow()
        break
    }
  } catch (error) {
    const refusal = error instanceof RangeError && error.message.startsWith("Expected `")
    if (!refusal && !(error instanceof OnPurpose)) throw error
  } finally {
    world.sample()
  }
}
