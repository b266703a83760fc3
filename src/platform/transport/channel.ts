import { attend, type Movable, type Port, PortPair, takeMessage } from "#host/threads/ports"
import { add, load, sharedWords, store } from "#atomics"
import type { Bell } from "../../memory/wait/bell.ts"
import { type Request, REQUEST_BOX, RequestBox } from "./request-box.ts"

const POSTED = 0
const TOKEN = 2
const BELL = 4
const SEEN = 6
const REQUESTS = 8
const SIZE = REQUESTS + 2 * REQUEST_BOX

const OUT_OF_REACH = -1

/** One end of a channel. It can be sent to another thread if the port is moved. */
export interface ChannelEnd {
  readonly port: Port
  readonly words: Int32Array
  /** 0 or 1. */
  readonly side: number
}

export function newChannel(): [ChannelEnd, ChannelEnd] {
  const { port1, port2 } = new PortPair()
  const words = sharedWords(SIZE)
  return [
    { port: port1, words, side: 0 },
    { port: port2, words, side: 1 },
  ]
}

/** Tells the thread that has the other end that this one leads nowhere. */
export function cut({ port, words, side }: ChannelEnd, wake: (token: number, bell: number) => void): void {
  store(words, TOKEN + side, OUT_OF_REACH)
  port.close()
  wake(load(words, TOKEN + 1 - side), load(words, BELL + 1 - side))
}

/**
 * A private channel between two threads, for what shared memory cannot hold: a pair of ports, and a few words that both
 * threads see.
 *
 * A thread reads a message when it looks, not when the runtime announces it, which the runtime cannot do while the
 * thread blocks. To look into a port takes long. So POSTED counts, for each side, the messages sent to it, and a thread
 * looks into a port only if there is a message.
 *
 *     POSTED   how many messages were sent to this side
 *     TOKEN    the thread of this side; OUT_OF_REACH if no such thread could be found
 *     BELL     the bell of that thread; 0 as long as this side has not got its port
 *     SEEN     how many messages this side has read
 *     REQUESTS a request to this side
 */
export class Channel {
  readonly #port: Port
  readonly #words: Int32Array
  readonly #mine: number
  readonly #theirs: number
  readonly #bell: Bell
  /** To this side, and to the other one. */
  readonly #requested: RequestBox
  readonly #requests: RequestBox
  #seen = 0

  /**
   * Takes the end that is for this thread. `peer` is the thread with the other end, if it is known and might not say
   * so.
   */
  constructor({ port, words, side }: ChannelEnd, bell: Bell, peer?: number) {
    this.#port = port
    this.#words = words
    this.#mine = side
    this.#theirs = 1 - side
    this.#bell = bell
    this.#requested = new RequestBox(words, REQUESTS + side * REQUEST_BOX)
    this.#requests = new RequestBox(words, REQUESTS + (1 - side) * REQUEST_BOX)
    attend(port, () => bell.threadContext.wake(bell.token, bell.index))
    if (peer !== undefined) store(words, TOKEN + this.#theirs, peer)
    store(words, TOKEN + side, bell.token)
    store(words, BELL + side, bell.index) // last: from now on the other side rings
  }

  /** The thread at the other end; 0 if it has not begun yet. */
  get peer(): number {
    return load(this.#words, TOKEN + this.#theirs)
  }

  get isOutOfReach(): boolean {
    return this.peer === OUT_OF_REACH
  }

  /** Whether no message will ever be sent to this side again. */
  get isDead(): boolean {
    const { peer } = this
    return peer !== 0 && (peer === OUT_OF_REACH || !this.#bell.threadContext.registry.isAlive(peer))
  }

  /**
   * Sends a message; returns its number, for {@link isUnread}. Throws what the runtime throws if it cannot copy the
   * message or move what has to be moved.
   */
  post(message: unknown, transfer: readonly object[] = []): number {
    this.#port.postMessage(message, transfer as readonly Movable[])
    return add(this.#words, POSTED + this.#theirs, 1)
  }

  /** Asks the other side for the attachments of a task. */
  ask(pool: number, task: number): void {
    if (!this.#requests.put(pool, task)) this.post([pool, task] satisfies Request)
  }

  /** What the other side asks for beside its messages. */
  takeRequest(): Request | undefined {
    return this.#requested.take()
  }

  /** Whether the other side has yet to read this message. */
  isUnread(message: number): boolean {
    return ((message - load(this.#words, SEEN + this.#theirs)) | 0) >= 0
  }

  /** Makes the other side look. A side that has not got its port yet looks when it gets it. */
  ring(): void {
    const bell = load(this.#words, BELL + this.#theirs)
    if (bell !== 0) this.#bell.threadContext.wake(this.peer, bell)
  }

  /** How many messages this side has yet to read. */
  get mail(): number {
    return (load(this.#words, POSTED + this.#mine) - this.#seen) | 0
  }

  /** The next message, if there is one. */
  receive(): unknown {
    if (this.mail === 0) return undefined
    const received = takeMessage(this.#port)
    if (received === undefined) return undefined
    this.#seen = (this.#seen + 1) | 0
    store(this.#words, SEEN + this.#mine, this.#seen)
    return received.message as unknown
  }

  close(): void {
    this.#port.close()
  }
}
