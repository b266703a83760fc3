import { channel } from "node:diagnostics_channel"
import { apply } from "../../../primordials.ts"

/** A channel of node:diagnostics_channel, as far as corepool uses it. */
export interface Channel {
  readonly hasSubscribers: boolean
  publish(message: unknown): void
  /** Publishes the message, and calls `fn` with the stores that subscribers have bound. */
  runStores<T>(message: unknown, fn: () => T): T
}

/** The five channels of a tracing channel. */
export interface TracingChannels {
  readonly start: Channel
  readonly end: Channel
  readonly asyncStart: Channel
  readonly asyncEnd: Channel
  readonly error: Channel
}

/**
 * Opens a channel. `onSubscription` is called before a subscriber, or a store, is added to it.
 *
 * The runtime does not report subscriptions, and asking ten channels would cost each task five nanoseconds. So this
 * function replaces `subscribe` and `bindStore` of the channel, whose name is corepool's, by methods that call
 * `onSubscription` and then those of the class. On a runtime that bypasses these methods, each new pool still asks
 * {@link Channel.hasSubscribers}.
 */
export function openChannel(name: string, onSubscription: () => void): Channel {
  const opened = channel(name) as unknown as Record<string, unknown> & Channel
  for (const method of ["subscribe", "bindStore"]) {
    if (typeof opened[method] !== "function") continue
    Object.defineProperty(opened, method, {
      configurable: true,
      writable: true,
      value: (...args: unknown[]): unknown => {
        onSubscription()
        // Not of the class that the channel had before: the first subscriber changes it.
        const { [method]: own } = Object.getPrototypeOf(opened) as Record<string, (...args: unknown[]) => unknown>
        return apply(own as (...args: unknown[]) => unknown, opened, args)
      },
    })
  }
  return opened
}

/** Opens the channels of a tracing channel: those that `tracingChannel(name)` has. */
export function openTracingChannels(name: string, onSubscription: () => void): TracingChannels {
  const open = (part: string): Channel => openChannel(`tracing:${name}:${part}`, onSubscription)
  return {
    start: open("start"),
    end: open("end"),
    asyncStart: open("asyncStart"),
    asyncEnd: open("asyncEnd"),
    error: open("error"),
  }
}
