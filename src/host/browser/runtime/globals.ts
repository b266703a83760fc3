/**
 * The global scope of a page or of a worker, as far as corepool uses it. The compiler knows only Node's: types of the
 * DOM would let every file of src use a window.
 */

/** Events of workers and ports. */
export interface WorkerEvent {
  readonly data?: unknown
  readonly message?: string
  readonly error?: unknown
  readonly reason?: unknown
  preventDefault(): void
}

type Listener = (event: WorkerEvent) => void

/** A worker, as its parent sees it. */
export interface WebWorker {
  postMessage(message: unknown, transfer: readonly unknown[]): void
  terminate(): void
  addEventListener(type: "message" | "error" | "messageerror", listener: Listener): void
}

/** A message port, or the global scope of a worker, which is an end of a channel too. */
export interface WebPort {
  postMessage(message: unknown, transfer?: readonly unknown[]): void
  close(): void
  addEventListener(type: string, listener: Listener): void
  start(): void
}

interface Locks {
  request(name: string, granted: () => unknown): Promise<unknown>
}

interface Scope extends WebPort {
  readonly crossOriginIsolated?: boolean
  readonly document?: unknown
  readonly navigator?: { readonly hardwareConcurrency?: number; readonly locks?: Locks }
  readonly location?: { readonly href: string }
  readonly performance: { now(): number; readonly timeOrigin: number }
  readonly MessageChannel: new () => { readonly port1: WebPort; readonly port2: WebPort }
  readonly AsyncContext?: {
    readonly Variable: new <T>() => { get(): T | undefined; run<R>(store: T, fn: () => R): R }
    readonly Snapshot: new () => { run<R>(fn: () => R): R }
  }
  readonly setTimeout: (fire: () => void, delay: number) => number
  readonly clearTimeout: (id: number) => void
  readonly setInterval: (fire: () => void, delay: number) => number
  readonly queueMicrotask: (call: () => void) => void
  readonly structuredClone: <T>(value: T, options?: { transfer: ArrayBuffer[] }) => T
  readonly console: { warn(message: string): void }
}

export const scope: Scope = globalThis as unknown as Scope

/** Whether this is a window, which may not block. The scope of a worker has no document. */
export const isWindow: boolean = scope.document !== undefined
