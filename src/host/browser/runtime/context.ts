/**
 * The asynchronous context of a page: that of the engine, if it has `AsyncContext`. Otherwise a value is known to the
 * code that `run` calls, up to its first `await`, and to no code after that.
 */
import { apply } from "../../../primordials.ts"
import { scope } from "./globals.ts"

/** The context of a moment. */
export interface Frame {
  /** Calls the function in this context. */
  runInAsyncScope<A extends unknown[], R>(fn: (...args: A) => R, self: unknown, ...args: A): R
}

interface Variable<T> {
  run<A extends unknown[], R>(store: T, fn: (...args: A) => R, ...args: A): R
  getStore(): T | undefined
  /** Whether code without a store can belong to no other store than this one. */
  isCertain(store: T): boolean
}

interface VariableClass {
  new <T>(): Variable<T>
  /** Returns a function that runs other functions in the context of this call. */
  snapshot(): <R>(fn: () => R) => R
}

// ------------------------------------------------------------------ without AsyncContext

type Stores = ReadonlyMap<unknown, unknown>

/** The stores of the code that runs now. Never changed, but replaced: a frame keeps it. */
let current: Stores = new Map()

function within<A extends unknown[], R>(stores: Stores, fn: (...args: A) => R, self: unknown, args: A): R {
  const before = current
  current = stores
  try {
    return apply(fn, self, args)
  } finally {
    current = before
  }
}

class SynchronousFrame implements Frame {
  readonly #stores: Stores = current

  runInAsyncScope<A extends unknown[], R>(fn: (...args: A) => R, self: unknown, ...args: A): R {
    return within(this.#stores, fn, self, args)
  }
}

class SynchronousVariable<T> implements Variable<T> {
  /** The stores that code of this thread has had: none, one, or several. */
  #seen: T | undefined
  #isMixed = false

  static snapshot(): <R>(fn: () => R) => R {
    const stores = current
    return (fn) => within(stores, fn, undefined, [])
  }

  run<A extends unknown[], R>(store: T, fn: (...args: A) => R, ...args: A): R {
    if (this.#seen !== store) {
      if (this.#seen !== undefined) this.#isMixed = true
      this.#seen = store
    }
    return within(new Map(current).set(this, store), fn, undefined, args)
  }

  getStore(): T | undefined {
    return current.get(this) as T | undefined
  }

  isCertain(store: T): boolean {
    return this.getStore() !== undefined || this.#seen === undefined || (this.#seen === store && !this.#isMixed)
  }
}

// ------------------------------------------------------------------ with AsyncContext

function ofEngine({ Variable: Inner, Snapshot }: NonNullable<typeof scope.AsyncContext>): VariableClass {
  return class EngineVariable<T> implements Variable<T> {
    readonly #inner = new Inner<T>()

    static snapshot(): <R>(fn: () => R) => R {
      const taken = new Snapshot()
      return (fn) => taken.run(fn)
    }

    run<A extends unknown[], R>(store: T, fn: (...args: A) => R, ...args: A): R {
      return this.#inner.run(store, () => fn(...args))
    }

    getStore(): T | undefined {
      return this.#inner.get()
    }

    isCertain(): boolean {
      return true
    }
  }
}

class EngineFrame implements Frame {
  readonly #run = AsyncVariable.snapshot()

  runInAsyncScope<A extends unknown[], R>(fn: (...args: A) => R, self: unknown, ...args: A): R {
    return this.#run(() => apply(fn, self, args))
  }
}

// ------------------------------------------------------------------ both

const engine = scope.AsyncContext

/** A variable of the asynchronous context, as far as there is one. */
export const AsyncVariable: VariableClass = engine === undefined ? SynchronousVariable : ofEngine(engine)

/** The frame of this moment. */
export function currentFrame(): Frame {
  return engine === undefined ? new SynchronousFrame() : new EngineFrame()
}

/** Nothing shows the stores of other variables. And a task that follows an `await` needs its flow set again. */
export function hasNoStores(): boolean {
  return false
}

export const areFramesConstant = true

export function forgetStores(): void {}

/** Whether code without a store can belong to no other store than this one. */
export function isCertain<T>(variable: Variable<T>, store: T): boolean {
  return variable.isCertain(store)
}
