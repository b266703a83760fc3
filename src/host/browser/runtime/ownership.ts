// oxlint-disable typescript/unbound-method -- they are called with a receiver
/**
 * Ownership of locks where the current flow may be unknown. Without asynchronous context, a browser knows the flow of a
 * task until its first `await`, and not after it.
 *
 * So the guard that `lock()` returns remembers the flow that has locked, and unlocks for that flow. A lock that is
 * taken while the flow is unknown belongs to a new flow; therefore it cannot be taken again before it is unlocked.
 * Methods without a guard throw while the flow is unknown: they never guess.
 */
import { UnsupportedOperationError } from "../../../errors.ts"
import { apply } from "../../../primordials.ts"
import { refusal } from "./shared-memory.ts"

interface Flow {
  runInside<T>(body: () => T): T
}

/** Given by the layer above, which knows flows. */
export interface Flows {
  isCertain(): boolean
  current(): Flow
  /** A flow for code whose own is not known. */
  make(): Flow
}

interface Guard {
  unlock(): void
}

type Method = (...args: unknown[]) => unknown

/** The methods of locks that return a promise of a guard. */
const GUARDED = ["lock", "lockInterruptibly"]

/** Other methods and getters of locks, which need to know the flow, and static methods of threads that do. */
const BARE = "lockSync lockInterruptiblySync tryLock tryLockSync unlock isHeldByCurrentThread holdCount wasAbandoned"
const OF_THREADS = "currentThread interrupted"

/** Makes locks with this prototype belong to their guards. */
export function leaveToGuards(prototype: object, flows: Flows): void {
  for (const name of GUARDED) {
    const original = (prototype as Record<string, Method>)[name] as Method
    replace(prototype, name, {
      async value(this: unknown, ...args: unknown[]): Promise<Guard> {
        const flow = flows.isCertain() ? flows.current() : flows.make()
        const guard = (await flow.runInside(() => apply(original, this, args))) as Guard
        const unlock = (guard as unknown as Record<string, Method>)["unlock"] as Method
        const unlockAsOwner = (): void => void flow.runInside(() => apply(unlock, guard, []))
        Object.defineProperty(guard, "unlock", { value: unlockAsOwner })
        return guard
      },
    })
  }
  check(prototype, flows, BARE)
}

/** Makes what asks for the current thread throw where it is not known; given the class Thread. */
export function requireCertainty(threads: object, flows: Flows): void {
  refusal.make = (message) => new UnsupportedOperationError(message)
  check(threads, flows, OF_THREADS)
}

function check(object: object, flows: Flows, names: string): void {
  for (const name of names.split(" ")) {
    const member = Object.getOwnPropertyDescriptor(object, name)
    if (member === undefined) continue
    const isGetter = member.get !== undefined
    const original = (isGetter ? member.get : member.value) as Method
    const checked = function (this: unknown, ...args: unknown[]): unknown {
      if (flows.isCertain()) return apply(original, this, args)
      throw new UnsupportedOperationError(
        `${name} needs to know which thread runs this code, and after an \`await\` this browser does not tell. Ask before the first \`await\`; unlock by the guard that \`await lock.lock()\` has returned`,
      )
    }
    replace(object, name, isGetter ? { get: checked } : { value: checked })
  }
}

function replace(object: object, name: string, by: PropertyDescriptor): void {
  Object.defineProperty(object, name, { ...Object.getOwnPropertyDescriptor(object, name), ...by })
}
