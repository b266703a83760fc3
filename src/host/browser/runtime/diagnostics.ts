/** A browser has no diagnostics channels: nothing subscribes to what corepool would publish. */

import type { Channel, TracingChannels } from "../../node/runtime/diagnostics.ts"

export type { Channel, TracingChannels }

const SILENT: Channel = { hasSubscribers: false, publish() {}, runStores: (_message, fn) => fn() }

export function openChannel(_name: string, _onSubscription: () => void): Channel {
  return SILENT
}

export function openTracingChannels(_name: string, _onSubscription: () => void): TracingChannels {
  return { start: SILENT, end: SILENT, asyncStart: SILENT, asyncEnd: SILENT, error: SILENT }
}
