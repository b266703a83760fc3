/**
 * Stands in for `node:events` in browsers: `once` of an event target, and the listeners of abort signals, which this
 * module counts from when it is loaded.
 */
interface Target {
  addEventListener(type: string, listener: Listener, options?: Options): void
  removeEventListener(type: string, listener: Listener, options?: Options): void
}

type Listener = ((event: unknown) => void) | { handleEvent(event: unknown): void }

type Options = boolean | { readonly once?: boolean }

/** Resolves with the first event of that type, as the only element of an array. */
export function once(target: Target, type: string): Promise<[unknown]> {
  return new Promise((resolve) => target.addEventListener(type, (event) => resolve([event]), { once: true }))
}

const listeners = new WeakMap<object, Set<Listener>>()

/** Those of `abort`: a signal has no other event. */
export function getEventListeners(signal: object, _type: "abort"): Listener[] {
  return [...(listeners.get(signal) ?? [])]
}

// oxlint-disable-next-line typescript/unbound-method -- they are called with a receiver
const { addEventListener, removeEventListener } = AbortSignal.prototype as unknown as Target

Object.assign(AbortSignal.prototype, {
  addEventListener(this: Target, type: string, listener: Listener, options?: Options): void {
    const own = listeners.get(this) ?? new Set()
    listeners.set(this, own.add(listener))
    addEventListener.call(this, type, listener, options)
    if (typeof options === "object" && options.once === true) {
      addEventListener.call(this, type, () => own.delete(listener), options)
    }
  },
  removeEventListener(this: Target, type: string, listener: Listener, options?: Options): void {
    listeners.get(this)?.delete(listener)
    removeEventListener.call(this, type, listener, options)
  },
})
