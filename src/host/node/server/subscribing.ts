/** The subscriber's side of node:diagnostics_channel. Each function returns a function that ends the subscription. */
import { type Channel, channel, subscribe as add, unsubscribe as remove } from "node:diagnostics_channel"

/** What a channel needs of an AsyncLocalStorage. */
export interface BoundStore<T> {
  run<R>(store: T, fn: () => R): R
}

export function subscribe(name: string, listener: (message: unknown) => void): () => void {
  const called = (message: unknown): void => listener(message)
  add(name, called)
  return () => {
    remove(name, called)
  }
}

/** Puts the store that `storeOf` makes of a message into effect while the publisher runs what the message announces. */
export function bindStore<T>(name: string, store: BoundStore<T>, storeOf: (message: unknown) => T): () => void {
  const opened = channel(name) as unknown as {
    bindStore(store: BoundStore<T>, transform: (message: unknown) => T): void
    unbindStore(store: BoundStore<T>): boolean
  } & Channel
  opened.bindStore(store, storeOf)
  return () => {
    opened.unbindStore(store)
  }
}
