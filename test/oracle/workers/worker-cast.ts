/**
 * Actors that are worker threads.
 *
 * When is all quiet? When every actor that has not completed its op is at rest, all of them at the same moment, and the
 * driver is the only one left who could wake anybody. No clock is asked: each actor's rest has a number, and if all
 * numbers are the same before and after, nobody stirred in between.
 */
import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises"
import type { Cast } from "../cast.ts"
import { type JsonObject, maybeString, string } from "../json.ts"
import { pastShortTimeout } from "../quiescence.ts"
import { capture, sorted } from "../results.ts"
import type { Somebody, Subject } from "../suites/sync/subject.ts"
import type { ActorWorker } from "./actor-worker.ts"
import type { ActorWorkers } from "./actor-workers.ts"

/** Looks at once for so many turns, and then once in a millisecond. */
const EAGER_TURNS = 50

/** No scenario needs a hundredth of this; a replay that never comes to rest must end nevertheless. */
const RESTLESS_AFTER_MS = 20_000

/** When a scenario is over, each round lets at least one actor go that is blocked, and then its holds. */
const ROUNDS = 2

/** The number of the only flow that an actor's thread has. */
const MAIN_FLOW = 1

export class WorkerCast implements Cast {
  readonly #subject: Subject
  readonly #workers: ActorWorkers
  readonly #actors = new Map<string, ActorWorker>()
  readonly #completed: JsonObject[] = []
  readonly #refused: string[] = []
  /** What went wrong in the replayer itself. */
  readonly #mistakes: unknown[] = []

  constructor(subject: Subject, workers: ActorWorkers) {
    this.#subject = subject
    this.#workers = workers
  }

  async step(op: JsonObject, drive: () => unknown, isPastTimeout: () => boolean): Promise<JsonObject> {
    const by = maybeString(op, "by")
    const seen: { result?: JsonObject } = {}
    if (by === undefined) {
      seen.result = await capture(drive)
    } else {
      const actor = await this.#actor(by)
      actor.perform(op)
      await pastShortTimeout(
        op,
        () => this.#quiet(),
        () => actor.current === undefined || isPastTimeout(),
      )
    }
    await this.#quiet()
    return { ...seen, refused: sorted(this.#refused.splice(0)) }
  }

  interrupt(name: string): void {
    this.#actors.get(name)?.interrupt()
  }

  nameOf({ thread, flow }: Somebody): string {
    for (const [name, { token }] of this.#actors) if (token === thread && flow === MAIN_FLOW) return name
    return `flow ${flow} of thread ${thread}`
  }

  blocked(): string[] {
    return sorted(this.#busy().map(([name, { current }]) => `${name}:${string(current ?? {}, "do")}`))
  }

  newlyCompleted(): JsonObject[] {
    return this.#completed.splice(0).sort((a, b) => (String(a["by"]) < String(b["by"]) ? -1 : 1))
  }

  // ------------------------------------------------------------------ actors

  async #actor(name: string): Promise<ActorWorker> {
    let actor = this.#actors.get(name)
    if (actor === undefined) {
      actor = await this.#workers.take()
      this.#actors.set(name, actor)
      actor.open(this.#subject.post(), {
        completed: (outcome) => this.#completed.push({ by: name, ...outcome }),
        refused: (op) => this.#refused.push(`${name}:${string(op, "do")}`),
        mistaken: (error) => this.#mistakes.push(error),
      })
    }
    return actor
  }

  #busy(): [name: string, actor: ActorWorker][] {
    return [...this.#actors].filter(([, { current }]) => current !== undefined)
  }

  // ------------------------------------------------------------------ quiescence

  async #quiet(): Promise<void> {
    const deadline = performance.now() + RESTLESS_AFTER_MS
    for (let looks = 0; !(await this.#isQuiet()); looks++) {
      if (performance.now() > deadline) {
        const what = [...this.#actors].map(([name, actor]) => `${name}: ${String(actor)}`)
        this.#mistakes.push(new Error(`No quiescence after ${RESTLESS_AFTER_MS} ms: ${what.join(", ")}`))
      }
      if (this.#mistakes.length > 0) break
      await (looks < EAGER_TURNS ? turn() : sleep(1))
    }
    if (this.#mistakes.length > 0) throw this.#mistakes[0]
  }

  async #isQuiet(): Promise<boolean> {
    const busy = this.#busy().map(([, actor]) => actor)
    const rests = busy.map(({ rest }) => rest)
    if (rests.includes(undefined)) return false
    await Promise.all(busy.map((actor) => actor.answer()))
    return busy.every(({ current, rest }, i) => current !== undefined && rest === rests[i])
  }

  // ------------------------------------------------------------------ the end

  /**
   * The workers are wanted for other scenarios, so whoever is blocked is let go: by interrupts, by giving back what
   * they hold, by opening the synchronizer. One that stays blocked all the same, which only an error of corepool's can
   * bring about, is not used again.
   */
  async close(): Promise<void> {
    const actors = [...this.#actors.values()]
    for (let left = ROUNDS * actors.length; left > 0 && this.#mistakes.length === 0; left--) {
      for (const [, actor] of this.#busy()) actor.interrupt()
      await Promise.all(actors.map((actor) => actor.letGo()))
      await this.#quiet()
      this.#subject.openUp()
      await this.#quiet()
      if (this.#busy().length === 0) break
    }
    if (this.#mistakes.length > 0) return
    for (const actor of actors) if (actor.current === undefined) this.#workers.give(actor)
  }
}
