/** A way to a server that a test can close, for faults of the network. */
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net"

/** Forwards connections to a port of this machine. */
export class TcpProxy implements AsyncDisposable {
  readonly #target: number
  readonly #server: Server
  readonly #pairs = new Set<readonly [Socket, Socket]>()
  #isFrozen = false
  #delay = 0
  #accepted = 0

  private constructor(target: number) {
    this.#target = target
    this.#server = createServer((socket) => this.#join(socket))
  }

  static async to(port: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(port)
    proxy.#server.listen(0, "127.0.0.1")
    await once(proxy.#server, "listening")
    return proxy
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** How many connections clients have made so far. */
  get accepted(): number {
    return this.#accepted
  }

  /** From now on all that is sent takes so many milliseconds more, each way. */
  delay(ms: number): void {
    this.#delay = ms
  }

  /** From now on nothing comes through, and neither side is told. */
  freeze(): void {
    this.#isFrozen = true
    for (const pair of this.#pairs) for (const socket of pair) socket.pause()
  }

  /** From now on what clients send comes through, and no answer. */
  freezeAnswers(): void {
    for (const [, server] of this.#pairs) server.pause()
  }

  /** All that was on its way comes through. */
  thaw(): void {
    this.#isFrozen = false
    for (const pair of this.#pairs) for (const socket of pair) socket.resume()
  }

  /** Ends all connections. */
  cut(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut()
    this.#server.close()
    await once(this.#server, "close")
  }

  /** What comes later is written later: timers of the same time fire in their order. */
  #later(write: () => void): void {
    if (this.#delay === 0) write()
    else setTimeout(write, this.#delay)
  }

  #join(near: Socket): void {
    this.#accepted++
    const far = connect(this.#target, "127.0.0.1")
    const pair = [near, far] as const
    this.#pairs.add(pair)
    for (const [from, to] of [pair, [far, near]] as const) {
      from.on("data", (chunk: Buffer) => this.#later(() => to.write(chunk)))
      from.on("end", () => this.#later(() => to.end()))
      from.on("error", () => to.destroy())
      from.on("close", () => {
        to.destroy()
        this.#pairs.delete(pair)
      })
      if (this.#isFrozen) from.pause()
    }
  }
}
