/**
 * SharedArrayBuffer and Atomics, for the build to put in the place of the global ones.
 *
 * A page without cross-origin isolation has no SharedArrayBuffer. WebAssembly gives its class all the same: such a
 * buffer cannot be posted, but locks, queues and counters of one thread work on it as on any other.
 *
 * All other files depend on this one, so it imports none of them that could need it.
 */
import { isWindow } from "./globals.ts"

interface SharedWasm {
  readonly Memory: new (options: object) => { readonly buffer: { readonly constructor: unknown } }
}

function sharedClass(): unknown {
  const { WebAssembly: wasm } = globalThis as unknown as { WebAssembly?: SharedWasm }
  try {
    if (wasm !== undefined) return new wasm.Memory({ initial: 0, maximum: 0, shared: true }).buffer.constructor
  } catch {
    // An engine without shared memory: nothing but this thread ever sees the words.
  }
  return ArrayBuffer
}

const given = globalThis.SharedArrayBuffer as SharedArrayBufferConstructor | undefined

export const SharedMemoryClass: SharedArrayBufferConstructor = given ?? (sharedClass() as SharedArrayBufferConstructor)

const { wait } = globalThis.Atomics

/** How an error of the class that users expect is made: set when that class is loaded. */
export const refusal: { make: (message: string) => Error } = { make: (message) => new Error(message) }

const refuse: typeof wait = () => {
  throw refusal.make(
    "A window cannot block. Use the form that is awaited, or call this in a task of a pool of platform threads",
  )
}

/** The functions of Atomics. They need no receiver. In a window `wait` says where it works. */
const ownAtomics: typeof globalThis.Atomics = { ...functionsOf(globalThis.Atomics), wait: isWindow ? refuse : wait }

/** They are not enumerable. */
function functionsOf(atomics: object): typeof globalThis.Atomics {
  return Object.fromEntries(
    Object.getOwnPropertyNames(atomics).map((name) => [name, (atomics as Record<string, unknown>)[name]]),
  ) as unknown as typeof globalThis.Atomics
}

export { ownAtomics as Atomics, SharedMemoryClass as SharedArrayBuffer }
