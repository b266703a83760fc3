/** `t.mock` of the stand-in: functions that remember their calls, and methods replaced until the end of the test. */
import { MockTimers } from "./mock-timers.ts"

export interface Call {
  readonly arguments: readonly unknown[]
  readonly this: unknown
  readonly result: unknown
  readonly error: unknown
}

type Implementation = (this: unknown, ...args: unknown[]) => unknown

/** What hangs on a mocked function as `mock`. */
export class MockFunction {
  readonly calls: Call[] = []
  readonly #restore: () => void
  #implementation: Implementation

  constructor(implementation: Implementation, restore: () => void) {
    this.#implementation = implementation
    this.#restore = restore
  }

  callCount(): number {
    return this.calls.length
  }

  resetCalls(): void {
    this.calls.length = 0
  }

  mockImplementation(implementation: Implementation): void {
    this.#implementation = implementation
  }

  restore(): void {
    this.#restore()
  }

  /** @internal */
  call(receiver: unknown, args: unknown[]): unknown {
    let result: unknown
    let error: unknown
    try {
      return (result = Reflect.apply(this.#implementation, receiver, args))
    } catch (thrown) {
      throw (error = thrown)
    } finally {
      this.calls.push({ arguments: args, this: receiver, result, error })
    }
  }
}

export type Mocked = Implementation & { readonly mock: MockFunction }

export class MockTracker {
  readonly timers: MockTimers = new MockTimers()
  readonly #restores: (() => void)[] = []

  fn(original: Implementation = () => undefined, implementation: Implementation = original): Mocked {
    return mocked(implementation, () => undefined)
  }

  method(object: object, name: string | symbol, implementation?: Implementation): Mocked {
    const own = Object.getOwnPropertyDescriptor(object, name)
    const original = Reflect.get(object, name) as unknown
    if (typeof original !== "function") throw new TypeError(`Expected ${String(name)} to be a method`)
    const restore = (): void => {
      // A method that was inherited is so again.
      if (own === undefined) Reflect.deleteProperty(object, name)
      else Object.defineProperty(object, name, own)
    }
    const replacement = mocked(implementation ?? (original as Implementation), restore)
    Object.defineProperty(object, name, {
      value: replacement,
      configurable: true,
      writable: true,
      enumerable: own?.enumerable ?? false,
    })
    this.#restores.push(restore)
    return replacement
  }

  /** Latest first: a method that was replaced twice ends as it was. */
  restoreAll(): void {
    while (this.#restores.length > 0) this.#restores.pop()?.()
  }

  reset(): void {
    this.restoreAll()
  }
}

function mocked(implementation: Implementation, restore: () => void): Mocked {
  const mock = new MockFunction(implementation, restore)
  const replacement = function (this: unknown, ...args: unknown[]): unknown {
    return mock.call(this, args)
  }
  return Object.assign(replacement, { mock })
}
