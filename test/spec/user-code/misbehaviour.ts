/** What code of the user's may do where corepool calls it. */
import type { World } from "./world.ts"

export interface Misbehaviour {
  readonly does: string
  /** Is called in the place of the user's code, with what it would return if it behaved. */
  readonly act: (world: World, otherwise: unknown) => unknown
  /** What it throws, if it does. */
  readonly thrown?: unknown
  /** Whether it returns a promise that never settles. */
  readonly isForever?: boolean
}

const plain = new Error("thrown by the user's code")

/** Resists every look at it: a string is made of it, a property is read, its prototype is asked for. */
const hostile: unknown = (() => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
})()

/** An Error by its class, of which nothing can be read. */
const guardedError: unknown = Object.defineProperties(new Error("hidden"), {
  stack: { get: refuse }, // first: to make a stack the engine reads the others
  message: { get: refuse },
  name: { get: refuse },
  cause: { get: refuse },
})

function refuse(): never {
  throw new TypeError("not to be looked at")
}

function throwing(does: string, thrown: unknown): Misbehaviour {
  return {
    does,
    thrown,
    act: () => {
      throw thrown
    },
  }
}

export const misbehaviours: readonly Misbehaviour[] = [
  throwing("throws an Error", plain),
  throwing("throws a revoked proxy", hostile),
  throwing("throws an Error whose getters throw", guardedError),
  { does: "returns a promise that never settles", isForever: true, act: () => new Promise(() => undefined) },
  {
    does: "cancels a task",
    act(world, otherwise) {
      world.cancelOne()
      return otherwise
    },
  },
  {
    does: "submits a task",
    act(world, otherwise) {
      world.submitMore()
      return otherwise
    },
  },
  {
    does: "stops the pool",
    act(world, otherwise) {
      world.stop()
      return otherwise
    },
  },
]
