/** The other thread of remote.ts: does what it is told. */
import * as corepool from "corepool"
import { encode } from "#src/codec/codec.js"
import { type MessagePort, workerData } from "node:worker_threads"
import type { Answer, Order } from "./remote.ts"

interface Openable {
  from(shared: unknown): object
}

const { port, bell } = workerData as { port: MessagePort; bell: Int32Array }
const classes = new Map(Object.entries(corepool))
const queues = new Map<number, object>()

port.on("message", ({ queue: number, opened, member, args }: Order) => {
  if (opened !== undefined) {
    const type = classes.get(opened.type) as unknown as Openable
    queues.set(number, type.from(opened.shared))
  }
  let answer: Answer
  try {
    const queue = queues.get(number) as Record<string, unknown>
    const value = queue[member]
    answer = answerOf(args === undefined ? value : Reflect.apply(value as () => unknown, queue, args), false)
  } catch (error) {
    answer = answerOf(error, true)
  }
  port.postMessage(answer)
  Atomics.store(bell, 0, 1)
  Atomics.notify(bell, 0)
})

function answerOf(value: unknown, failed: boolean): Answer {
  const encoded = encode(value)
  const bytes = Uint8Array.from(encoded.bytes.subarray(0, encoded.length))
  const { kind } = encoded
  encoded.release()
  return { failed, kind, bytes }
}
