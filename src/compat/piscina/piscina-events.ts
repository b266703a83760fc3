import { EventEmitter } from "#host/threads/events"

/** A listener of an event. */
// oxlint-disable-next-line typescript/no-explicit-any -- as Node has it
export type PiscinaListener = (...args: any[]) => void

/** What a program uses of Node's EventEmitter, as types that need no types of Node. */
export interface PiscinaEvents {
  /** Calls the listener at every such event. */
  on(name: string | symbol, listener: PiscinaListener): this
  /** Calls the listener at the next such event. */
  once(name: string | symbol, listener: PiscinaListener): this
  /** Does not call the listener any more. */
  off(name: string | symbol, listener: PiscinaListener): this
  /** The same as `on`. */
  addListener(name: string | symbol, listener: PiscinaListener): this
  /** The same as `off`. */
  removeListener(name: string | symbol, listener: PiscinaListener): this
  /** Calls no listener of this event any more; without a name: no listener at all. */
  removeAllListeners(name?: string | symbol): this
  /** Calls the listener at every such event, before the others. */
  prependListener(name: string | symbol, listener: PiscinaListener): this
  /** Calls the listener at the next such event, before the others. */
  prependOnceListener(name: string | symbol, listener: PiscinaListener): this
  /** The listeners of an event. */
  listeners(name: string | symbol): PiscinaListener[]
  /** The listeners of an event, those for one event wrapped. */
  rawListeners(name: string | symbol): PiscinaListener[]
  /** The events that have listeners. */
  eventNames(): (string | symbol)[]
  /** How many listeners an event may have before a warning. */
  getMaxListeners(): number
  /** Sets how many listeners an event may have before a warning. */
  setMaxListeners(count: number): this
  /** How many listeners an event has. */
  listenerCount(name: string | symbol): number
  /** Calls the listeners of an event; whether there are any. */
  emit(name: string | symbol, ...args: unknown[]): boolean
}

/** A worker of the runtime, as types that need no types of Node. */
export interface PiscinaThread extends PiscinaEvents {
  /** The number of the thread. */
  readonly threadId: number
  /** Sends a message to `parentPort` of the thread. */
  postMessage(value: unknown, transfer?: readonly object[]): void
  /** Ends the thread. */
  terminate(): Promise<number>
  /** Lets the thread keep the process alive. */
  ref(): void
  /** Lets the process end while the thread is there. */
  unref(): void
}

/** The EventEmitter of the runtime. */
export const tellsEvents: new () => PiscinaEvents = EventEmitter as new () => PiscinaEvents
