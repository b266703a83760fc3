/**
 * The contract of the BlockingQueue family, registered once for each kind: docs/spec/queue.md, rules BQ.
 *
 * Elements are inserted with ascending numbers, so that the order of insertion is the order of a priority or delay queue too.
 */
import { CorepoolError, FutureTask, LinkedBlockingQueue, type BlockingQueue } from "corepool"
import { Timer } from "#src/time/timer.js"
import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { asWorkQueue, Caller, failsWith, gives, raised, receive, waiting, Watched } from "../spec/queue/support.ts"
import { eventually, rejectionOf, thrownBy, turns } from "../support/harness.ts"

export interface QueueKind<E> {
  readonly name: string
  /** An empty queue; if it is bounded, with this capacity. */
  readonly create: (capacity: number) => BlockingQueue<E>
  /** The n-th element: one that can be taken at once. */
  readonly element: (n: number) => E
  readonly numberOf: (e: E) => number
  readonly isBounded: boolean
  /** Whether iteration goes from head to tail. */
  readonly isOrdered: boolean
  /** Which operations notice an interrupt even if they need not wait. */
  readonly noticesInterrupt: {
    readonly put: boolean
    readonly timedOffer: boolean
    readonly take: boolean
    readonly timedPoll: boolean
  }
  /** What a full or closed queue is called in messages. */
  readonly noun: "Queue" | "Deque"
}

/** For kinds that hold elements. */
export function blockingQueueContract<E>(kind: QueueKind<E>): void {
  describe(`${kind.name} as a BlockingQueue`, () => {
    handOffContract(kind)
    storageContract(kind)
    if (kind.isBounded) boundedContract(kind)
    else unboundedContract(kind)
  })
}

/** For SynchronousQueue, which never holds anything: only what two parties can do who wait for each other. */
export function handOffOnlyContract<E>(kind: QueueKind<E>): void {
  describe(`${kind.name} as a BlockingQueue`, () => handOffContract(kind))
}

/** What holds for every kind: a taker waits, somebody inserts. */
function handOffContract<E>({ create, element, numberOf, noun }: QueueKind<E>): void {
  const empty = () => create(3)

  test("[BQ7] a taker waits and gets the element as soon as it is inserted", async () => {
    const queue = empty()
    const taker = await waiting(() => queue.take())
    const e = element(1)
    assert.equal(queue.offer(e), true)
    assert.equal(queue.poll(), undefined, "it is the taker's already")
    await gives(taker, e)
    assert.equal(queue.size, 0)
  })

  test("[BQ8] a timed poll gets an element that comes in time", async () => {
    const queue = empty()
    const taker = await waiting(() => queue.poll(60_000))
    const e = element(1)
    queue.add(e)
    await gives(taker, e)
  })

  test("[BQ8] a timed poll gives undefined when its time is over and not before", async () => {
    const queue = empty()
    const order: string[] = []
    new Timer(5, false, () => order.push("time"))
    const polled = await queue.poll(5)
    order.push("poll")
    assert.equal(polled, undefined)
    assert.deepEqual(order, ["time", "poll"])
  })

  test("[BQ5][BQ6][BQ9] there is nothing in an empty queue", () => {
    const queue = empty()
    assert.equal(queue.poll(), undefined)
    assert.equal(queue.peek(), undefined)
    assert.equal((thrownBy(() => queue.remove()) as CorepoolError).code, "ERR_COREPOOL_NO_SUCH_ELEMENT")
    assert.equal((thrownBy(() => queue.element()) as CorepoolError).code, "ERR_COREPOOL_NO_SUCH_ELEMENT")
  })

  test("[BQ10] a limit of zero or less is one attempt", async () => {
    const queue = empty()
    const limits = [0, -1, -Infinity, { timeout: 0 }]
    for (const limit of limits) assert.equal(await queue.poll(limit), undefined)
    for (const limit of limits) {
      const taker = await waiting(() => queue.take())
      assert.equal(await queue.offer(element(1), limit), true)
      await gives(taker, element(1))
    }
  })

  test("[BQ11] a take with a limit rejects with TimeoutError, and the next element goes elsewhere", async () => {
    const queue = empty()
    assert.equal(((await rejectionOf(queue.take(1))) as Error).name, "TimeoutError")
    assert.equal(((await rejectionOf(queue.take({ timeout: 0 }))) as Error).name, "TimeoutError")
    const taker = await waiting(() => queue.take())
    queue.add(element(1))
    await gives(taker, element(1))
  })

  test("[BQ12] bad arguments of promise-returning methods are rejections", async () => {
    const queue = empty()
    const bad = "soon" as unknown as number
    for (const call of [
      () => queue.take(bad),
      () => queue.poll(bad),
      () => queue.put(element(1), bad),
      () => queue.offer(element(1), bad),
      () => queue.take({ signal: {} as AbortSignal }),
      () => queue.put(undefined as E),
      () => queue.offer(null as E, 1),
    ]) {
      const promise = call() // does not throw
      assert.ok((await rejectionOf(promise)) instanceof TypeError)
    }
    assert.ok((await rejectionOf(queue.poll(Number.NaN))) instanceof RangeError)
    assert.equal(queue.size, 0)
  })

  test("[BQ14] a producer and a consumer hand everything over in order", async () => {
    const queue = empty()
    const count = 200
    const producer = new Caller(async () => {
      for (let n = 1; n <= count; n++) await queue.put(element(n))
    })
    const received: number[] = []
    for (let n = 1; n <= count; n++) received.push(numberOf(await queue.take()))
    assert.deepEqual(
      received,
      Array.from({ length: count }, (_, i) => i + 1),
    )
    await eventually(() => !producer.isWaiting)
    assert.equal(producer.call.state, "fulfilled")
    assert.equal(queue.poll(), undefined)
  })

  test("[BQ15] null and undefined are refused by every way of inserting", async () => {
    const queue = empty()
    for (const nothing of [null, undefined] as E[]) {
      assert.ok(thrownBy(() => queue.offer(nothing)) instanceof TypeError)
      assert.ok(thrownBy(() => queue.add(nothing)) instanceof TypeError)
      assert.ok(thrownBy(() => queue.addAll([nothing])) instanceof TypeError)
      assert.ok((await rejectionOf(queue.put(nothing))) instanceof TypeError)
      assert.ok((await rejectionOf(queue.offer(nothing, 10))) instanceof TypeError)
    }
    assert.equal(queue.size, 0)
    assert.equal(queue.poll(), undefined)
  })

  test("[BQ16] promises and futures are refused, with advice", async () => {
    const queue = empty()
    const awaitables = [Promise.resolve(1), new FutureTask(() => 1), { then: () => undefined }] as unknown as E[]
    for (const awaitable of awaitables) {
      const error = thrownBy(() => queue.offer(awaitable))
      assert.ok(error instanceof TypeError)
      assert.match(error.message, /wrap it in an object/)
      assert.ok((await rejectionOf(queue.put(awaitable))) instanceof TypeError)
    }
  })

  test("[BQ20] nothing and nobody equals null or undefined", () => {
    const queue = empty()
    queue.offer(element(1))
    const { size } = queue
    assert.equal(queue.contains(null), false)
    assert.equal(queue.contains(undefined), false)
    assert.equal(queue.remove(null), false)
    assert.equal(queue.remove(undefined), false)
    assert.equal(queue.size, size)
  })

  test("[BQ23] an interrupt ends a take and a timed poll", async () => {
    const queue = empty()
    for (const call of [() => queue.take(), () => queue.poll(60_000)]) {
      const taker = await waiting(call)
      taker.interrupt()
      await failsWith(taker, "InterruptedError")
      assert.equal(taker.flow.isInterrupted, false)
    }
    assert.equal(queue.size, 0)
  })

  test("[BQ24] an interrupted taker leaves the line, the others stay", async () => {
    const queue = empty()
    const first = await waiting(() => queue.take())
    const second = await waiting(() => queue.poll(60_000))
    first.interrupt()
    await failsWith(first, "InterruptedError")
    queue.add(element(1))
    await gives(second, element(1))
  })

  test("[BQ25] with the flag raised, a take that would have to wait rejects at once and clears the flag", async () => {
    const queue = empty()
    for (const call of [() => queue.take(), () => queue.poll(60_000), () => queue.poll(0)]) {
      const taker = await raised<E | undefined>(call)
      await failsWith(taker, "InterruptedError")
      assert.equal(taker.flow.isInterrupted, false)
    }
  })

  test("[BQ27] a poll that timed out swallows nothing", async () => {
    const queue = empty()
    assert.equal(await queue.poll(1), undefined)
    const taker = await waiting(() => queue.take())
    queue.add(element(1))
    await gives(taker, element(1))
    assert.equal(queue.size, 0)
  })

  test("[BQ28] an aborted signal refuses everything, also what need not wait", async () => {
    const queue = empty()
    const reason = new Error("enough")
    const signal = AbortSignal.abort(reason)
    const taker = await waiting(() => queue.take())
    assert.equal(await rejectionOf(queue.put(element(1), { signal })), reason)
    assert.equal(await rejectionOf(queue.offer(element(1), { signal, timeout: 0 })), reason)
    assert.ok(taker.isWaiting)
    queue.add(element(1))
    queue.offer(element(2))
    const { size } = queue
    assert.equal(await rejectionOf(queue.take({ signal })), reason)
    assert.equal(await rejectionOf(queue.poll({ signal })), reason)
    assert.equal(queue.size, size)
  })

  test("[BQ29] an abort ends a wait with the signal's reason, the others stay", async () => {
    const queue = empty()
    const reason = new Error("enough")
    const controller = new AbortController()
    const first = await waiting(() => queue.take({ signal: controller.signal }))
    const second = await waiting(() => queue.poll({ signal: controller.signal, timeout: 60_000 }))
    const third = await waiting(() => queue.take())
    controller.abort(reason)
    await turns(1)
    assert.equal(first.call.reason, reason)
    assert.equal(second.call.reason, reason)
    queue.add(element(1))
    await gives(third, element(1))
  })

  test("[BQ30] a pool's thread receives at once what is inserted", () => {
    const queue = empty()
    for (const timeout of [Infinity, 60_000]) {
      const thread = receive(queue, timeout)
      assert.equal(thread.state, "pending")
      assert.equal(queue.offer(element(1)), true)
      assert.equal(thread.state, "fulfilled")
      assert.deepEqual(thread.value, element(1))
    }
  })

  test("[BQ30] a pool's thread receives undefined when its time is over, and not before", async () => {
    const queue = empty()
    const order: string[] = []
    new Timer(5, false, () => order.push("time"))
    const thread = receive(queue, 5)
    await eventually(() => thread.state !== "pending")
    assert.deepEqual(order, ["time"])
    assert.equal(thread.state, "fulfilled")
    assert.equal(thread.value, undefined)
    assert.equal(receive(queue, 0).state, "fulfilled", "one attempt")
  })

  test("[BQ30] an interrupt ends a pool's thread's wait, or refuses it", () => {
    const queue = empty()
    for (const timeout of [Infinity, 60_000]) {
      const thread = receive(queue, timeout)
      thread.flow.interrupt()
      assert.equal((thread.reason as Error).name, "InterruptedError")
      thread.flow.interrupt()
      assert.equal((receive(queue, timeout, thread.flow).reason as Error).name, "InterruptedError")
      assert.equal(thread.flow.isInterrupted, false)
    }
  })

  test("[BQ17] the queue of a pool holds futures and hands them over as they are", () => {
    const queue = create(3) as unknown as BlockingQueue<unknown>
    asWorkQueue(queue).holdTasks()
    const future = Object.assign(new FutureTask(() => 1), { delay: 0, compareTo: () => 0 })
    const thread = receive(queue, Infinity)
    assert.equal(queue.offer(future), true)
    assert.equal(thread.value, future)
    assert.ok(thrownBy(() => queue.offer(null)) instanceof TypeError)
  })

  test("[BQ33] addAll refuses itself and what are no elements", () => {
    const queue = empty()
    assert.ok(thrownBy(() => queue.addAll(queue)) instanceof RangeError)
    assert.ok(thrownBy(() => queue.addAll(null as unknown as E[])) instanceof TypeError)
    assert.ok(thrownBy(() => queue.addAll(1 as unknown as E[])) instanceof TypeError)
    assert.equal(queue.addAll([]), false)
    assert.equal(queue.size, 0)
  })

  test("[BQ34] containsAll of nothing is true", () => {
    assert.equal(empty().containsAll([]), true)
    assert.equal(empty().containsAll([element(1)]), false)
  })

  test("[BQ38] bulk methods refuse null and what is no function", () => {
    const queue = empty()
    const nothing = null as unknown as E[]
    for (const call of [
      () => queue.addAll(nothing),
      () => queue.containsAll(nothing),
      () => queue.removeAll(nothing),
      () => queue.retainAll(nothing),
      () => queue.removeIf(nothing as unknown as () => boolean),
      () => queue.removeIf(1 as unknown as () => boolean),
    ]) {
      assert.ok(thrownBy(call) instanceof TypeError)
    }
  })

  test("[BQ41] drainTo refuses targets and numbers that make no sense", () => {
    const queue = empty()
    queue.offer(element(1))
    const { size } = queue
    for (const max of [undefined, 0, -1, 1]) {
      assert.ok(thrownBy(() => queue.drainTo(null as unknown as E[], max)) instanceof TypeError)
      assert.ok(thrownBy(() => queue.drainTo(new Set() as unknown as E[], max)) instanceof TypeError)
      assert.ok(thrownBy(() => queue.drainTo(queue, max)) instanceof RangeError)
    }
    assert.ok(thrownBy(() => queue.drainTo([], "1" as unknown as number)) instanceof TypeError)
    assert.ok(thrownBy(() => queue.drainTo([], 0.5)) instanceof RangeError)
    assert.ok(thrownBy(() => queue.drainTo([], Number.NaN)) instanceof RangeError)
    assert.equal(queue.size, size)
  })

  test("[BQ48][BQ52] an empty queue shows nothing", () => {
    const queue = empty()
    assert.deepEqual(queue.toArray(), [])
    assert.deepEqual([...queue], [])
    assert.equal(queue[Symbol.iterator]().next().done, true)
    assert.equal(queue.toString(), "[]")
    assert.equal(String(queue), "[]")
  })

  test("[BQ53] a closed queue refuses insertions", async () => {
    const queue = empty()
    queue.close()
    assert.equal(queue.offer(element(1)), false)
    assert.equal(await queue.offer(element(1), 60_000), false)
    for (const error of [thrownBy(() => queue.add(element(1))), await rejectionOf(queue.put(element(1)))]) {
      assert.equal((error as CorepoolError).code, "ERR_COREPOOL_ILLEGAL_STATE")
      assert.equal((error as Error).message, `${noun} closed`)
    }
    assert.equal(queue.size, 0)
  })

  test("[BQ56] closing an empty queue ends those who wait to take", async () => {
    const queue = empty()
    const takers = [await waiting(() => queue.take()), await waiting(() => queue.take(60_000))]
    const poller = await waiting(() => queue.poll(60_000))
    const threads = [receive(queue, Infinity), receive(queue, 60_000)]
    queue.close()
    for (const taker of takers) await failsWith(taker, "IllegalStateError")
    await gives(poller, undefined)
    assert.equal((threads[0]?.reason as Error).name, "IllegalStateError")
    assert.equal(threads[1]?.state, "fulfilled")
  })

  test("[BQ56] on a closed and empty queue nobody waits", async () => {
    const queue = empty()
    queue.close()
    assert.equal(queue.poll(), undefined)
    assert.equal(await queue.poll(60_000), undefined)
    assert.equal(((await rejectionOf(queue.take())) as Error).message, `${noun} closed`)
    assert.equal((receive(queue, Infinity).reason as Error).name, "IllegalStateError")
    assert.equal(receive(queue, 60_000).state, "fulfilled")
  })

  test("[BQ57] for await takes what comes until the queue is closed", async () => {
    const queue = empty()
    const seen: number[] = []
    const consumer = new Watched(
      (async () => {
        for await (const e of queue) seen.push(numberOf(e))
      })(),
    )
    for (let n = 1; n <= 4; n++) {
      await turns(1)
      await queue.put(element(n))
    }
    await turns(1)
    assert.ok(consumer.isPending)
    queue.close()
    await eventually(() => !consumer.isPending)
    assert.equal(consumer.state, "fulfilled")
    assert.deepEqual(seen, [1, 2, 3, 4])
  })

  test("[BQ57] leaving for await takes no more", async () => {
    const queue = empty()
    const iterator = queue[Symbol.asyncIterator]()
    const taker = new Watched(iterator.next())
    queue.add(element(1))
    await turns(1)
    assert.equal(taker.state, "fulfilled")
    await iterator.return?.()
    assert.equal((await iterator.next()).done, true)
    assert.equal(iterator[Symbol.asyncIterator](), iterator)
    assert.equal(queue.poll(), undefined)
  })

  test("[BQ57] an interrupt comes out of for await", async () => {
    const queue = empty()
    const consumer = await waiting(async () => {
      for await (const e of queue) assert.fail(String(e))
    })
    consumer.interrupt()
    await failsWith(consumer, "InterruptedError")
  })

  test("[BQ58] closing twice is closing once", () => {
    const queue = empty()
    assert.equal(queue.isClosed, false)
    queue.close()
    queue.close()
    assert.equal(queue.isClosed, true)
    assert.equal(queue.remainingCapacity, 0)
  })
}

/** What holds for every kind that can hold elements. */
function storageContract<E>(kind: QueueKind<E>): void {
  const { create, element, numberOf, isOrdered, noticesInterrupt, noun } = kind
  const filled = (count: number, capacity = count): BlockingQueue<E> => {
    const queue = create(capacity)
    for (let n = 1; n <= count; n++) queue.add(element(n))
    return queue
  }
  const shown = (elements: Iterable<E>): number[] => {
    const numbers = [...elements].map(numberOf)
    return isOrdered ? numbers : numbers.sort((a, b) => a - b)
  }
  const drained = (queue: BlockingQueue<E>): number[] => {
    const rest: E[] = []
    queue.drainTo(rest)
    return rest.map(numberOf)
  }

  test("[BQ1][BQ2][BQ46] offer and add insert and say so", () => {
    const queue = create(4)
    assert.equal(queue.isEmpty, true)
    assert.equal(queue.offer(element(1)), true)
    assert.equal(queue.add(element(2)), true)
    assert.equal(queue.size, 2)
    assert.equal(queue.isEmpty, false)
  })

  test("[BQ3][BQ4] put and timed offer insert at once if there is room", async () => {
    const queue = create(2)
    await queue.put(element(1))
    assert.equal(await queue.offer(element(2), 0), true)
    assert.deepEqual(drained(queue), [1, 2])
  })

  test("[BQ5][BQ6][BQ13] elements leave in the order in which they came", async () => {
    const queue = filled(5)
    assert.equal(numberOf(queue.poll() as E), 1)
    assert.equal(numberOf(queue.remove()), 2)
    assert.equal(numberOf(await queue.take()), 3)
    assert.equal(numberOf((await queue.poll(0)) as E), 4)
    assert.deepEqual(drained(queue), [5])
    assert.equal(queue.poll(), undefined)
  })

  test("[BQ9] peek and element show the head and leave it", () => {
    const queue = filled(2)
    assert.equal(numberOf(queue.peek() as E), 1)
    assert.equal(numberOf(queue.element()), 1)
    assert.equal(queue.size, 2)
  })

  test("[BQ18][BQ19] remove(e) removes one equal element", () => {
    const queue = filled(3)
    assert.equal(queue.contains(element(2)), true)
    assert.equal(queue.remove(element(2)), true)
    assert.equal(queue.contains(element(2)), false)
    assert.equal(queue.remove(element(2)), false)
    assert.equal(queue.remove(element(9)), false)
    assert.deepEqual(shown(queue), [1, 3])
  })

  test("[BQ19] after remove(e) of the last element the queue can be used on", async () => {
    const queue = create(2)
    queue.add(element(1))
    queue.add(element(2))
    assert.equal(queue.remove(element(1)), true)
    assert.equal(queue.remove(element(2)), true)
    queue.add(element(3))
    assert.equal(numberOf(await queue.take()), 3)
  })

  test("[BQ21] takers are served in the order in which they came", async () => {
    const queue = create(3)
    const takers = [
      await waiting<E | undefined>(() => queue.take()),
      await waiting(() => queue.poll(60_000)),
      await waiting<E | undefined>(() => queue.take()),
    ]
    for (const [i, taker] of takers.entries()) {
      if (i === 0) await queue.put(element(1))
      else queue.add(element(i + 1))
      await gives(taker, element(i + 1))
    }
    assert.equal(queue.size, 0)
  })

  test("[BQ24] an interrupted taker in the middle of the line changes nothing for the others", async () => {
    const queue = create(3)
    const takers = [
      await waiting(() => queue.take()),
      await waiting(() => queue.take()),
      await waiting(() => queue.take()),
    ] as const
    takers[1].interrupt()
    queue.add(element(1))
    queue.add(element(2))
    await gives(takers[0], element(1))
    await failsWith(takers[1], "InterruptedError")
    await gives(takers[2], element(2))
  })

  test("[BQ26] with the flag raised, operations that need not wait notice it exactly where Java's do", async () => {
    const calls: [keyof typeof noticesInterrupt, (queue: BlockingQueue<E>) => Promise<unknown>][] = [
      ["put", (queue) => queue.put(element(2))],
      ["timedOffer", (queue) => queue.offer(element(2), 60_000)],
      ["take", (queue) => queue.take()],
      ["timedPoll", (queue) => queue.poll(60_000)],
    ]
    for (const [name, call] of calls) {
      const queue = filled(1, 3)
      const caller = await raised(() => call(queue))
      if (noticesInterrupt[name]) {
        await failsWith(caller, "InterruptedError")
        assert.equal(queue.size, 1, name)
      } else {
        assert.equal(caller.call.state, "fulfilled", name)
        assert.notEqual(queue.size, 1, name)
      }
      assert.equal(caller.flow.isInterrupted, !noticesInterrupt[name], name)
    }
  })

  test("[BQ26][BQ30] a pool's thread with the flag raised notices it as take and timed poll do", () => {
    for (const [timeout, notices] of [
      [Infinity, noticesInterrupt.take],
      [60_000, noticesInterrupt.timedPoll],
    ] as const) {
      const queue = filled(1)
      const idle = receive(create(1), Infinity)
      idle.flow.interrupt() // ends the wait and leaves the flag clear
      idle.flow.interrupt()
      const thread = receive(queue, timeout, idle.flow)
      assert.equal(thread.state, notices ? "rejected" : "fulfilled")
      assert.equal(queue.size, notices ? 1 : 0)
    }
  })

  test("[BQ31] addAll adds in the order of iteration and tells whether it did", () => {
    const queue = create(4)
    assert.equal(queue.addAll([]), false)
    assert.equal(queue.addAll(new Set([element(1), element(2)])), true)
    assert.equal(queue.addAll(filled(1)), true)
    assert.equal(queue.size, 3)
    queue.clear()
    queue.addAll([1, 2, 3, 4].map(element))
    assert.deepEqual(drained(queue), [1, 2, 3, 4])
  })

  test("[BQ33] addAll with null among the elements is refused there", () => {
    const queue = create(4)
    assert.ok(thrownBy(() => queue.addAll([element(1), null as E, element(2)])) instanceof TypeError)
    assert.ok(queue.size <= 1)
  })

  test("[BQ34] containsAll is true for parts and false beyond", () => {
    const queue = filled(3)
    assert.equal(queue.containsAll([element(3), element(1)]), true)
    assert.equal(queue.containsAll([element(1), element(7)]), false)
    assert.equal(queue.containsAll(queue), true)
    assert.equal(queue.containsAll([null]), false)
  })

  test("[BQ35] removeAll removes those given, retainAll the others, and both tell", () => {
    const queue = filled(6)
    assert.equal(queue.removeAll([element(2), element(5), element(9), null]), true)
    assert.deepEqual(shown(queue), [1, 3, 4, 6])
    assert.equal(queue.removeAll([element(2)]), false)
    assert.equal(queue.retainAll([element(3), element(6), element(9)]), true)
    assert.deepEqual(shown(queue), [3, 6])
    assert.equal(queue.retainAll(queue), false)
    assert.equal(queue.removeAll(queue), true)
    assert.equal(queue.isEmpty, true)
  })

  test("[BQ36] removeIf removes exactly what passes and tells", () => {
    const queue = filled(7)
    assert.equal(
      queue.removeIf((e) => numberOf(e) % 2 === 0),
      true,
    )
    assert.equal(
      queue.removeIf((e) => numberOf(e) % 2 === 0),
      false,
    )
    assert.equal(queue.size, 4)
    assert.deepEqual(drained(queue), [1, 3, 5, 7])
  })

  test("[BQ37] a test that throws removes nothing", () => {
    const queue = filled(5)
    const error = new Error("no more")
    const thrown = thrownBy(() =>
      queue.removeIf((e) => {
        if (numberOf(e) === 4) throw error
        return true
      }),
    )
    assert.equal(thrown, error)
    assert.deepEqual(drained(queue), [1, 2, 3, 4, 5])
  })

  test("[BQ37] a test may use the queue it is called for", () => {
    const queue = filled(5, 8)
    const changed = queue.removeIf((e) => {
      if (numberOf(e) === 1) {
        queue.poll()
        queue.add(element(6))
      }
      return numberOf(e) <= 2
    })
    assert.equal(changed, true)
    assert.deepEqual(drained(queue), [3, 4, 5, 6])
  })

  test("[BQ39] drainTo moves everything in order, and again", () => {
    const queue = filled(3)
    const target = [element(0)]
    assert.equal(queue.drainTo(target), 3)
    assert.deepEqual(target.map(numberOf), [0, 1, 2, 3])
    assert.equal(queue.isEmpty, true)
    assert.equal(queue.drainTo(target), 0)
    queue.add(element(4))
    assert.equal(queue.drainTo(target), 1)
    assert.equal(target.length, 5)
  })

  test("[BQ40] drainTo moves no more than it may", () => {
    const queue = filled(4)
    for (const max of [0, -1, -5]) assert.equal(queue.drainTo([], max), 0)
    const target: E[] = []
    assert.equal(queue.drainTo(target, 3), 3)
    assert.deepEqual(target.map(numberOf), [1, 2, 3])
    assert.equal(queue.drainTo(target, 3), 1)
    assert.equal(queue.size, 0)
  })

  test("[BQ42] what a target refuses stays, and what came before it is moved", () => {
    const queue = filled(4)
    const target = new LinkedBlockingQueue<E>(2)
    const error = thrownBy(() => queue.drainTo(target)) as Error
    assert.equal(error.message, "Queue full")
    assert.deepEqual([...target].map(numberOf), [1, 2])
    assert.deepEqual(drained(queue), [3, 4])

    const frozen = Object.freeze([element(1)]) as unknown as E[]
    queue.add(element(5))
    assert.ok(thrownBy(() => queue.drainTo(frozen)) instanceof TypeError)
    assert.deepEqual(drained(queue), [5])
  })

  test("[BQ42] draining into another queue feeds those who wait there", async () => {
    const queue = filled(2)
    const target = create(3)
    const taker = await waiting(() => target.take())
    assert.equal(queue.drainTo(target), 2)
    await gives(taker, element(1))
    assert.deepEqual(drained(target), [2])
  })

  test("[BQ44] clear empties a queue that can be used on", async () => {
    const queue = filled(3)
    queue.clear()
    assert.equal(queue.size, 0)
    assert.deepEqual([...queue], [])
    queue.clear()
    queue.add(element(1))
    assert.equal(numberOf(await queue.take()), 1)
  })

  test("[BQ46] size follows", () => {
    const queue = create(5)
    for (let n = 1; n <= 5; n++) {
      assert.equal(queue.size, n - 1)
      queue.add(element(n))
    }
    for (let n = 5; n >= 1; n--) {
      assert.equal(queue.size, n)
      queue.remove()
    }
    assert.equal(queue.isEmpty, true)
  })

  test("[BQ48] iteration and toArray show every element once and remove none", () => {
    const queue = filled(4, 5)
    queue.poll()
    queue.add(element(5))
    assert.deepEqual(shown(queue), [2, 3, 4, 5])
    assert.deepEqual(shown(queue.toArray()), [2, 3, 4, 5])
    assert.equal(numberOf(queue.toArray()[0] as E), 2, "the head first")
    assert.equal(queue.size, 4)
    const iterator = queue[Symbol.iterator]()
    assert.equal(iterator[Symbol.iterator](), iterator)
  })

  test("[BQ49] an iterator bears insertions and removals", () => {
    const queue = filled(4, 5)
    const iterator = queue[Symbol.iterator]()
    const seen = [numberOf(iterator.next().value as E)]
    queue.poll()
    queue.remove(element(3))
    queue.add(element(5))
    for (const e of iterator) seen.push(numberOf(e))
    for (const stays of [2, 4]) assert.ok(seen.includes(stays))
    assert.equal(new Set(seen).size, seen.length)
    if (isOrdered) assert.ok(!seen.includes(3), "it was gone before it was reached")
    assert.deepEqual(shown(queue), [2, 4, 5])
  })

  test("[BQ49] an iterator bears a clear and a new beginning", () => {
    const queue = filled(3)
    const iterator = queue[Symbol.iterator]()
    iterator.next()
    queue.clear()
    queue.add(element(7))
    const seen = [...iterator].map(numberOf)
    if (isOrdered) assert.deepEqual(seen, [7])
    assert.deepEqual(shown(queue), [7])
  })

  test("[BQ50] an iterator removes what it has shown", () => {
    const queue = filled(4)
    const iterator = queue[Symbol.iterator]()
    assert.equal((thrownBy(() => iterator.remove()) as Error).name, "IllegalStateError")
    for (let next = iterator.next(); next.done !== true; next = iterator.next()) {
      if (numberOf(next.value) % 2 === 0) {
        iterator.remove()
        assert.equal((thrownBy(() => iterator.remove()) as Error).name, "IllegalStateError")
      }
    }
    assert.deepEqual(shown(queue), [1, 3])
  })

  test("[BQ50] an iterator at the end still removes what it showed last", () => {
    const queue = filled(1)
    const iterator = queue[Symbol.iterator]()
    while (iterator.next().done !== true);
    iterator.remove()
    assert.equal(queue.isEmpty, true)
  })

  test("[BQ51] an iterator does not remove what somebody else already has", () => {
    const queue = filled(2, 3)
    const iterator = queue[Symbol.iterator]()
    iterator.next()
    const head = queue.remove()
    queue.add(element(3))
    iterator.remove()
    assert.equal(numberOf(head), 1)
    assert.deepEqual(shown(queue), [2, 3])
  })

  test("[BQ51] an iterator does not take an equal element for the one it showed", () => {
    const queue = filled(1, 3)
    const iterator = queue[Symbol.iterator]()
    const shownLast = iterator.next().value as E
    queue.poll()
    queue.add(shownLast)
    iterator.remove()
    assert.equal(queue.size, 1)
  })

  test("[BQ52] toString shows the elements as Java does", () => {
    assert.equal(filled(1).toString(), `[${String(element(1))}]`)
    const text = filled(3).toString()
    assert.ok(text.startsWith(`[${String(element(1))}, `))
    assert.equal(text.split(", ").length, 3)
  })

  test("[BQ54] what is inside a closed queue can still be taken", async () => {
    const queue = filled(6)
    queue.close()
    assert.equal(queue.size, 6)
    assert.equal(numberOf(queue.poll() as E), 1)
    assert.equal(numberOf(await queue.take()), 2)
    assert.equal(numberOf((await queue.poll(60_000)) as E), 3)
    assert.equal(numberOf(receive(queue, Infinity).value as E), 4)
    const seen: number[] = []
    for await (const e of queue) seen.push(numberOf(e))
    assert.deepEqual(seen, [5, 6])
    assert.equal(((await rejectionOf(queue.take())) as Error).message, `${noun} closed`)
  })
}

/** What holds for array queue, linked queue and deque. */
function boundedContract<E>({ create, element, numberOf, noun }: QueueKind<E>): void {
  const full = (capacity: number): BlockingQueue<E> => {
    const queue = create(capacity)
    for (let n = 1; n <= capacity; n++) queue.add(element(n))
    return queue
  }
  const numbers = (queue: BlockingQueue<E>): number[] => [...queue].map(numberOf)

  test("[BQ1][BQ2] a full queue refuses", () => {
    const queue = full(2)
    assert.equal(queue.offer(element(3)), false)
    const error = thrownBy(() => queue.add(element(3))) as CorepoolError
    assert.equal(error.code, "ERR_COREPOOL_ILLEGAL_STATE")
    assert.equal(error.message, `${noun} full`)
    assert.deepEqual(numbers(queue), [1, 2])
  })

  test("[BQ3] put waits while the queue is full and comes in as soon as there is room", async () => {
    const queue = full(2)
    const putter = await waiting(() => queue.put(element(3)))
    assert.deepEqual(numbers(queue), [1, 2])
    assert.equal(numberOf(queue.poll() as E), 1)
    assert.deepEqual(numbers(queue), [2, 3], "at once")
    await gives(putter, undefined)
  })

  test("[BQ4] a timed offer gives false when its time is over and not before", async () => {
    const queue = full(1)
    const order: string[] = []
    new Timer(5, false, () => order.push("time"))
    assert.equal(await queue.offer(element(2), 5), false)
    assert.deepEqual(order, ["time"])
    assert.deepEqual(numbers(queue), [1])
  })

  test("[BQ4] a timed offer comes in if there is room in time", async () => {
    const queue = full(1)
    const putter = await waiting(() => queue.offer(element(2), 60_000))
    queue.remove()
    await gives(putter, true)
    assert.deepEqual(numbers(queue), [2])
  })

  test("[BQ10][BQ11] limits of putters", async () => {
    const queue = full(1)
    assert.equal(await queue.offer(element(2), 0), false)
    assert.equal(await queue.offer(element(2), -1), false)
    assert.equal(((await rejectionOf(queue.put(element(2), 1))) as Error).name, "TimeoutError")
    assert.equal(((await rejectionOf(queue.put(element(2), { timeout: 0 }))) as Error).name, "TimeoutError")
    assert.equal(numberOf(queue.remove()), 1)
    assert.equal(queue.size, 0, "nobody came in late")
  })

  test("[BQ22] putters come in in the order in which they came", async () => {
    const queue = full(1)
    const putters = [
      await waiting<unknown>(() => queue.put(element(2))),
      await waiting<unknown>(() => queue.offer(element(3), 60_000)),
      await waiting<unknown>(() => queue.put(element(4))),
    ]
    for (const [i, putter] of putters.entries()) {
      assert.equal(numberOf(queue.remove()), i + 1)
      await turns(1)
      assert.equal(putter.call.state, "fulfilled")
      assert.equal(putters.filter((other) => other.isWaiting).length, 2 - i)
    }
  })

  test("[BQ23][BQ24] an interrupted putter leaves the line with its element, the others stay", async () => {
    const queue = full(1)
    const putters = [
      await waiting<unknown>(() => queue.put(element(2))),
      await waiting<unknown>(() => queue.offer(element(3), 60_000)),
      await waiting<unknown>(() => queue.put(element(4))),
    ] as const
    putters[0].interrupt()
    putters[1].interrupt()
    await failsWith(putters[0], "InterruptedError")
    await failsWith(putters[1], "InterruptedError")
    assert.equal(putters[1].flow.isInterrupted, false)
    assert.deepEqual(numbers(queue), [1])
    queue.poll()
    await gives(putters[2], undefined)
    assert.deepEqual(numbers(queue), [4])
  })

  test("[BQ25] with the flag raised, a put that would have to wait rejects at once", async () => {
    const queue = full(1)
    for (const call of [() => queue.put(element(2)), () => queue.offer(element(2), 60_000)]) {
      const putter = await raised<unknown>(call)
      await failsWith(putter, "InterruptedError")
      assert.equal(putter.flow.isInterrupted, false)
    }
    assert.deepEqual(numbers(queue), [1])
  })

  test("[BQ27][BQ29] a putter that gave up takes no room", async () => {
    const queue = full(1)
    const controller = new AbortController()
    const reason = new Error("enough")
    const putter = await waiting(() => queue.put(element(2), { signal: controller.signal }))
    const other = await waiting(() => queue.put(element(3)))
    assert.equal(await queue.offer(element(4), 1), false)
    controller.abort(reason)
    await turns(1)
    assert.equal(putter.call.reason, reason)
    queue.poll()
    await gives(other, undefined)
    assert.deepEqual(numbers(queue), [3])
    queue.poll()
    assert.equal(queue.size, 0)
  })

  test("[BQ32] addAll beyond the capacity adds what fits", () => {
    const queue = create(3)
    queue.add(element(1))
    const error = thrownBy(() => queue.addAll([2, 3, 4, 5].map(element))) as Error
    assert.equal(error.message, `${noun} full`)
    assert.deepEqual(numbers(queue), [1, 2, 3])
  })

  test("[BQ43] drainTo lets in as many putters as elements went, and does not drain theirs", async () => {
    const queue = full(2)
    const putters = [
      await waiting(() => queue.put(element(3))),
      await waiting(() => queue.put(element(4))),
      await waiting(() => queue.put(element(5))),
    ]
    const target: E[] = []
    assert.equal(queue.drainTo(target, 1), 1)
    assert.deepEqual(numbers(queue), [2, 3])
    assert.equal(queue.drainTo(target), 2)
    assert.deepEqual(target.map(numberOf), [1, 2, 3])
    assert.deepEqual(numbers(queue), [4, 5])
    for (const putter of putters) await gives(putter, undefined)
  })

  test("[BQ42][BQ43] a drain that is refused half-way still lets putters in", async () => {
    const queue = full(2)
    const putter = await waiting(() => queue.put(element(3)))
    const target = new LinkedBlockingQueue<E>(1)
    assert.equal((thrownBy(() => queue.drainTo(target)) as Error).name, "IllegalStateError")
    await gives(putter, undefined)
    assert.deepEqual(numbers(queue), [2, 3])
  })

  test("[BQ44] clear lets putters in", async () => {
    const queue = full(2)
    const putters = [
      await waiting(() => queue.put(element(3))),
      await waiting(() => queue.put(element(4))),
      await waiting(() => queue.put(element(5))),
    ] as const
    queue.clear()
    assert.deepEqual(numbers(queue), [3, 4])
    await gives(putters[1], undefined)
    assert.ok(putters[2].isWaiting)
    queue.clear()
    assert.deepEqual(numbers(queue), [5])
  })

  test("[BQ45] removing from the middle lets a putter in", async () => {
    const queue = full(3)
    const first = await waiting(() => queue.put(element(4)))
    const second = await waiting(() => queue.put(element(5)))
    assert.equal(queue.remove(element(9)), false)
    assert.ok(first.isWaiting)
    assert.equal(queue.remove(element(2)), true)
    await gives(first, undefined)
    assert.deepEqual(numbers(queue), [1, 3, 4])
    const iterator = queue[Symbol.iterator]()
    iterator.next()
    iterator.next()
    iterator.remove()
    await gives(second, undefined)
    assert.deepEqual(numbers(queue), [1, 4, 5])
  })

  test("[BQ47] remainingCapacity is what the capacity leaves", () => {
    const queue = create(3)
    for (let n = 0; n <= 3; n++) {
      assert.equal(queue.remainingCapacity, 3 - n)
      assert.equal(queue.size, n)
      queue.offer(element(n))
    }
    for (let n = 3; n >= 0; n--) {
      assert.equal(queue.remainingCapacity, 3 - n)
      queue.poll()
    }
  })

  test("[BQ55] closing refuses those who wait to put", async () => {
    const queue = full(1)
    const putter = await waiting(() => queue.put(element(2)))
    const offerer = await waiting(() => queue.offer(element(3), 60_000))
    queue.close()
    await failsWith(putter, "IllegalStateError")
    assert.equal((putter.call.reason as Error).message, `${noun} closed`)
    await gives(offerer, false)
    assert.deepEqual(numbers(queue), [1])
    assert.equal(numberOf(await queue.take()), 1)
  })
}

/** What holds where there is no limit. */
function unboundedContract<E>({ create, element, numberOf }: QueueKind<E>): void {
  test("[BQ3][BQ4] putting never waits where there is no limit", async () => {
    const queue = create(1)
    for (let n = 1; n <= 100; n++) {
      await queue.put(element(n))
      assert.equal(await queue.offer(element(100 + n), 0), true)
    }
    assert.equal(queue.size, 200)
    assert.equal(numberOf(queue.peek() as E), 1)
  })
}
