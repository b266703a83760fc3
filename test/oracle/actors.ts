/**
 * Named helper threads that make the calls which may block. An actor comes into being when it is first named and
 * keeps its thread to the end of the scenario. It performs one op at a time: at quiescence the op has
 * completed or is blocked.
 */
import { Thread, virtualThreads } from "corepool"
import { flag, type JsonObject, maybeString, ScenarioError, string } from "./json.ts"
import { pastShortTimeout, quiescence } from "./quiescence.ts"
import { capture, sorted } from "./results.ts"

/** What only a suite can tell. */
export interface Look {
  /** Everything of the object under test that can move. */
  readonly signature?: () => string
  /** Waits until nothing more will happen by itself, if the object is not all in this thread. */
  readonly quiet?: (signature: () => string) => Promise<void>
  /** Whether an op that goes on after its time-out, to get its lock back, is past it; asked when all is quiet. */
  readonly isPastTimeout?: () => boolean
  /** How long a short time-out of the scenario lasts here, if that is not the same. */
  readonly shortTime?: (timeoutMs: number) => number
}

interface Command {
  readonly what: string
  readonly preInterrupted: boolean
  readonly perform: () => unknown
}

class Actor {
  readonly name: string
  readonly thread: Thread
  readonly #completed: JsonObject[]
  readonly #mistakes: unknown[]
  /** The op in flight. */
  current: Command | undefined
  #closed = false
  /**
   * Lets an idle actor look again. A plain promise: an idle actor is in no wait that corepool knows, nothing can
   * interrupt it.
   */
  #wake = (): void => {}

  constructor(name: string, completed: JsonObject[], mistakes: unknown[]) {
    this.name = name
    this.#completed = completed
    this.#mistakes = mistakes
    const thread = virtualThreads({ name }).newThread(() => this.#live())
    if (thread == null) throw new ScenarioError(`No thread for actor ${name}`)
    this.thread = thread
    thread.start()
  }

  hand(command: Command): void {
    this.current = command
    this.#wake()
  }

  close(): void {
    this.#closed = true
    this.#wake()
    if (this.current !== undefined) this.thread.interrupt()
  }

  async #live(): Promise<void> {
    while (!this.#closed) {
      if (this.current === undefined) {
        await new Promise<void>((resolve) => (this.#wake = resolve))
      } else {
        await this.#obey(this.current).catch((mistake: unknown) => this.#mistakes.push(mistake))
        this.current = undefined
      }
    }
  }

  async #obey({ what, preInterrupted, perform }: Command): Promise<void> {
    Thread.interrupted()
    if (preInterrupted) Thread.currentThread().interrupt()
    const result = await capture(perform)
    const interruptFlag = Thread.interrupted() ? { interruptFlag: true } : {}
    this.#completed.push({ by: this.name, do: what, ...result, ...interruptFlag })
  }
}

export class Actors {
  readonly #actors = new Map<string, Actor>()
  readonly #completed: JsonObject[] = []
  /** What went wrong in the replayer itself. */
  readonly #mistakes: unknown[] = []
  #reported = 0

  /**
   * Performs an op, by the actor that it names or else by the driver, and waits until all is quiet.
   * The driver's own result comes back; an actor's shows when it has completed.
   */
  async step(op: JsonObject, perform: () => unknown, look: Look = {}): Promise<JsonObject> {
    const by = maybeString(op, "by")
    const snapshot: { result?: JsonObject } = {}
    const signature = (): string => `${this.signature()} ${look.signature?.() ?? ""}`
    const quiet = (): Promise<void> => (look.quiet ?? quiescence)(signature)
    if (by === undefined) {
      snapshot.result = await capture(perform)
    } else {
      this.perform(by, { what: string(op, "do"), preInterrupted: flag(op, "preInterrupted"), perform })
      const isOver = (): boolean => !this.busy(by) || look.isPastTimeout?.() === true
      await pastShortTimeout(op, quiet, isOver, look.shortTime)
    }
    await quiet()
    if (this.#mistakes.length > 0) throw this.#mistakes[0]
    return snapshot
  }

  /** Hands an op to an actor, which starts it at once. The caller does not wait for it. */
  perform(name: string, command: Command): void {
    const actor = this.#actor(name)
    if (actor.current !== undefined) {
      throw new ScenarioError(`Actor ${name} is still in ${actor.current.what} and cannot ${command.what}`)
    }
    actor.hand(command)
  }

  /** The name of the actor with this thread. */
  nameOf(threadId: number): string | undefined {
    return [...this.#actors.values()].find(({ thread }) => thread.id === threadId)?.name
  }

  busy(name: string): boolean {
    return this.#actors.get(name)?.current !== undefined
  }

  /** An actor with nothing to do cannot be interrupted: its flag would be cleared before its next op anyway. */
  interrupt(name: string): void {
    if (this.busy(name)) this.#actor(name).thread.interrupt()
  }

  /** `"a1:take"` of every actor whose op has not completed. */
  blocked(): string[] {
    const busy = [...this.#actors.values()].filter(({ current }) => current !== undefined)
    return sorted(busy.map(({ name, current }) => `${name}:${current?.what ?? ""}`))
  }

  /** The ops that completed since the last call, by actor. */
  newlyCompleted(): JsonObject[] {
    const fresh = this.#completed.slice(this.#reported)
    this.#reported = this.#completed.length
    return fresh.sort((a, b) => (String(a["by"]) < String(b["by"]) ? -1 : 1))
  }

  signature(): string {
    return `${this.blocked().join()} ${this.#completed.length}`
  }

  /** Ends the idle ones and interrupts the rest. */
  close(): void {
    for (const actor of this.#actors.values()) actor.close()
  }

  #actor(name: string): Actor {
    let actor = this.#actors.get(name)
    if (actor === undefined) this.#actors.set(name, (actor = new Actor(name, this.#completed, this.#mistakes)))
    return actor
  }
}
