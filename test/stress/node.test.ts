/**
 * Jobs on platform threads that end in all ways at once, cancelled at random: tasks that return, throw, wait, never end, or end their thread. Each job ends once, the
 * node has none left, and its threads are as good as new.
 */
import fc from "fast-check"
import assert from "node:assert/strict"
import { test } from "node:test"
import { Driver, type DrivenJob, NodeGate } from "../spec/distributed/node-driver.ts"
import { eventually } from "../support/harness.ts"

const TASKS = ["add", "later", "fail", "awaitInterrupt", "spin", "exit", "flood"] as const

type Task = (typeof TASKS)[number]

interface Order {
  readonly task: Task
  readonly attempts: number
  readonly timeout: number | undefined
  /** After which of the later orders it is cancelled, and how. */
  readonly cancelledAfter: number
  readonly interrupt: boolean
}

const order: fc.Arbitrary<Order> = fc.record({
  task: fc.constantFrom(...TASKS),
  attempts: fc.integer({ min: 1, max: 2 }),
  timeout: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
  cancelledAfter: fc.integer({ min: 0, max: 8 }),
  interrupt: fc.boolean(),
})

/** What these tasks are called with. */
function argumentsOf(task: Task, gate: NodeGate): unknown[] {
  if (task === "add") return [1, 2]
  if (task === "flood") return [300]
  return task === "later" || task === "fail" ? ["x"] : task === "exit" ? [] : [gate.index]
}

async function run(orders: readonly Order[]): Promise<void> {
  await using driver = await Driver.open()
  const node = await driver.start({ executor: driver.platform(2, 20), concurrency: 3 })
  const gate = new NodeGate()
  const jobs: DrivenJob[] = []
  const cancel = async (i: number): Promise<void> => {
    const { interrupt, timeout, task } = orders[i] as Order
    // Without interrupt or a limit, these would never end.
    const isEndless = timeout === undefined && (task === "spin" || task === "awaitInterrupt")
    await jobs[i]?.cancel(interrupt || isEndless)
  }
  for (const [i, { task, attempts, timeout }] of orders.entries()) {
    const data = timeout === undefined ? {} : { timeout }
    jobs.push(await driver.add(task, argumentsOf(task, gate), { attempts, data }))
    for (const [j, { cancelledAfter }] of orders.entries()) if (j + cancelledAfter === i && j <= i) await cancel(j)
  }
  for (const [i, { cancelledAfter }] of orders.entries()) if (i + cancelledAfter >= orders.length) await cancel(i)
  for (const job of jobs) await job.end
  await eventually(() => node.running === 0)
  assert.deepEqual(
    jobs.map(({ ends }) => ends.length),
    jobs.map(() => 1),
  )
  assert.equal(await driver.valueOf("add", [3, 4]), 7)
}

test("[ND49][ND30] jobs of all tempers on platform threads, cancelled at random, each end once", async () => {
  await fc.assert(fc.asyncProperty(fc.array(order, { minLength: 5, maxLength: 40 }), run), {
    numRuns: 6,
    endOnFailure: true,
  })
})
