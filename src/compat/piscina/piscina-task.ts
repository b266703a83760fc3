import { AsyncResource } from "#host/threads/events"
import { runtime } from "#host/runtime/clock"
import type { PiscinaSignal } from "./piscina-options.ts"
import { queueOptionsSymbol } from "./piscina-queues.ts"
import type { PiscinaWorker } from "./piscina-worker.ts"

/** The error of a task that was aborted, by its signal or because the pool is being closed. */
export class PiscinaAbortError extends Error {
  /** As of every such error. */
  override readonly name = "AbortError"

  /** `reason` is that of the signal. */
  constructor(reason?: unknown) {
    super("The task has been aborted", reason === undefined ? undefined : { cause: reason })
  }
}

interface AnySignal {
  readonly aborted?: boolean
  readonly reason?: unknown
  addEventListener?(name: "abort", listener: () => void): void
  removeEventListener?(name: "abort", listener: () => void): void
  on?(name: "abort", listener: () => void): void
  off?(name: "abort", listener: () => void): void
}

/** A task of a Piscina, from `run` to its end. */
export class RunningTask {
  /** What hooks of the asynchronous context see of it. */
  readonly #resource = new AsyncResource("Piscina.Task", { requireManualDestroy: true })
  readonly #queueOptions: object | null
  /** The value that was given to `run`. */
  readonly task: unknown
  readonly url: string
  readonly name: string
  readonly transferList: readonly object[]
  readonly created: number = runtime.now()
  readonly promise: Promise<unknown>
  worker: PiscinaWorker | undefined
  readonly #signal: AnySignal | undefined
  #settle: ((outcome: { error: unknown } | { value: unknown }) => void) | undefined
  #abort: (() => void) | undefined

  constructor(
    task: unknown,
    place: { readonly url: string; readonly name: string },
    transferList: readonly object[],
    signal: PiscinaSignal | null | undefined,
  ) {
    const options: unknown =
      typeof task === "object" && task !== null ? (task as Record<symbol, unknown>)[queueOptionsSymbol] : undefined
    this.#queueOptions = typeof options === "object" ? options : null
    this.task = task
    this.url = place.url
    this.name = place.name
    this.transferList = transferList
    this.#signal = (signal as AnySignal | null | undefined) ?? undefined
    this.promise = new Promise((resolve, reject) => {
      this.#settle = (outcome) => ("error" in outcome ? reject(outcome.error) : resolve(outcome.value))
    })
  }

  /** @internal */
  get [queueOptionsSymbol](): object | null {
    return this.#queueOptions
  }

  /** Whether it has a signal, and so a thread of its own. */
  get isAbortable(): boolean {
    return this.#signal !== undefined
  }

  get isAborted(): boolean {
    return this.#signal?.aborted === true
  }

  get reason(): unknown {
    return this.#signal?.reason
  }

  get isDone(): boolean {
    return this.#settle === undefined
  }

  /** Calls `aborted` when the signal aborts, unless the task is over by then. */
  watch(aborted: () => void): void {
    const signal = this.#signal
    if (signal === undefined) return
    this.#abort = aborted
    if (signal.addEventListener !== undefined) signal.addEventListener("abort", aborted)
    else signal.on?.("abort", aborted)
  }

  fail(error: unknown): void {
    this.#end({ error })
  }

  succeed(value: unknown): void {
    this.#end({ value })
  }

  #end(outcome: { error: unknown } | { value: unknown }): void {
    const settle = this.#settle
    if (settle === undefined) return
    this.#settle = undefined
    const [signal, aborted] = [this.#signal, this.#abort]
    if (signal !== undefined && aborted !== undefined) {
      if (signal.removeEventListener !== undefined) signal.removeEventListener("abort", aborted)
      else signal.off?.("abort", aborted)
    }
    this.#resource.runInAsyncScope(settle, undefined, outcome)
  }
}
