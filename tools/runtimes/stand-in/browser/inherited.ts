/**
 * The environment data of node:worker_threads, for the threads of corepool in a browser: values that a thread hands to
 * every worker that it starts, by a message before the first one of corepool.
 */
type Values = ReadonlyMap<string, unknown>

interface Inheritance {
  readonly inherited: Values
}

interface Worker {
  postMessage(message: unknown): void
}

interface Scope {
  Worker: new (url: URL | string, options?: object) => Worker
  readonly document?: unknown
  addEventListener(
    type: "message",
    listener: (event: { data?: unknown; stopImmediatePropagation(): void }) => void,
  ): void
}

const scope = globalThis as unknown as Scope

export const values = new Map<string, unknown>()

function isInheritance(data: unknown): data is Inheritance {
  return typeof data === "object" && data !== null && "inherited" in data
}

/** Whether this thread was started by another one that has told it what to inherit. */
// oxlint-disable-next-line import/no-mutable-exports -- a worker learns it by its first message
export let isStarted = false

scope.addEventListener("message", (event) => {
  if (!isInheritance(event.data)) return
  event.stopImmediatePropagation()
  isStarted = true
  for (const [key, value] of event.data.inherited) values.set(key, value)
})

scope.Worker = class extends scope.Worker {
  constructor(url: URL | string, options?: object) {
    super(url, options)
    this.postMessage({ inherited: values } satisfies Inheritance)
  }
}
