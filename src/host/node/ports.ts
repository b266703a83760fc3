/**
 * Message ports: a way between two threads for what shared memory cannot hold. Each end can be moved to another thread
 * once.
 */
export { MessageChannel as PortPair, type MessagePort as Port, type Transferable as Movable } from "node:worker_threads"

/** Takes the next message out of a port at once, without a turn of the event loop; undefined if there is none. */
export { receiveMessageOnPort as takeMessage } from "node:worker_threads"
