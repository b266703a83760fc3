/** Queues of the program in pools of virtual threads. Ids such as [TP119] refer to docs/spec/pool.md. */
import {
  adaptQueue,
  CallerRunsPolicy,
  Executors,
  LinkedBlockingQueue,
  RejectedExecutionError,
  type Runnable,
  type TaskQueue,
  ThreadPoolExecutor,
  virtualThreads,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, Gate, rejectionOf } from "../../support/harness.ts"

/** Takes the last task first, and has room for so many. */
class Stack implements TaskQueue {
  readonly tasks: Runnable[] = []
  readonly removed: Runnable[] = []
  readonly #room: number

  constructor(room = Infinity) {
    this.#room = room
  }

  offer(task: Runnable): boolean {
    if (this.tasks.length >= this.#room) return false
    this.tasks.push(task)
    return true
  }

  poll(): Runnable | undefined {
    return this.tasks.pop()
  }

  remove(task: Runnable): boolean {
    const at = this.tasks.indexOf(task)
    if (at < 0) return false
    this.tasks.splice(at, 1)
    this.removed.push(task)
    return true
  }
}

function open(
  queue: TaskQueue,
  more: Partial<ConstructorParameters<typeof ThreadPoolExecutor>[0]> & { reported?: unknown[] } = {},
): ThreadPoolExecutor {
  const { reported, ...options } = more
  const uncaughtException = (_thread: unknown, error: unknown): void => void reported?.push(error)
  return new ThreadPoolExecutor({
    corePoolSize: 1,
    maximumPoolSize: 1,
    threadFactory: virtualThreads(reported === undefined ? {} : { uncaughtException }),
    workQueue: adaptQueue(queue),
    ...options,
  })
}

/** Occupies the only thread, gives the tasks, and says in which order they ran. */
async function orderOf(pool: ThreadPoolExecutor, count: number): Promise<number[]> {
  const gate = new Gate()
  const first = pool.submit(gate.body)
  await gate.entered()
  const order: number[] = []
  const futures = Array.from({ length: count }, (_, i) => pool.submit(() => void order.push(i)))
  gate.open()
  await Promise.all([first, ...futures])
  return order
}

test("[TP119] the queue decides on the order", async () => {
  await using pool = open(new Stack())
  assert.deepEqual(await orderOf(pool, 5), [4, 3, 2, 1, 0])
  await using plain = open(new LinkedBlockingQueue<Runnable>())
  assert.deepEqual(await orderOf(plain, 3), [0, 1, 2])
})

test("[TP119] the queue decides on the room", async () => {
  await using pool = open(new Stack(2), { maximumPoolSize: 2 })
  const gate = new Gate()
  const running = [pool.submit(gate.body), pool.submit(gate.body), pool.submit(gate.body), pool.submit(gate.body)]
  await eventually(() => gate.entries === 2)
  assert.throws(() => pool.submit(() => 1), RejectedExecutionError)
  pool.handler = CallerRunsPolicy
  assert.equal(await pool.submit(() => 5), 5)
  assert.deepEqual([pool.queue.size, pool.poolSize], [2, 2])
  gate.open()
  await Promise.all(running)
})

test("[TP119] tasks that are removed, cancelled or handed back leave the queue", async () => {
  const stack = new Stack()
  await using pool = open(stack)
  const gate = new Gate()
  const first = pool.submit(gate.body)
  await gate.entered()
  const futures = [1, 2, 3, 4].map((n) => pool.submit(() => n))
  assert.deepEqual(pool.queue.toArray(), futures)
  assert.equal(pool.remove(futures[1] as never), true)
  assert.equal(pool.remove(futures[1] as never), false)
  futures[2]?.cancel()
  pool.purge()
  assert.deepEqual([stack.tasks.length, stack.removed.length, pool.queue.size], [2, 2, 2])
  const unrun = pool.shutdownNow()
  assert.equal(unrun.length, 2)
  assert.deepEqual([stack.tasks.length, futures[0]?.state, futures[3]?.state], [0, "cancelled", "cancelled"])
  gate.open()
  await rejectionOf(first).catch(() => undefined)
  await using other = Executors.newFixedThreadPool(1, virtualThreads())
  for (const task of unrun) other.execute(task)
})

const hostile: Record<string, Partial<TaskQueue>> = {
  "poll throws": {
    poll() {
      throw new RangeError("poll")
    },
  },
  "poll gives what was never offered": { poll: () => () => 1 },
  "poll gives a number": { poll: () => 5 as never },
  "poll gives a revoked proxy": {
    poll() {
      const { proxy, revoke } = Proxy.revocable({}, {})
      revoke()
      return proxy as never
    },
  },
  "poll gives nothing": { poll: () => undefined },
  "remove throws, and poll gives nothing": {
    poll: () => undefined,
    remove() {
      throw new RangeError("remove")
    },
  },
}

for (const [what, methods] of Object.entries(hostile)) {
  test(`[TP120] ${what}: the oldest task runs, each once, and the pool ends`, async () => {
    const reported: unknown[] = []
    const pool = open(Object.assign(new Stack(), methods), { reported })
    assert.deepEqual(await orderOf(pool, 4), [0, 1, 2, 3])
    await pool.close()
    assert.equal(pool.isTerminated, true)
    if (what !== "poll gives nothing") assert.ok(reported.length > 0)
  })
}

test("[TP120] a queue that gives a task twice runs it once", async () => {
  const reported: unknown[] = []
  class Twice extends Stack {
    #last: Runnable | undefined
    override poll(): Runnable | undefined {
      const again = this.#last
      this.#last = again === undefined ? super.poll() : undefined
      return again ?? this.#last
    }
  }
  await using pool = open(new Twice(), { reported })
  const order = await orderOf(pool, 4)
  assert.deepEqual(
    [...order].sort((a, b) => a - b),
    [0, 1, 2, 3],
  )
})

test("[TP120] an offer that throws, lies or calls back", async () => {
  class Mean extends Stack {
    mode: "throw" | "truthy" | "back" | undefined
    pool: ThreadPoolExecutor | undefined
    override offer(task: Runnable): boolean {
      const { mode } = this
      this.mode = undefined
      if (mode === "throw") throw new RangeError("offer")
      if (mode === "truthy") return 1 as never
      if (mode === "back") this.pool?.execute(() => undefined)
      return super.offer(task)
    }
  }
  const queue = new Mean()
  await using pool = open(queue)
  queue.pool = pool
  const gate = new Gate()
  const first = pool.submit(gate.body)
  await gate.entered()
  queue.mode = "throw"
  assert.throws(() => pool.submit(() => 1), /RangeError: offer|offer/)
  queue.mode = "truthy"
  assert.throws(() => pool.submit(() => 1), RejectedExecutionError)
  queue.mode = "back"
  const last = pool.submit(() => 7)
  assert.equal(pool.queue.size, 2)
  gate.open()
  assert.equal(await last, 7)
  await first
})

test("[TP119] what lacks a method is refused, and so is such a queue in a pool of platform threads", () => {
  for (const wrong of [undefined, null, 5, {}, { offer() {}, poll() {} }, [], () => 1]) {
    assert.throws(() => adaptQueue(wrong as never), /Expected `queue` to be an object with the methods offer, poll and/)
  }
  const revoked = Proxy.revocable({}, {})
  revoked.revoke()
  assert.throws(() => adaptQueue(revoked.proxy as never), TypeError)
  assert.throws(
    () => new ThreadPoolExecutor({ corePoolSize: 1, maximumPoolSize: 1, workQueue: adaptQueue(new Stack()) }),
    { name: "UnsupportedOperationError" },
  )
})
