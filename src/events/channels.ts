/** The channels of corepool, and the functions that publish on them. An error of a subscriber reaches no task. */
import { type Channel, openChannel, openTracingChannels, type TracingChannels } from "#host/runtime/diagnostics"
import { runtime } from "#host/runtime/clock"
import { guarded } from "../memory/flow/guard.ts"
import { perThread } from "../per-thread.ts"
import { sharedNow } from "../time/shared-clock.ts"

/** The tracing channels and the plain ones. */
export interface Channels {
  readonly task: TracingChannels
  readonly run: TracingChannels
  readonly fire: TracingChannels
  readonly job: TracingChannels
  readonly workerStarted: Channel
  readonly workerExited: Channel
  readonly rejected: Channel
  readonly unobserved: Channel
  readonly poolCreated: Channel
  readonly poolTerminated: Channel
}

const opened: { channels: Channels | undefined } = /* @__PURE__ */ perThread("diagnostics channels", () => ({
  channels: undefined,
}))

/** The channels of this thread. The first call opens them: `onSubscription` is called when one gets a subscriber. */
export function channelsOfThread(onSubscription: () => void): Channels {
  return (opened.channels ??= openChannels(onSubscription))
}

function openChannels(onSubscription: () => void): Channels {
  const plain = (name: string): Channel => openChannel(`corepool:${name}`, onSubscription)
  const tracing = (name: string): TracingChannels => openTracingChannels(`corepool:${name}`, onSubscription)
  return {
    task: tracing("task"),
    run: tracing("task.run"),
    fire: tracing("schedule.fire"),
    job: tracing("distributed.job"),
    workerStarted: plain("worker.started"),
    workerExited: plain("worker.exited"),
    rejected: plain("task.rejected"),
    unobserved: plain("task.unobserved"),
    poolCreated: plain("pool.created"),
    poolTerminated: plain("pool.terminated"),
  }
}

export function isTraced({ start, end, asyncStart, asyncEnd, error }: TracingChannels): boolean {
  return (
    start.hasSubscribers ||
    asyncEnd.hasSubscribers ||
    error.hasSubscribers ||
    end.hasSubscribers ||
    asyncStart.hasSubscribers
  )
}

export function hasSubscribers(all: Channels): boolean {
  const { task, run, fire, job, ...plain } = all
  return [task, run, fire, job].some(isTraced) || Object.values(plain).some((channel) => channel.hasSubscribers)
}

/** The message is made only if the channel has a subscriber. */
export function tell(channel: Channel, message: () => unknown): void {
  if (channel.hasSubscribers) publish(channel, message())
}

export function publish(channel: Channel, message: unknown): void {
  if (channel.hasSubscribers) guarded(() => channel.publish(message))
}

/**
 * Publishes `start` before the call and `end` after it, and `error` if the call throws. During the call the stores that
 * are bound to `start` are in effect. `traceSync` of Node does the same, but there an error of a subscriber would be an
 * error of the call.
 */
export function traceCall(traced: TracingChannels, context: { error?: unknown }, call: () => void): void {
  let isCalled = false
  let thrown: { readonly error: unknown } | undefined
  const callOnce = (): void => {
    isCalled = true
    try {
      call()
    } catch (reason) {
      thrown = { error: reason }
    }
  }
  guarded(() => traced.start.runStores(context, callOnce))
  if (!isCalled) callOnce()
  if (thrown !== undefined) {
    context.error = thrown.error
    publish(traced.error, context)
  }
  publish(traced.end, context)
  if (thrown !== undefined) throw thrown.error
}

/** Something asynchronous is over, as node:diagnostics_channel traces promises. */
export function publishEnd(traced: TracingChannels, context: { readonly error?: unknown }, failed: boolean): void {
  if (failed) publish(traced.error, context)
  publish(traced.asyncStart, context)
  publish(traced.asyncEnd, context)
}

/** What makes times since 1970 of times on the clock of all threads. Read once, so that differences stay exact. */
let shift: number | undefined

/** A time of the clock of all threads, in ms since 1970. */
export function wallTimeOf(time: number): number {
  shift ??= runtime.wallTime() - sharedNow()
  return time + shift
}
