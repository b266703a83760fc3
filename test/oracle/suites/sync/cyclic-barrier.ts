/** A CyclicBarrier in suite sync. */
import { type BarrierAction, CyclicBarrier } from "corepool"
import { add, load, sharedWords } from "#src/memory/atomics.js"
import { integer, type JsonObject, maybeString, ScenarioError, string } from "../../json.ts"
import { OwnError, VOID } from "../../results.ts"
import { type Manner, type Posted, type Subject, unknownOp } from "./subject.ts"

export class CyclicBarrierSubject implements Subject {
  readonly #setup: JsonObject
  readonly #barrier: CyclicBarrier
  /** One word, which all threads share: whoever comes last runs the action. */
  readonly #actionRuns: Int32Array

  private constructor(setup: JsonObject, barrier: CyclicBarrier, actionRuns: Int32Array) {
    this.#setup = setup
    this.#barrier = barrier
    this.#actionRuns = actionRuns
  }

  static make(setup: JsonObject): CyclicBarrierSubject {
    const runs = sharedWords(1)
    const barrier = new CyclicBarrier(integer(setup, "parties"), actionOf(setup, runs))
    return new CyclicBarrierSubject(setup, barrier, runs)
  }

  static open({ setup, synchronizer, actionRuns }: Posted): CyclicBarrierSubject {
    if (actionRuns === undefined) throw new ScenarioError("A barrier was posted without the word of its action")
    return new CyclicBarrierSubject(setup, CyclicBarrier.from(synchronizer, actionOf(setup, actionRuns)), actionRuns)
  }

  post(): Posted {
    return { setup: this.#setup, synchronizer: this.#barrier, conditions: [], actionRuns: this.#actionRuns }
  }

  perform(op: JsonObject, manner: Manner): unknown {
    const barrier = this.#barrier
    const blocking = manner === "blocking"
    switch (string(op, "do")) {
      case "await":
        return blocking ? barrier.awaitSync() : barrier.await()
      case "awaitTimed": {
        const ms = integer(op, "timeoutMs")
        return blocking ? barrier.awaitSync(ms) : barrier.await(ms)
      }
      case "reset":
        barrier.reset()
        return VOID
      case "getParties":
        return barrier.parties
      case "getNumberWaiting":
        return barrier.numberWaiting
      case "isBroken":
        return barrier.isBroken
      default:
        throw unknownOp(op)
    }
  }

  snapshot(): JsonObject {
    return {
      numberWaiting: this.#barrier.numberWaiting,
      isBroken: this.#barrier.isBroken,
      actionRuns: load(this.#actionRuns, 0),
    }
  }

  waitersOf(): never[] {
    return []
  }

  letGo(): void {
    // Nobody holds a barrier.
  }

  openUp(): void {
    this.#barrier.reset()
  }
}

function actionOf(setup: JsonObject, runs: Int32Array): BarrierAction | undefined {
  const kind = maybeString(setup, "action") ?? "none"
  if (kind === "none") return undefined
  if (!["count", "throw", "throwOnce"].includes(kind)) throw new ScenarioError(`No such action: ${kind}`)
  return () => {
    const before = add(runs, 0, 1)
    if (kind === "throw" || (kind === "throwOnce" && before === 0)) throw new OwnError("action")
  }
}
