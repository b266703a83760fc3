/**
 * A queue whose short operations are done by another thread: what the contract is put to the test with across threads.
 *
 * Each `offer(e)`, `poll()`, `size` and so on is sent to that thread, and this one blocks until it is done there. What
 * waits, waits here. So whoever waits is served by another thread than its own, all the time.
 */
import type { BlockingQueue } from "corepool"
import { isPromiseLike } from "#src/checks.js"
import { decode } from "#src/codec/codec.js"
import { EncodedValue } from "#src/codec/bytes/encoded-value.js"
import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads"

/** The methods that are done there, if they are called with so many arguments, and the properties. */
const METHODS: Readonly<Record<string, number>> = {
  offer: 1,
  add: 1,
  poll: 0,
  remove: 0,
  element: 0,
  peek: 0,
  clear: 0,
  close: 0,
}
const PROPERTIES = new Set(["size", "isEmpty", "remainingCapacity", "isClosed"])

export interface Order {
  readonly queue: number
  /** With the first order about a queue: the name of its class, and the queue. */
  readonly opened?: { readonly type: string; readonly shared: unknown }
  readonly member: string
  readonly args?: readonly unknown[]
}

/** The outcome is encoded by the library itself: so errors arrive as what they are. */
export interface Answer {
  readonly failed: boolean
  readonly kind: number
  readonly bytes: Uint8Array
}

export class Remote implements AsyncDisposable {
  readonly #worker: Worker
  readonly #port
  readonly #bell = new Int32Array(new SharedArrayBuffer(4))
  readonly #targets = new WeakMap<object, object>()
  #queues = 0

  constructor() {
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    this.#worker = new Worker(new URL("remote-entry.js", import.meta.url), {
      workerData: { port: port2, bell: this.#bell },
      transferList: [port2],
    })
    this.#worker.unref()
    port1.unref()
  }

  /** The queue as seen through the other thread. */
  reach<Q extends BlockingQueue<unknown>>(type: string, queue: Q): Q {
    const number = this.#queues++
    let opened: Order["opened"] = { type, shared: queue }
    const order = (member: string, args?: readonly unknown[]): unknown => {
      const first = opened
      opened = undefined
      return this.#ask({ queue: number, member, ...(first && { opened: first }), ...(args && { args }) })
    }
    const proxy = new Proxy(queue, {
      get: (target, member) => {
        if (typeof member === "string" && PROPERTIES.has(member)) return order(member)
        const value: unknown = Reflect.get(target, member, target)
        if (typeof value !== "function") return value
        return (...args: unknown[]): unknown => {
          const isRemote = typeof member === "string" && METHODS[member] === args.length && !args.some(isPromiseLike)
          if (isRemote) return order(member, args)
          return Reflect.apply(
            value,
            target,
            args.map((arg) => this.#targets.get(arg as object) ?? arg),
          ) as unknown
        }
      },
    })
    this.#targets.set(proxy, queue)
    return proxy
  }

  #ask(order: Order): unknown {
    Atomics.store(this.#bell, 0, 0)
    this.#port.postMessage(order)
    let received: { readonly message: Answer } | undefined
    while (received === undefined) {
      Atomics.wait(this.#bell, 0, 0) // which says only that it is worth while to look
      received = receiveMessageOnPort(this.#port) as typeof received
    }
    const { failed, kind, bytes } = received.message
    const encoded = EncodedValue.toRead(kind, bytes.length)
    encoded.bytes.set(bytes)
    const value = decode(encoded)
    encoded.release()
    if (failed) throw value
    return value
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate()
  }
}
