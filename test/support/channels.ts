/** Records what the channels of corepool publish. */
import { channel, subscribe, unsubscribe } from "node:diagnostics_channel"

export interface Published<T> {
  readonly name: string
  readonly message: T
}

/** Hears plain channels by their names, and tracing channels by `name:start` and so on. */
export class Recorder<T extends object = Record<string, unknown>> implements Disposable {
  readonly published: Published<T>[] = []
  readonly #listeners = new Map<string, (message: unknown) => void>()

  constructor(names: readonly string[]) {
    for (const name of names) {
      const listener = (message: unknown): void => void this.published.push({ name, message: message as T })
      this.#listeners.set(fullName(name), listener)
      subscribe(fullName(name), listener)
    }
  }

  /** All five channels of a tracing channel. */
  static tracing<T extends object>(name: string): Recorder<T> {
    return new Recorder<T>(["start", "end", "asyncStart", "asyncEnd", "error"].map((part) => `${name}:${part}`))
  }

  /** The last part of the names, of those messages for which `filter` is true. */
  parts(filter: (message: T) => boolean = () => true): string[] {
    return this.published.filter(({ message }) => filter(message)).map(({ name }) => name.split(":").at(-1) as string)
  }

  get messages(): T[] {
    return this.published.map(({ message }) => message)
  }

  [Symbol.dispose](): void {
    for (const [name, listener] of this.#listeners) unsubscribe(name, listener)
  }
}

function fullName(name: string): string {
  return name.split(":").length === 2 ? `tracing:corepool:${name}` : `corepool:${name}`
}

/** Whether corepool's own channel has subscribers. */
export function isHeard(name: string): boolean {
  return channel(fullName(name)).hasSubscribers
}
