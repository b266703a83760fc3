/** Message ports. A browser delivers messages by events only: {@link attend} collects them for {@link takeMessage}. */
import { scope, type WebPort } from "../runtime/globals.ts"

export type Port = WebPort

export type Movable = object

export const PortPair: new () => { readonly port1: Port; readonly port2: Port } = scope.MessageChannel

const arrivals = new WeakMap<Port, unknown[]>()

/** Begins to collect the messages of a port, and calls `arrived` after each. */
export function attend(port: Port, arrived: () => void): void {
  const messages: unknown[] = []
  arrivals.set(port, messages)
  port.addEventListener("message", ({ data }) => {
    messages.push(data)
    arrived()
  })
  port.start()
}

/** Takes the next message that has been delivered; undefined if there is none. */
export function takeMessage(port: Port): { readonly message: unknown } | undefined {
  const messages = arrivals.get(port)
  return messages === undefined || messages.length === 0 ? undefined : { message: messages.shift() }
}
