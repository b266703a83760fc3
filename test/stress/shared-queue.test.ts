/**
 * Shared queues between real threads, and threads that die. Rule ids are those of docs/spec/shared-queue.md.
 *
 * By default small; STRESS=100 passes ten million items.
 */
import assert from "node:assert/strict"
import { test } from "node:test"
import {
  ArrayBlockingQueue,
  type BlockingQueue,
  LinkedBlockingDeque,
  LinkedBlockingQueue,
  LinkedTransferQueue,
  PriorityBlockingQueue,
  SynchronousQueue,
} from "corepool"
import { eventually } from "../support/harness.ts"
import { Dice, SEED, STRESS } from "../support/stress.ts"
import { requireTermination } from "../support/termination.ts"
import { type WorkerHand, Workers } from "../support/workers.ts"
import { type Kind, LIFE, receive, type Record } from "./shared-queue.workers.ts"

const module = new URL("shared-queue.workers.js", import.meta.url)
const seeded = `seed ${SEED}`

/** Passes items between so many threads, and checks that each consumer gets those of each producer in order. */
async function pass(kind: Kind, queue: BlockingQueue<number>, producers: number, consumers: number, count: number) {
  await using workers = new Workers()
  const takers: WorkerHand[] = []
  for (let i = 0; i < consumers; i++) takers.push(workers.run(module, how("consume", i), kind, queue, producers))
  const putters: WorkerHand[] = []
  for (let i = 0; i < producers; i++) putters.push(workers.run(module, how("produce", i), kind, queue, i, count))
  await Promise.all(putters.map(({ result }) => result))
  queue.close()
  const results = (await Promise.all(takers.map(({ result }) => result))) as { count: number; inOrder: boolean }[]
  assert.ok(results.every(({ inOrder }) => inOrder))
  assert.equal(
    results.reduce((sum, result) => sum + result.count, 0),
    producers * count,
  )
  assert.equal(queue.size, 0)
}

/** The first of them blocks, the second awaits, and so on. */
function how(name: string, i: number): string {
  return i % 2 === 0 ? name : `${name}Awaiting`
}

test("[TQ15] a bounded buffer passes all items in order from one thread to another", () =>
  pass("ArrayBlockingQueue", new ArrayBlockingQueue(256), 1, 1, 100_000 * STRESS))

test("[TQ15] a bounded buffer passes the items of several producers in order to several consumers", () =>
  pass("LinkedBlockingQueue", new LinkedBlockingQueue(16), 2, 2, 10_000 * STRESS))

test("[TQ15] an unbounded queue passes all items", () =>
  pass("LinkedTransferQueue", new LinkedTransferQueue(), 2, 1, 10_000 * STRESS))

test("[TQ15] a queue without room hands all items over", async () => {
  await pass("SynchronousQueue", new SynchronousQueue({ fair: true }), 2, 2, 2_000 * STRESS)
  await pass("LinkedBlockingDeque", new LinkedBlockingDeque(1), 2, 2, 2_000 * STRESS)
})

/** Threads die at random moments, and others take their place. */
async function die(kind: Kind, queue: BlockingQueue<number>, kills: number): Promise<void> {
  await requireTermination()
  await using workers = new Workers()
  const dice = new Dice(SEED)
  const lives = kills + 1
  const record: Record = { sent: words(lives), received: words(lives * LIFE), progress: words(1) }
  let life = 0
  let deadConsumers = 0
  const producing = (): WorkerHand => workers.run(module, "produceUntilDeath", kind, queue, life++, record)
  const consuming = (): WorkerHand => workers.run(module, "consumeUntilDeath", kind, queue, record)
  let producer = producing()
  let consumer = consuming()
  for (let left = kills; left > 0; left--) {
    const target = Atomics.load(record.progress, 0) + 1 + dice.roll(2000)
    const isOver = (): boolean => Atomics.load(record.sent, life - 1) === LIFE
    await eventually(() => Atomics.load(record.progress, 0) >= target || isOver())
    if (isOver() || dice.roll(2) === 0) {
      await producer.kill()
      producer = producing()
    } else {
      await consumer.kill()
      deadConsumers++
      consumer = consuming()
    }
  }
  await producer.kill()
  await consumer.kill()
  deadConsumers++
  for (let item = queue.poll(); item !== undefined; item = queue.poll()) receive(item, record)
  assert.equal(queue.size, 0)

  let missing = 0
  for (let i = 0; i < life * LIFE; i++) {
    const sent = record.sent[Math.floor(i / LIFE)] as number
    const times = record.received[i] as number
    assert.ok(times <= 1, `${i} was received twice, ${seeded}`)
    assert.ok(times === 0 || i % LIFE <= sent, `${i} was received and not sent, ${seeded}`)
    if (i % LIFE < sent && times === 0) missing++
  }
  assert.ok(missing <= deadConsumers, `${missing} items are lost, with ${deadConsumers} consumers, ${seeded}`)
}

function words(count: number): Int32Array {
  return new Int32Array(new SharedArrayBuffer(count * 4))
}

test("[TQ18] producers and consumers of a bounded buffer die, and nothing else is lost or doubled", () =>
  die("ArrayBlockingQueue", new ArrayBlockingQueue(32), 8 * STRESS))

test("[TQ18] those of a queue without room die", () => die("SynchronousQueue", new SynchronousQueue(), 4 * STRESS))

test("[TQ18] those of an ordered queue die", () =>
  die("PriorityBlockingQueue", new PriorityBlockingQueue(), 4 * STRESS))
