import type { Channel } from "#host/runtime/diagnostics"
import { warn } from "#host/runtime/warnings"
import type { PoolInfo } from "../observing.ts"
import { textOf } from "../user-values.ts"
import { publish } from "./channels.ts"
import { loosened } from "./loose-errors.ts"
import type { ObservedTask } from "./observed-task.ts"
import type { TaskUnobservedMessage } from "./payloads.ts"

/**
 * Reports failures that no code has looked at. It reports a failure when the future has become garbage, because then no
 * code can look at it any more. So it reports no failure whose future is kept, and none if the process ends first.
 */
export class Unobserved {
  readonly #channel: Channel
  /** The pools whose failures are printed. */
  readonly #printing = new WeakSet<PoolInfo>()
  /** How many of these pools are there, and how many failures of theirs may still be printed. */
  #wanted = 0
  readonly #pending = new WeakMap<object, TaskUnobservedMessage>()
  #garbage = this.#newRegistry()

  constructor(channel: Channel) {
    this.#channel = channel
  }

  /** Failures of tasks of this pool are to be printed. */
  print(pool: PoolInfo): void {
    this.#printing.add(pool)
    this.#wanted++
  }

  poolTerminated(pool: PoolInfo): void {
    if (this.#printing.has(pool)) this.#wanted--
  }

  get isWanted(): boolean {
    return this.#wanted > 0
  }

  /** The future has failed. */
  failed(task: ObservedTask, future: object, error: unknown, time: number): void {
    const { pool, id, name } = task
    const isPrinted = this.#printing.has(pool)
    if (!isPrinted && !this.#channel.hasSubscribers) return
    if (isPrinted) this.#wanted++
    const message = { pool, task: id, name, time, error: loosened(error) }
    this.#pending.set(future, message)
    this.#garbage.register(future, message, future)
  }

  /** The error of the future has been handed out. */
  seen(future: object): void {
    const message = this.#pending.get(future)
    if (message === undefined) return
    this.#pending.delete(future)
    this.#garbage.unregister(future)
    if (this.#printing.has(message.pool)) this.#wanted--
  }

  /** From now on nothing is reported to it: the failures of now are forgotten. */
  forget(): void {
    this.#garbage = this.#newRegistry()
  }

  #newRegistry(): FinalizationRegistry<TaskUnobservedMessage> {
    return new FinalizationRegistry((message) => this.#tell(message))
  }

  #tell(message: TaskUnobservedMessage): void {
    publish(this.#channel, message)
    const { pool, name, error } = message
    if (!this.#printing.has(pool)) return
    this.#wanted--
    const title = name === "" ? "A task" : `Task ${name}`
    warn(
      `${title} of ${pool.name} failed, and no code has looked at its error: ${textOf(error)}`,
      "COREPOOL_UNOBSERVED",
    )
  }
}
