/** The queue of a scheduled pool. Ids such as [SC33] refer to docs/spec/schedule.md. */
import { FutureTask, type ScheduledFuture } from "corepool"
import fc from "fast-check"
import assert from "node:assert/strict"
import test from "node:test"
import { NOWHERE, type Placed, TaskHeap } from "#src/schedule/task-heap.js"
import { eventually, thrownBy, turns } from "../../support/harness.ts"
import { FakeClock } from "../../support/fake-clock.ts"
import { pass, Schedules, wrong } from "./support.ts"

test("[SC33] the queue holds what waits for its time, and not what runs", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  const gate = pools.gate()
  const first = pool.schedule(gate.body, 1)
  const second = pool.schedule(() => undefined, 2)
  assert.deepEqual([pool.queue.contains(first), pool.queue.contains(second)], [true, true])
  await pass(clock, 1)
  assert.deepEqual([pool.queue.contains(first), pool.queue.contains(second)], [false, true])
  assert.deepEqual([pool.queue.size, pool.queue.peek()], [1, second])
})

test("[SC33] iteration shows everything in the order in which it is due", async () => {
  await using pools = new Schedules()
  const pool = pools.open()
  const delays = [5, 3, 9, 1, 3, 7, Infinity].map((seconds) => seconds * 1000)
  const futures = delays.map((delay) => pool.schedule(() => undefined, delay))
  const order = [3, 1, 4, 0, 5, 2, 6].map((i) => futures[i])
  assert.deepEqual([...pool.queue], order)
  assert.deepEqual(pool.queue.toArray(), order)
})

test("[SC33] only what is due can be taken from it", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  pool.execute(pools.gate().body)
  const futures = [1, 2, 3, 100].map((delay) => pool.schedule(() => undefined, delay))
  await turns()
  assert.equal(pool.queue.poll(), undefined)
  await pass(clock, 5)
  assert.equal(pool.queue.poll(), futures[0])
  const drained: unknown[] = []
  assert.equal(pool.queue.drainTo(wrong(drained)), 2)
  assert.deepEqual(drained, futures.slice(1, 3))
  assert.deepEqual([pool.queue.size, pool.queue.poll(), pool.queue.peek()], [1, undefined, futures[3]])
})

test("[SC33] its iterator can remove, and clear empties it", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  const futures = [1, 2, 3, 4].map((delay) => pool.schedule(() => undefined, delay))
  const iterator = pool.queue[Symbol.iterator]()
  iterator.next()
  iterator.next()
  iterator.remove()
  assert.deepEqual(pool.queue.toArray(), [futures[0], futures[2], futures[3]])
  pool.queue.clear()
  assert.equal(pool.queue.size, 0)
  await pass(clock, 10)
  assert.ok(futures.every((future) => !future.isDone))
})

test("[SC34] remove takes a waiting task out by its future, once; it then never runs", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  let runs = 0
  const once = pool.schedule(() => runs++, 5)
  const series = pool.scheduleAtFixedRate(() => runs++, 5, 5)
  await turns()
  assert.deepEqual([pool.remove(once), pool.remove(once)], [true, false])
  assert.deepEqual([pool.remove(series), pool.queue.size, pool.taskCount], [true, 0, 0])
  await pass(clock, 20)
  assert.deepEqual([runs, once.isDone, series.isDone], [0, false, false])
})

test("[SC34] remove gives false for what runs, is over, or is another pool's, and for the function itself", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const [pool, other] = [pools.open(), pools.open()]
  const gate = pools.gate()
  const running = pool.schedule(gate.body, 1)
  const body = (): void => undefined
  pool.schedule(body, 1000)
  const foreign = other.schedule(body, 1000)
  await pass(clock, 2)
  assert.deepEqual([pool.remove(running), pool.remove(body), pool.remove(foreign)], [false, false, false])
  gate.open()
  await running
  assert.equal(pool.remove(running), false)
  assert.deepEqual([pool.queue.size, other.queue.size], [1, 1])
})

test("[SC34] a future that was given to execute is removed by itself", async () => {
  await using pools = new Schedules()
  const pool = pools.open()
  const gate = pools.gate()
  pool.execute(gate.body)
  const task = new FutureTask(() => "never")
  pool.execute(task)
  await gate.entered()
  assert.deepEqual([pool.remove(task), pool.remove(task), pool.queue.size], [true, false, 0])
})

test("[SC35] purge takes out what is cancelled, also futures that were given to execute, and nothing else", async () => {
  await using pools = new Schedules()
  const pool = pools.open()
  const gate = pools.gate()
  pool.execute(gate.body)
  const futures = [1, 2, 3, 4, 5].map((n) => pool.schedule(() => undefined, 1000 * n))
  const tasks = [new FutureTask(() => undefined), new FutureTask(() => undefined)]
  for (const task of tasks) pool.execute(task)
  await gate.entered()
  for (const i of [0, 3]) futures[i]?.cancel()
  tasks[0]?.cancel()
  assert.deepEqual([pool.queue.size, pool.taskCount], [7, 8])
  pool.purge()
  assert.deepEqual([pool.queue.size, pool.taskCount], [4, 5])
  assert.deepEqual(pool.queue.toArray().slice(1), [futures[1], futures[2], futures[4]])
})

test("[SC36] what is no scheduled task cannot be put into it, nor one that is in a queue", async () => {
  await using pools = new Schedules()
  const pool = pools.open()
  const future = pool.schedule(() => undefined, 1000)
  for (const none of [() => undefined, { run() {} }, new FutureTask(() => undefined), { delay: 5 }, null]) {
    assert.ok(thrownBy(() => pool.queue.add(wrong(none))) instanceof TypeError)
    assert.ok(thrownBy(() => pool.queue.offer(wrong(none))) instanceof TypeError)
  }
  const twice = thrownBy(() => pool.queue.add(wrong(future)))
  assert.match(
    String(twice),
    /^TypeError: Expected `e` to be a scheduled task that is in no queue, got an instance of /,
  )
  assert.equal(pool.queue.size, 1)
})

test("[SC36] a task that was taken out can be put back, and then runs in its time", async () => {
  using clock = new FakeClock()
  await using pools = new Schedules()
  const pool = pools.open()
  const future = pool.schedule(() => "run", 5)
  await turns()
  pool.remove(future)
  pool.queue.add(wrong(future))
  await pass(clock, 4)
  assert.equal(future.isDone, false)
  await pass(clock, 1)
  assert.equal(await future, "run")
})

// ------------------------------------------------------------------ the heap

class Numbered implements Placed {
  readonly time: number
  readonly number: number
  slot = NOWHERE

  constructor(time: number, number: number) {
    this.time = time
    this.number = number
  }
}

type Operation = { readonly push: number } | { readonly remove: number } | { readonly removeWhere: number } | "pop"

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { arbitrary: fc.record({ push: fc.nat(20) }), weight: 4 },
  { arbitrary: fc.record({ remove: fc.nat(40) }), weight: 2 },
  { arbitrary: fc.record({ removeWhere: fc.nat(5) }), weight: 1 },
  { arbitrary: fc.constant("pop" as const), weight: 1 },
)

test("[SC37] the heap does what a sorted list would do, whatever is done to it", () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 200 }), (operations) => {
      const heap = new TaskHeap<Numbered>()
      const all: Numbered[] = []
      let model: Numbered[] = []
      for (const step of operations) {
        if (step === "pop") {
          const first = heap.first
          assert.equal(first, model[0])
          assert.equal(first !== undefined && heap.remove(first), model.shift() !== undefined)
        } else if ("push" in step) {
          const task = new Numbered(step.push === 20 ? Infinity : step.push, all.length)
          all.push(task)
          heap.push(task)
          model = [...model, task].sort((a, b) =>
            a.time < b.time || (a.time === b.time && a.number < b.number) ? -1 : 1,
          )
        } else if ("remove" in step) {
          const task = all[step.remove % (all.length || 1)] ?? new Numbered(0, -1)
          assert.equal(heap.has(task), model.includes(task))
          assert.equal(heap.remove(task), model.includes(task))
          model = model.filter((other) => other !== task)
        } else {
          const removed = heap.removeWhere(({ number }) => number % 6 === step.removeWhere)
          const [doomed, rest] = [true, false].map((is) =>
            model.filter(({ number }) => (number % 6 === step.removeWhere) === is),
          )
          assert.deepEqual(new Set(removed), new Set(doomed))
          model = rest ?? []
        }
        assert.deepEqual([heap.size, heap.first], [model.length, model[0]])
        assert.deepEqual(heap.toSorted(), model)
        for (const task of all) assert.equal(task.slot !== NOWHERE, model.includes(task))
      }
    }),
  )
})

test("[SC37] the heap grows as it needs to, and begins anew when it is empty", () => {
  const heap = new TaskHeap<Numbered>()
  for (const size of [10, 100, 10_000, 100]) {
    const tasks = Array.from({ length: size }, (_, i) => new Numbered((i * 7919) % 1009, i))
    for (const task of tasks) heap.push(task)
    const sorted = tasks.toSorted((a, b) => a.time - b.time || a.number - b.number)
    assert.deepEqual([heap.size, heap.first], [size, sorted[0]])
    const [taken, left] = [
      sorted.filter(({ number }) => number % 3 === 0),
      sorted.filter(({ number }) => number % 3 > 0),
    ]
    for (const task of taken) assert.equal(heap.remove(task), true)
    for (const task of left) {
      assert.equal(heap.first, task)
      assert.equal(heap.remove(task), true)
    }
    assert.deepEqual([heap.size, heap.first], [0, undefined])
    assert.ok(tasks.every((task) => !heap.has(task) && !heap.remove(task)))
  }
})

/** Each by itself in logarithmic time: see [IH8]. */
test("[SC38] a hundred thousand time-outs that never come to pass", async () => {
  await using pools = new Schedules()
  const pool = pools.open()
  pool.removeOnCancel = true
  const futures: ScheduledFuture<unknown>[] = []
  for (let i = 0; i < 100_000; i++) futures.push(pool.schedule(() => undefined, 60_000 + ((i * 7919) % 100_000)))
  await eventually(() => pool.queue.size === futures.length)
  for (const future of futures) future.cancel()
  assert.deepEqual([pool.queue.size, pool.taskCount, pool.completedTaskCount], [0, 0, 0])
})
