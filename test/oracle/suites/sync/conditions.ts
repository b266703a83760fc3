/** The conditions of a lock in suite sync, by name. */
import type { Condition, Shared } from "corepool"
import { integer, type JsonObject, ScenarioError, string, strings } from "../../json.ts"
import { VOID } from "../../results.ts"
import { asVoid, type Manner, type NameOf, type Posted, type Somebody } from "./subject.ts"

/** Locks that have conditions. */
interface Maker {
  newCondition(): Condition
  conditionFrom(shared: Shared): Condition
}

export class Conditions {
  readonly #conditions: ReadonlyMap<string, Condition>

  private constructor(conditions: readonly (readonly [string, Condition])[]) {
    this.#conditions = new Map(conditions)
  }

  static of(lock: Maker, setup: JsonObject): Conditions {
    return new Conditions(strings(setup, "conditions").map((name) => [name, lock.newCondition()]))
  }

  static from(lock: Maker, { conditions }: Posted): Conditions {
    return new Conditions(conditions.map(([name, shared]) => [name, lock.conditionFrom(shared)]))
  }

  post(): Posted["conditions"] {
    return [...this.#conditions]
  }

  /** Performs an op that names a condition. */
  perform(op: JsonObject, manner: Manner): unknown {
    const condition = this.#named(string(op, "condition"))
    const blocking = manner === "blocking"
    switch (string(op, "do")) {
      case "await":
        return asVoid(blocking ? condition.awaitSync() : condition.await())
      case "awaitTimed": {
        const ms = integer(op, "timeoutMs")
        return blocking ? condition.awaitSync(ms) : condition.await(ms)
      }
      case "awaitUninterruptibly":
        if (!blocking) return asVoid(condition.awaitUninterruptibly())
        condition.awaitUninterruptiblySync()
        return VOID
      case "signal":
        condition.signal()
        return VOID
      case "signalAll":
        condition.signalAll()
        return VOID
      case "hasWaiters":
        return condition.hasWaiters
      case "getWaitQueueLength":
        return condition.waitQueueLength
      default:
        throw new ScenarioError(`A condition of suite sync has no op ${JSON.stringify(op)}`)
    }
  }

  /** Those who wait, longest waiting first. */
  waitersOf(name: string): Somebody[] {
    return (this.#named(name) as unknown as { waiters(): Somebody[] }).waiters()
  }

  snapshot(nameOf: NameOf): JsonObject {
    const names = [...this.#conditions.keys()]
    if (names.length === 0) return {}
    return { waiting: Object.fromEntries(names.map((name) => [name, this.waitersOf(name).map(nameOf)])) }
  }

  /** For the holder of the lock. */
  signalAll(): void {
    for (const condition of this.#conditions.values()) condition.signalAll()
  }

  #named(name: string): Condition {
    const condition = this.#conditions.get(name)
    if (condition === undefined) throw new ScenarioError(`No condition ${name}`)
    return condition
  }
}
