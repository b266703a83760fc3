/**
 * Stands in for `node:worker_threads` in browsers, as far as tests share words with the threads of corepool. There is no class
 * Worker: a worker that corepool has not started is a world of its own in a browser.
 */
import { isStarted, values } from "./inherited.ts"

export const isMainThread = !isStarted

export const { MessageChannel } = globalThis

export function setEnvironmentData(key: string, value: unknown): void {
  values.set(key, value)
}

export function getEnvironmentData(key: string): unknown {
  return values.get(key)
}
