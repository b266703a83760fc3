import { Bell } from "../../memory/wait/bell.ts"
import { blocking, type Steps } from "../../memory/flow/waiting.ts"
import { AFTER, AFTER_AGAIN, AFTER_RUN, BEFORE, DONE, HEADER, THREW, UNCAUGHT } from "../memory/layout.ts"
import type { PoolMemory } from "../memory/pool-memory.ts"
import type { SharedWorker } from "../memory/workers/shared-worker.ts"

/**
 * The hooks as a worker sees them: it asks the owner, whose methods they are, and waits until they have been called.
 */
export class WorkerHooks {
  readonly #memory: PoolMemory
  readonly #self: SharedWorker
  #bell: Bell | undefined

  constructor(memory: PoolMemory, self: SharedWorker) {
    this.#memory = memory
    this.#self = self
  }

  before(): void {
    if (this.#has(BEFORE) && this.#ask(BEFORE) === THREW) throw new HookFailure("beforeExecute() has thrown")
  }

  get hasAfter(): boolean {
    return this.#has(AFTER)
  }

  /** A task is over, or goes on. False if the hook has thrown. */
  after(goesOn: boolean): boolean {
    return this.#ask(goesOn ? AFTER_RUN : AFTER) !== THREW
  }

  /** The hook is called once more, with the error that it has thrown itself. */
  afterAgain(): void {
    this.#ask(AFTER_AGAIN)
  }

  /** No hook: a command has thrown, and the owner has to report the error. */
  tellUncaught(): void {
    this.#ask(UNCAUGHT)
  }

  #has(hook: number): boolean {
    return (this.#memory.header(HEADER.HOOKS) & hook) !== 0
  }

  #ask(what: number): number {
    const bell = (this.#bell ??= new Bell(this.#memory.threadContext, () => undefined, false))
    this.#self.ask(what, bell.index)
    blocking(this.#answered(bell))
    return this.#self.asked
  }

  *#answered(bell: Bell): Steps<void> {
    while (this.#self.asked < DONE) yield bell // interrupts do not matter here: they are for the task
  }
}

/** Ends the worker, in order: nothing is wrong with its thread. */
export class WorkerEnd extends Error {}

/** A hook has thrown in the owner's thread, and was reported there. It ends the worker. */
export class HookFailure extends WorkerEnd {}
