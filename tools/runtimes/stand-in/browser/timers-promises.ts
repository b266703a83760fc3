/** Stands in for `node:timers/promises` in browsers. The timers are those of the browser, also while a test fakes them. */
import { clearTimeout, setImmediate as afterTurn, setTimeout as start } from "./place.ts"

interface Options {
  readonly signal?: AbortSignal
  readonly ref?: boolean
}

export function setTimeout<T>(ms = 1, value?: T, { signal }: Options = {}): Promise<T> {
  return new Promise((resolve, reject) => {
    const aborted = (): void => {
      clearTimeout(timer)
      reject(Object.assign(new Error("The operation was aborted", { cause: signal?.reason }), { name: "AbortError" }))
    }
    const timer = start(() => {
      signal?.removeEventListener("abort", aborted)
      resolve(value as T)
    }, ms)
    if (signal?.aborted === true) aborted()
    else signal?.addEventListener("abort", aborted, { once: true })
  })
}

export function setImmediate<T>(value?: T): Promise<T> {
  return new Promise((resolve) => afterTurn(() => resolve(value as T)))
}
