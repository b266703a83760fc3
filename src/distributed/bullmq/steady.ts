import { rangeError, shorten, typeError } from "../../checks.ts"
import { CorepoolError, IllegalStateError } from "../../errors.ts"
import { KeepAlive } from "../../memory/thread/keep-alive.ts"
import { runtime } from "#host/runtime/clock"
import { messageOf } from "../../user-values.ts"

/** For how long an operation is tried by default, in ms. */
export const PATIENCE = 30_000

const CODES =
  /^(?:E(?:CONN(?:REFUSED|RESET|ABORTED)|PIPE|TIMEDOUT|NOTFOUND|AI_AGAIN|HOSTUNREACH|NETUNREACH|NETDOWN)|57P0[1-5]|57014|08...|53300|25006|40001|40P01|55P03)$/
const MESSAGES =
  /connection (?:is closed|terminated|timeout|ended|error)|timeout exceeded when trying to connect|^timeout expired$|query read timeout|not queryable|stream isn't writeable|command timed out|socket timeout|max retries per request|^(?:loading|readonly|masterdown|clusterdown|tryagain)\b|server closed the connection/i

export function requirePatience(patience: unknown): void {
  if (patience === undefined) return
  if (typeof patience !== "number") throw typeError("patience", "a number of milliseconds", patience)
  if (!(patience >= 0)) throw rangeError("patience", "a number of milliseconds ≥ 0", patience)
}

/** Whether the same operation may succeed a moment later. */
export function isPassing(error: unknown): boolean {
  const { code, errors } = error as { code?: unknown; errors?: unknown }
  if (Array.isArray(errors) && errors.length > 0) return errors.every(isPassing) // one for each address of a host
  return (typeof code === "string" && CODES.test(code)) || MESSAGES.test(messageOf(error))
}

/**
 * Whether the server says that another node has the job, or that it is missing. BullMQ's codes are negative numbers.
 */
export function isRefusal(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return typeof code === "number" && code < 0
}

/**
 * Runs operations on a server that may be away for a while: an operation that fails because of the connection is tried
 * again, for a limited time.
 *
 * All operations of the engine may be repeated. A job that is added twice is added once, by its id; a report of a node
 * is accepted once, by its lock; the other operations have the same effect when done twice.
 *
 * Connections do not keep the program alive, as an idle executor must not. An operation does, until it has ended.
 *
 * Errors of a driver never leave the engine unchanged: drivers put commands, with passwords in them, and whole URLs
 * into errors.
 */
export class Steady {
  readonly #where: string
  readonly #secrets: readonly string[]
  readonly #patience: number
  readonly #end = new AbortController()
  readonly #keepAlive = new KeepAlive()

  /** `where` names the server in errors; `secrets` must not appear in errors; `patience` is how long to try, in ms. */
  constructor(where: string, secrets: readonly string[], patience: number) {
    this.#where = where
    this.#patience = patience
    this.#secrets = secrets.flatMap((secret) => (secret === "" ? [] : [secret, encodeURIComponent(secret)]))
  }

  /** Aborts when no operation is tried any more. */
  get ended(): AbortSignal {
    return this.#end.signal
  }

  /** Operations that wait for another try are rejected. */
  end(): void {
    this.#end.abort()
  }

  /** Rejects with an error that has no secrets, at the latest when `forMs` are over and the last try has failed. */
  run<T>(operation: () => Promise<T>, forMs: number = this.#patience): Promise<T> {
    return this.alive(() => this.#run(operation, forMs))
  }

  /** Keeps the program alive until the operation has ended. */
  async alive<T>(operation: () => Promise<T>): Promise<T> {
    this.#keepAlive.hold(operation)
    try {
      return await operation()
    } finally {
      this.#keepAlive.release(operation)
    }
  }

  async #run<T>(operation: () => Promise<T>, forMs: number): Promise<T> {
    const limit = runtime.now() + forMs
    for (let pause = 20; ; pause = Math.min(pause * 2, 500)) {
      if (this.ended.aborted) throw new IllegalStateError(`The connection to ${this.#where} is closed`)
      try {
        return await operation()
      } catch (error) {
        if (isRefusal(error)) throw error
        if (!isPassing(error) || runtime.now() + pause > limit) throw this.clean(error)
      }
      await pauseFor(pause, this.ended)
    }
  }

  /** The error without secrets. */
  clean(error: unknown): Error {
    if (error instanceof CorepoolError || error instanceof RangeError) return error
    const { code } = error as { code?: unknown }
    const message = this.#redacted(messageOf(error) || String(code))
    const away = isPassing(error) ? "cannot be reached" : "has refused an operation"
    const cause = Object.assign(new Error(message), typeof code === "string" ? { code } : {})
    return new IllegalStateError(shorten(`${this.#where} ${away}: ${message}`), { cause })
  }

  #redacted(text: string): string {
    const clean = text.replace(/\b([a-z][a-z+]*:\/\/)[^\s/@]*@/gi, "$1…@")
    return this.#secrets.reduce((rest, secret) => rest.replaceAll(secret, "…"), clean)
  }
}

/** Is fulfilled when the time is over, or at once when the signal aborts. Does not keep the program alive. */
export function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const wake = (): void => {
      runtime.stopTimeout(timer)
      signal.removeEventListener("abort", wake)
      resolve()
    }
    const timer = runtime.startTimeout(wake, ms)
    timer.unref()
    signal.addEventListener("abort", wake)
  })
}
