/**
 * Message ports: a way between two threads for what shared memory cannot hold. Each end can be moved to another thread
 * once.
 */
import type { MessagePort as Port } from "node:worker_threads"

export { MessageChannel as PortPair, type MessagePort as Port, type Transferable as Movable } from "node:worker_threads"

/** This thread reads the port by {@link takeMessage}. The port does not keep the process alive. */
export function attend(port: Port, _arrived: () => void): void {
  port.unref()
}

/** Takes the next message out of a port at once, without a turn of the event loop; undefined if there is none. */
export { receiveMessageOnPort as takeMessage } from "node:worker_threads"
