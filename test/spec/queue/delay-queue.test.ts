/** Rule ids are those of docs/spec/queue.md. */
import { DelayQueue, type Delayed } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { blockingQueueContract } from "../../contract/blocking-queue.ts"
import { eventually, rejectionOf, thrownBy, turns } from "../../support/harness.ts"
import { Caller, failsWith, gives, raised, waiting } from "./support.ts"

/** Expired from the start; equal and ordered by number. */
class Expired implements Delayed {
  readonly n: number
  readonly delay = 0

  constructor(n: number) {
    this.n = n
  }

  compareTo(other: Expired): number {
    return this.n - other.n
  }

  equals(other: unknown): boolean {
    return other instanceof Expired && other.n === this.n
  }

  toString(): string {
    return `expired ${this.n}`
  }
}

/** Expires so many milliseconds after it was made; ordered by its delay alone. */
class Later implements Delayed {
  readonly name: string
  readonly #due: number

  constructor(name: string, ms: number) {
    this.name = name
    this.#due = performance.now() + ms
  }

  get delay(): number {
    return this.#due - performance.now()
  }
}

const HOUR = 3_600_000

blockingQueueContract<Expired>({
  name: "DelayQueue",
  create: () => new DelayQueue(),
  element: (n) => new Expired(n),
  numberOf: ({ n }) => n,
  isBounded: false,
  isOrdered: false,
  noticesInterrupt: { put: false, timedOffer: false, take: true, timedPoll: true },
  noun: "Queue",
})

function queueOf<E extends Delayed>(...elements: E[]): DelayQueue<E> {
  const queue = new DelayQueue<E>()
  queue.addAll(elements)
  return queue
}

/** In which order these callers are served. */
function orderOf(callers: Record<string, Caller<Later | undefined>>): string[] {
  return Object.entries(callers)
    .filter(([, { call }]) => call.state === "fulfilled")
    .map(([name, { call }]) => `${name} got ${call.value?.name ?? "nothing"}`)
}

test("[DQ1] expired elements are taken, the soonest first", async () => {
  const queue = queueOf(new Later("b", -1), new Later("c", HOUR), new Later("a", -2))
  assert.equal(queue.poll()?.name, "a")
  assert.equal((await queue.take()).name, "b")
  assert.equal(queue.poll(), undefined)
})

test("[DQ2] nothing that has not expired can be taken", async () => {
  const queue = queueOf(new Later("a", HOUR))
  assert.equal(queue.poll(), undefined)
  assert.equal(await queue.poll(0), undefined)
  assert.equal((thrownBy(() => queue.remove()) as Error).name, "NoSuchElementError")
  assert.equal(queue.size, 1)
})

test("[DQ3] peek and element show the soonest, expired or not", () => {
  const queue = queueOf(new Later("late", HOUR))
  assert.equal(queue.peek()?.name, "late")
  queue.add(new Later("soon", HOUR / 2))
  assert.equal(queue.element().name, "soon")
  queue.add(new Later("last", 2 * HOUR))
  assert.equal(queue.peek()?.name, "soon")
})

test("[DQ4] unexpired elements count, are contained, shown and removed", () => {
  const [a, b] = [new Later("a", HOUR), new Later("b", HOUR)]
  const queue = queueOf(a, b)
  assert.equal(queue.size, 2)
  assert.equal(queue.contains(b), true)
  assert.deepEqual(new Set(queue), new Set([a, b]))
  assert.equal(queue.remove(a), true)
  assert.equal(queue.remove(a), false)
  assert.equal(queue.peek(), b)
  queue.clear()
  assert.equal(queue.size, 0)
})

test("[DQ5] drainTo moves expired elements only", () => {
  const queue = queueOf(new Later("c", HOUR), new Later("b", -1), new Later("a", -2))
  const target: Later[] = []
  assert.equal(queue.drainTo(target, 1), 1)
  assert.equal(queue.drainTo(target), 1)
  assert.equal(queue.drainTo(target), 0)
  assert.deepEqual(
    target.map(({ name }) => name),
    ["a", "b"],
  )
  assert.equal(queue.size, 1)
})

test("[DQ6] take gives an element when it has expired and never before", async () => {
  const queue = queueOf(new Later("b", 12), new Later("a", 4), new Later("c", 20))
  for (const name of ["a", "b", "c"]) {
    const taken = await queue.take()
    assert.equal(taken.name, name)
    assert.ok(taken.delay <= 0)
  }
})

test("[DQ6] a timed poll waits for an element that expires in time", async () => {
  const queue = queueOf(new Later("a", 4))
  const polled = await queue.poll(60_000)
  assert.equal(polled?.name, "a")
  assert.ok(polled.delay <= 0)
})

test("[DQ6] a timed poll gives up if nothing expires in time", async () => {
  const queue = queueOf(new Later("a", HOUR))
  assert.equal(await queue.poll(2), undefined)
  assert.equal(((await rejectionOf(queue.take(2))) as Error).name, "TimeoutError")
  assert.equal(queue.size, 1)
})

test("[DQ7] an element that expires sooner is taken sooner", async () => {
  const queue = queueOf(new Later("late", HOUR))
  const taker = await waiting(() => queue.take())
  queue.add(new Later("soon", 4))
  await eventually(() => !taker.isWaiting)
  assert.equal(taker.call.value?.name, "soon")
  assert.equal(queue.size, 1)
})

test("[DQ7] an element that has expired is taken at once", async () => {
  const queue = queueOf(new Later("late", HOUR))
  const taker = await waiting(() => queue.take())
  const now = new Later("now", 0)
  queue.add(now)
  await gives(taker, now)
})

test("[DQ8] who is woken in vain goes to the end of the line", async () => {
  const queue = new DelayQueue<Later>()
  const callers = {
    a1: await waiting(() => queue.take()),
    a2: await waiting(() => queue.take()),
    a3: await waiting(() => queue.take()),
  }
  queue.add(new Later("late", HOUR)) // wakes a1 in vain: a2, a3, a1
  queue.add(new Later("x", -1)) // a2 takes it and, leaving, wakes a3 in vain: a1, a3
  await turns(1)
  assert.deepEqual(orderOf(callers), ["a2 got x"])
  queue.add(new Later("y", -1))
  await turns(1)
  assert.deepEqual(orderOf(callers), ["a1 got y", "a2 got x"])
})

// In these the callers wait before there is anything to wait for, and all that follows happens in one go: so
// nothing expires in between, however slow the machine.

test("[DQ9] if the leader is interrupted another waits for the head", async () => {
  const queue = new DelayQueue<Later>()
  const leader = await waiting(() => queue.take())
  const follower = await waiting(() => queue.take())
  queue.add(new Later("a", 5))
  leader.interrupt()
  await failsWith(leader, "InterruptedError")
  await eventually(() => !follower.isWaiting)
  assert.equal(follower.call.value?.name, "a")
})

test("[DQ9] if the leader is aborted another waits for the head", async () => {
  const queue = new DelayQueue<Later>()
  const controller = new AbortController()
  const leader = await waiting(() => queue.take({ signal: controller.signal }))
  const follower = await waiting(() => queue.poll(60_000))
  queue.add(new Later("a", 5))
  controller.abort(new Error("enough"))
  await failsWith(leader, "Error")
  await eventually(() => !follower.isWaiting)
  assert.equal(follower.call.value?.name, "a")
})

test("[DQ9] if one who waits times out the others still wait for the head", async () => {
  const queue = queueOf(new Later("late", HOUR))
  const impatient = new Caller(() => queue.poll(2))
  const patient = new Caller(() => queue.take())
  await eventually(() => !impatient.isWaiting)
  await gives(impatient, undefined)
  assert.ok(patient.isWaiting)
  queue.add(new Later("soon", 2))
  await eventually(() => !patient.isWaiting)
  assert.equal(patient.call.value?.name, "soon")
})

test("[DQ9] if the head is removed the leader goes on with the next", async () => {
  const queue = new DelayQueue<Later>()
  const taker = await waiting(() => queue.take())
  const [a, b] = [new Later("a", 2), new Later("b", 6)]
  queue.add(a)
  queue.add(b)
  assert.equal(queue.remove(a), true)
  await eventually(() => !taker.isWaiting)
  assert.equal(taker.call.value, b)
  assert.ok(b.delay <= 0)
})

test("[DQ10] compareTo decides the order, and equals keep theirs", () => {
  const queue = new DelayQueue<Expired>()
  const twins = [new Expired(1), new Expired(1), new Expired(1)]
  queue.addAll([new Expired(2), ...twins, new Expired(0)])
  assert.equal(queue.poll()?.n, 0)
  for (const twin of twins) assert.equal(queue.poll(), twin)
  const constant = [{ delay: 0 }, { delay: 0 }, { delay: 0 }]
  const plain = queueOf<Delayed>(...constant)
  for (const element of constant) assert.equal(plain.poll(), element)
})

test("[DQ11] there is no limit, and inserting notices no interrupt", async () => {
  const queue = new DelayQueue<Expired>()
  assert.equal(queue.remainingCapacity, 2_147_483_647)
  const putter = await raised(() => queue.put(new Expired(1)))
  await gives(putter, undefined)
  assert.equal(putter.flow.isInterrupted, true)
  await gives(await raised(() => queue.offer(new Expired(2), 60_000)), true)
  assert.equal(queue.remainingCapacity, 2_147_483_647)
})

test("[DQ12] an element has a numeric delay", async () => {
  const queue = new DelayQueue()
  for (const element of [{}, 5, { delay: "5" }] as unknown as Delayed[]) {
    assert.ok(thrownBy(() => queue.offer(element)) instanceof TypeError)
    assert.ok((await rejectionOf(queue.put(element))) instanceof TypeError)
  }
  assert.equal(queue.size, 0)
})

test("[DQ13] on a closed queue one can wait for what is left", async () => {
  const queue = new DelayQueue<Later>()
  const first = await waiting(() => queue.take())
  const second = await waiting(() => queue.take())
  const third = await waiting(() => queue.poll(60_000))
  queue.add(new Later("a", 5))
  queue.close()
  await eventually(() => !first.isWaiting)
  assert.equal(first.call.value?.name, "a")
  await failsWith(second, "IllegalStateError")
  await gives(third, undefined)
})

test("[DQ13] one can begin to wait on a closed queue", async () => {
  const queue = queueOf(new Later("a", 5))
  queue.close()
  const taken = await queue.take()
  assert.equal(taken.name, "a")
  assert.ok(taken.delay <= 0)
})

test("[DQ13] removing the last element of a closed queue ends those who wait", async () => {
  for (const empty of [
    (queue: DelayQueue<Later>) => queue.clear(),
    (queue: DelayQueue<Later>) => queue.removeIf(() => true),
    (queue: DelayQueue<Later>) => queue.remove(queue.peek()),
  ]) {
    const queue = queueOf(new Later("a", HOUR))
    queue.close()
    const taker = await waiting(() => queue.take())
    empty(queue)
    await failsWith(taker, "IllegalStateError")
  }
})

test("[DQ14] elements that expire together go to as many as wait, in order", async () => {
  const queue = new DelayQueue<Delayed>()
  const count = 2000
  const served: number[] = []
  const taken: Promise<Delayed>[] = []
  for (let i = 0; i < count; i++) {
    taken.push(
      queue.take().then((element) => {
        served.push(i)
        return element
      }),
    )
  }
  const due = performance.now() + 5
  const elements = Array.from({ length: count }, () => ({
    get delay() {
      return due - performance.now()
    },
    compareTo: () => 0,
  }))
  queue.addAll(elements)
  for (const [i, element] of (await Promise.all(taken)).entries()) assert.equal(element, elements[i])
  assert.deepEqual(served, [...Array(count).keys()])
})
