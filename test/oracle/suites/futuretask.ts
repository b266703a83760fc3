/**
 * Suite "futuretask": one FutureTask, alone, with actors that run it (`r1`, `r2`) and wait for it (`g1` … `g4`).
 *
 * There is one gate for the whole scenario; each `release` or `fail` lets one body through.
 */
import { type Callable, FutureTask, InterruptedError, LinkedBlockingQueue, type Runnable, Thread } from "corepool"
import { Actors } from "../actors.ts"
import { javaNameOf } from "../deliberate-differences.ts"
import { flag, integer, type JsonObject, maybeString, objects, ScenarioError, string } from "../json.ts"
import { capture, OwnError, stateOf, VOID } from "../results.ts"
import { type Driver, NULL } from "./driver.ts"

/** A FutureTask whose protected methods can be called, and that counts `done()`. */
class OpenTask extends FutureTask<unknown> {
  readonly #doneThrows: boolean
  doneCount = 0

  constructor(doneThrows: boolean, ...args: [callable: Callable<unknown>] | [runnable: Runnable, result: unknown]) {
    super(...(args as [Runnable, unknown]))
    this.#doneThrows = doneThrows
  }

  protected override done(): void {
    this.doneCount++
    if (this.#doneThrows) throw new OwnError("done")
  }

  override set(value: unknown): void {
    super.set(value)
  }

  override setException(error: unknown): void {
    super.setException(error)
  }

  override runAndReset(): boolean | Promise<boolean> {
    return super.runAndReset()
  }
}

export class FutureTaskDriver implements Driver {
  readonly #bodies: readonly JsonObject[]
  readonly #actors = new Actors()
  readonly #gate = new LinkedBlockingQueue<string>()
  readonly #task: OpenTask
  #bodyRuns = 0
  readonly #bodyEnds: string[] = []
  #inBody = false

  constructor(setup: JsonObject) {
    this.#bodies = objects(setup, "bodies")
    const body = (): unknown => this.#body()
    const doneThrows = flag(setup, "doneThrows")
    this.#task =
      string(setup, "kind") === "runnable"
        ? new OpenTask(doneThrows, body, setup["result"])
        : new OpenTask(doneThrows, body)
  }

  async step(op: JsonObject): Promise<JsonObject> {
    const result = await this.#actors.step(op, () => this.#perform(op))
    return {
      ...result,
      isDone: this.#task.isDone,
      isCancelled: this.#task.isCancelled,
      state: stateOf(this.#task, this.#inBody),
      doneCount: this.#task.doneCount,
      bodyRuns: this.#bodyRuns,
      bodyEnds: [...this.#bodyEnds],
      blocked: this.#actors.blocked(),
      completed: this.#actors.newlyCompleted(),
    }
  }

  close(): void {
    this.#actors.close()
  }

  async #perform(op: JsonObject): Promise<unknown> {
    const task = this.#task
    switch (string(op, "do")) {
      case "run":
        await task.run()
        return VOID
      case "runAndReset":
        return await task.runAndReset()
      case "cancel":
        return task.cancel(flag(op, "mayInterrupt"))
      case "get":
        return await task.get()
      case "getTimed":
        return await task.get(integer(op, "timeoutMs"))
      case "set":
        task.set(op["value"])
        return VOID
      case "setException":
        task.setException(new OwnError(string(op, "message")))
        return VOID
      case "release":
      case "fail":
        this.#gate.add(string(op, "do"))
        return VOID
      case "interrupt":
        this.#actors.interrupt(string(op, "actor"))
        return VOID
      case "isDone":
        return task.isDone
      case "isCancelled":
        return task.isCancelled
      case "construct":
        void new OpenTask(false, NULL)
        return VOID
      default:
        throw new ScenarioError(`Suite futuretask has no op ${JSON.stringify(op)}`)
    }
  }

  // ------------------------------------------------------------------ the body

  /**
   * The n-th run of the body behaves as the n-th entry says; the last one repeats. A promise only where it has to
   * wait.
   */
  #body(): unknown {
    const body = this.#bodies[Math.min(this.#bodyRuns++, this.#bodies.length - 1)]
    if (body === undefined) throw new ScenarioError("A task without a body")
    this.#inBody = true
    const waits = ["gate", "stubbornGate", "runSelf", "getSelf"].includes(string(body, "kind"))
    return waits ? this.#waitingBody(body) : this.#immediateBody(body)
  }

  #immediateBody(body: JsonObject): unknown {
    try {
      const value = this.#behave(body)
      this.#bodyEnds.push("returned")
      return value
    } catch (error) {
      this.#bodyEnds.push("threw")
      throw error
    } finally {
      this.#inBody = false
    }
  }

  async #waitingBody(body: JsonObject): Promise<unknown> {
    try {
      const value = await this.#behaveWaiting(body)
      this.#bodyEnds.push("returned")
      return value
    } catch (error) {
      const interrupted = error instanceof InterruptedError
      this.#bodyEnds.push(interrupted ? "interrupted" : "threw")
      throw interrupted ? new OwnError("interrupted") : error
    } finally {
      this.#inBody = false
    }
  }

  #behave(body: JsonObject): unknown {
    const value = valueOf(body)
    switch (string(body, "kind")) {
      case "return":
        return value
      case "throw":
      case "error":
        throw new OwnError(maybeString(body, "message") ?? "m")
      case "cancelSelf":
        return String(this.#task.cancel(flag(body, "mayInterrupt")))
      case "cancelSelfThenThrow":
        this.#task.cancel(flag(body, "mayInterrupt"))
        throw new OwnError("late")
      case "setSelf":
        this.#task.set("self")
        return value
      case "setExceptionSelf":
        this.#task.setException(new OwnError("self"))
        return value
      default:
        throw new ScenarioError(`No such body: ${JSON.stringify(body)}`)
    }
  }

  async #behaveWaiting(body: JsonObject): Promise<unknown> {
    switch (string(body, "kind")) {
      case "runSelf":
        await this.#task.run()
        return valueOf(body)
      case "getSelf": {
        const { thrown } = await capture(() => this.#task.get(0))
        return javaNameOf(String(thrown))
      }
      case "gate":
        return passed(await this.#gate.take(), body)
      default:
        return await this.#stubborn(body)
    }
  }

  /** Waits on through interrupts, and raises the flag again in the end. */
  async #stubborn(body: JsonObject): Promise<unknown> {
    let interrupted = false
    for (;;) {
      try {
        const word = await this.#gate.take()
        if (interrupted) Thread.currentThread().interrupt()
        return passed(word, body)
      } catch (error) {
        if (!(error instanceof InterruptedError)) throw error
        interrupted = true
      }
    }
  }
}

function passed(word: string, body: JsonObject): unknown {
  if (word === "fail") throw new OwnError("failed")
  return valueOf(body)
}

function valueOf(body: JsonObject): unknown {
  return "value" in body ? body["value"] : "v"
}
