/** Elements handed from one flow to another, which waits for them: the point of a blocking queue. */
import type { Bout, Contender } from "./contest.ts"
import { requireEqual, sumBelow } from "./contest.ts"
import { corepool } from "./corepool.ts"

/** Where the bounded ones make the giver wait. */
const ROOM = 16

interface Channel {
  put(element: number): Promise<void>
  take(): Promise<number>
}

async function give(channel: Channel, n: number): Promise<void> {
  for (let i = 0; i < n; i++) await channel.put(i)
}

async function receive(channel: Channel, n: number): Promise<void> {
  let total = 0
  for (let i = 0; i < n; i++) total += await channel.take()
  requireEqual("the sum of the elements", total, sumBelow(n))
}

/** Between two virtual threads, as in a program that uses corepool, with what their asynchronous context costs. */
function betweenThreads(name: string, make: (library: Awaited<ReturnType<typeof corepool>>) => Channel): Contender {
  return {
    name,
    async run(n) {
      const library = await corepool()
      const channel = make(library)
      await using executor = library.Executors.newFixedThreadPool(2, library.virtualThreads())
      await Promise.all([executor.submit(receive, channel, n), executor.submit(give, channel, n)])
    },
  }
}

/** Between two asynchronous functions. */
function betweenFunctions(name: string, make: () => Channel): Contender {
  return {
    name,
    async run(n) {
      const channel = make()
      await Promise.all([receive(channel, n), give(channel, n)])
    },
  }
}

const linked = betweenThreads("LinkedBlockingQueue", ({ LinkedBlockingQueue }) => new LinkedBlockingQueue<number>())
const bounded = betweenThreads(
  `ArrayBlockingQueue(${ROOM})`,
  ({ ArrayBlockingQueue }) => new ArrayBlockingQueue<number>(ROOM),
)

/** The least that does it: no limit, no time-out, no way to give a wait up. */
const handWritten = betweenFunctions("array and promises by hand", () => {
  const elements: number[] = []
  const takers: ((element: number) => void)[] = []
  return {
    async put(element) {
      const taker = takers.shift()
      if (taker === undefined) elements.push(element)
      else taker(element)
    },
    take: () =>
      new Promise((resolve) => {
        const element = elements.shift()
        if (element === undefined) takers.push(resolve)
        else resolve(element)
      }),
  }
})

/** The platform's own queue with a limit. */
const stream = betweenFunctions(`TransformStream(${ROOM})`, () => {
  const { readable, writable } = new TransformStream<number, number>(undefined, { highWaterMark: ROOM })
  const writer = writable.getWriter()
  const reader = readable.getReader()
  return {
    async put(element) {
      await writer.ready
      // Its promise settles when the element is through; a giver who only wants room does not wait for that.
      writer.write(element).catch((error: unknown) => {
        throw error
      })
    },
    async take() {
      const { value } = await reader.read()
      if (value === undefined) throw new Error("The stream ended early")
      return value
    },
  }
})

export const handOverBout: Bout = {
  title: "elements from one flow to another: put and take",
  n: 200_000,
  pairs: [
    { ours: linked, rival: handWritten },
    { ours: bounded, rival: stream },
  ],
}
