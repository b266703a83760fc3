/** Contest 2: queues and futures by themselves, against what one would write without them. */
import { type Bout, type Contender, type Contest, pairsOf, requireEqual, sumBelow } from "./contest.ts"
import { corepool } from "./corepool.ts"
import { futureBouts } from "./futures.ts"
import { handOverBout } from "./hand-over.ts"
import { yoctoQueue } from "./rivals.ts"

/** What all these queues can do. */
interface Container {
  add(element: number): void
  take(): number | undefined
}

/** Makes an empty one, with room for so many. */
type Make = (room: number) => Promise<Container>

/** So many elements wait while others come and go. */
const FEW = 1_000
const MANY = 100_000

/** One in, one out, n times, while `backlog` elements wait. */
function passing(name: string, make: Make, backlog: number): Contender {
  return {
    name,
    async run(n) {
      const container = await make(backlog + 1)
      for (let i = 0; i < backlog; i++) container.add(i)
      let total = 0
      for (let i = 0; i < n; i++) {
        container.add(backlog + i)
        total += container.take() ?? Number.NaN
      }
      requireEqual("the sum of the elements", total, sumBelow(n))
    },
  }
}

/**
 * The same for a queue that gives the least: each element that comes is a little greater than the one that went, as
 * with due times.
 */
function ordering(name: string, make: Make, backlog: number): Contender {
  return {
    name,
    async run(n) {
      const container = await make(backlog)
      for (let i = 0; i < backlog; i++) container.add(scattered(i))
      for (let i = 0, least = 0; i < n; i++) {
        const e = container.take() ?? Number.NaN
        if (!(e >= least)) throw new Error(`Got ${e} after ${least}`)
        least = e
        container.add(e + scattered(i))
      }
    },
  }
}

/** All in, then all out. */
function draining(name: string, make: Make): Contender {
  return {
    name,
    async run(n) {
      const container = await make(n)
      for (let i = 0; i < n; i++) container.add(i)
      let total = 0
      for (let e = container.take(); e !== undefined; e = container.take()) total += e
      requireEqual("the sum of the elements", total, sumBelow(n))
    },
  }
}

// ------------------------------------------------------------------ first in, first out

const linkedQueue: Make = async () => {
  const { LinkedBlockingQueue } = await corepool()
  const queue = new LinkedBlockingQueue<number>()
  return { add: (e) => void queue.offer(e), take: () => queue.poll() }
}

const arrayQueue: Make = async (room) => {
  const { ArrayBlockingQueue } = await corepool()
  const queue = new ArrayBlockingQueue<number>(room)
  return { add: (e) => void queue.offer(e), take: () => queue.poll() }
}

const linkedDeque: Make = async () => {
  const { LinkedBlockingDeque } = await corepool()
  const deque = new LinkedBlockingDeque<number>()
  return { add: (e) => void deque.offerLast(e), take: () => deque.pollFirst() }
}

const plainArray: Make = async () => {
  const items: number[] = []
  return { add: (e) => void items.push(e), take: () => items.shift() }
}

/** Cuts off what was taken as soon as it is the greater half. */
const indexedArray: Make = async () => {
  let items: number[] = []
  let head = 0
  return {
    add: (e) => void items.push(e),
    take() {
      const e = items[head]
      if (e === undefined) return undefined
      if (++head * 2 > items.length) {
        items = items.slice(head)
        head = 0
      }
      return e
    },
  }
}

const yocto: Make = async () => {
  const queue = new (await yoctoQueue())<number>()
  return { add: (e) => queue.enqueue(e), take: () => queue.dequeue() }
}

// ------------------------------------------------------------------ least first

const priorityQueue: Make = async () => {
  const { PriorityBlockingQueue } = await corepool()
  const queue = new PriorityBlockingQueue<number>()
  return { add: (e) => void queue.offer(e), take: () => queue.poll() }
}

/** Greatest first, so that the least is popped from the end; what p-queue does, but for the end. */
const sortedArray: Make = async () => {
  const items: number[] = []
  return {
    add(e) {
      let from = 0
      let to = items.length
      while (from < to) {
        const middle = (from + to) >>> 1
        if ((items[middle] as number) > e) from = middle + 1
        else to = middle
      }
      items.splice(from, 0, e)
    },
    take: () => items.pop(),
  }
}

/** From 0 to 65,535 in the same disorder in every run: the high half of a multiple of an odd constant. */
function scattered(i: number): number {
  return Math.imul(i, 0x9e3779b1) >>> 16
}

// ------------------------------------------------------------------ the contest

const ours: readonly [string, Make][] = [
  ["LinkedBlockingQueue", linkedQueue],
  ["ArrayBlockingQueue", arrayQueue],
  ["LinkedBlockingDeque", linkedDeque],
]

function orderingBout(backlog: number, n: number): Bout {
  return {
    title: `elements through a queue in which ${backlog.toLocaleString("en")} wait, least first`,
    n,
    pairs: [
      {
        ours: ordering("PriorityBlockingQueue", priorityQueue, backlog),
        rival: ordering("array, kept sorted", sortedArray, backlog),
      },
    ],
  }
}

export const queues: Contest = {
  name: "queues",
  measures: "time",
  bouts: [
    {
      title: `elements through a queue in which ${FEW.toLocaleString("en")} wait: offer and poll in turn`,
      n: 1_000_000,
      pairs: pairsOf(
        ours.map(([name, make]) => passing(name, make, FEW)),
        [
          { rival: passing("array, push and shift", plainArray, FEW) },
          { rival: passing("array with a head index", indexedArray, FEW) },
          { rival: passing("yocto-queue", yocto, FEW) },
        ],
      ),
    },
    {
      title: "elements into a queue, then out of it",
      n: 1_000_000,
      pairs: pairsOf(
        ours.map(([name, make]) => draining(name, make)),
        [{ rival: draining("array with a head index", indexedArray) }, { rival: draining("yocto-queue", yocto) }],
      ),
    },
    orderingBout(FEW, 500_000),
    orderingBout(MANY, 100_000),
    handOverBout,
    ...futureBouts,
  ],
}
