/**
 * Tasks as objects: the method `compute` does the work, on the fields. A thief has a copy; {@link Sent} is what it
 * sends back to the original when the copy is over.
 */
import { COMPUTE_ALL, DIFFERS, ENDING_OF, HIDDEN, MISUSED, PORTABLE, RECEIVED, REMEMBER, RESTORE } from "./internals.ts"
import { isPromiseLike } from "../../checks.ts"
import { COMPUTE, computeOf } from "../../task/reference.ts"
import type { Completion } from "./completion.ts"
import { ForkJoinTask } from "./fork-join-task.ts"
import { isForkJoinTask, type Portable } from "./life.ts"
import { outOfReach } from "./out-of-reach.ts"

export type Fields = Record<string, unknown>

/** The result, the changed fields, if any, and what else the original has to know. */
export type Sent = readonly [value: unknown, changed?: Fields | undefined, ending?: Ending]

/**
 * Of a completer: how it has ended, the names of fields with tasks, which stay, and the names of fields that hold the
 * same object as before, but changed inside.
 */
export interface Ending {
  readonly how: number
  readonly left: readonly string[]
  readonly inPlace: readonly string[]
}

/**
 * What a completer has besides its fields: see completion.ts. Undefined for other objects, and for a copy whose
 * completion was not used yet.
 */
export function completionIn(task: object): Completion | undefined {
  return readCompletion(task)
}

export function setCompletion(task: object, completion: Completion): void {
  writeCompletion(task, completion)
}

let readCompletion: (task: object) => Completion | undefined
let writeCompletion: (task: object, completion: Completion) => void
/** What to send back of a copy that is over. */
let sent: (value: unknown, before: Fields, copy: ObjectTask<unknown>) => Sent

export abstract class ObjectTask<T> extends ForkJoinTask<T> {
  #completion: Completion | undefined = undefined

  static {
    readCompletion = (task) => (#completion in task ? (task as ObjectTask<unknown>).#completion : undefined)
    writeCompletion = (task, completion) => {
      ;(task as ObjectTask<unknown>).#completion = completion
    }
    sent = (value, before, copy) => {
      const names: string[] = []
      for (const [name, field] of Object.entries(copy)) {
        if (!Object.hasOwn(before, name) || copy[DIFFERS](field, before[name])) names.push(name)
      }
      const ending = copy[ENDING_OF](names, before)
      const changed: Fields = {}
      for (const name of names) {
        const field = (copy as unknown as Fields)[name]
        if (!isForkJoinTask(field) && ending?.left.includes(name) !== true) changed[name] = field
      }
      const fields = Object.keys(changed).length === 0 ? undefined : changed
      return ending !== undefined ? [value, fields, ending] : fields === undefined ? [value] : [value, fields]
    }
  }

  /** @internal */
  override [PORTABLE](): Portable {
    const fields: Fields = {}
    let tasks: string[] | undefined
    for (const [name, field] of Object.entries(this)) {
      if (isForkJoinTask(field)) (tasks ??= []).push(name)
      else fields[name] = field
    }
    const args = tasks === undefined ? [fields, this[HIDDEN]] : [fields, this[HIDDEN], tasks]
    return { fn: computeOf(this.constructor), args }
  }

  /**
   * @internal Runs a copy with these fields, in the thread of a thief; `tasks` are the names of fields with tasks,
   * which stay in the thread of the original.
   */
  static [COMPUTE](fields: Fields, hidden: unknown, tasks: readonly string[] = []): Sent | Promise<Sent> {
    const copy = Reflect.construct(ObjectTask as never, [], this as never) as ObjectTask<unknown>
    Object.assign(copy, fields)
    for (const name of tasks) {
      const far = outOfReach(`The task in field \`${name}\``, (error) => copy[MISUSED](error))
      ;(copy as unknown as Fields)[name] = far
    }
    copy[RESTORE](hidden)
    const before = copy[REMEMBER](Object.fromEntries(Object.entries(copy)))
    const value = copy[COMPUTE_ALL]()
    return isPromiseLike(value) ? afterwards(value, before, copy) : sent(value, before, copy)
  }

  /** @internal What a copy needs beyond the fields. */
  protected get [HIDDEN](): unknown {
    return undefined
  }

  /** @internal */
  protected [RESTORE](_hidden: unknown): void {}

  /** @internal The copy has used a task that is out of reach, and got this error. */
  protected [MISUSED](_error: unknown): void {}

  /** @internal What to compare the fields with when the copy is over. */
  protected [REMEMBER](fields: Fields): Fields {
    return fields
  }

  /** @internal */
  protected [DIFFERS](field: unknown, before: unknown): boolean {
    return !Object.is(field, before)
  }

  /** @internal What the original needs beyond the fields; `names` are the changed fields. */
  protected [ENDING_OF](_names: readonly string[], _before: Fields): Ending | undefined {
    return undefined
  }

  /** @internal Does all the work of a copy, in the thread of a thief. */
  protected abstract [COMPUTE_ALL](): unknown

  /** @internal */
  override [RECEIVED](outcome: unknown): unknown {
    const [value, changed] = outcome as Sent
    if (changed !== undefined) Object.assign(this, changed)
    return value
  }
}

async function afterwards(pending: PromiseLike<unknown>, before: Fields, copy: ObjectTask<unknown>): Promise<Sent> {
  return sent(await pending, before, copy)
}

/**
 * A task as an object: the method `compute` does the work, on the fields.
 *
 * The class is a task as a function is: exported from its module under its own name, and passed to `task`.
 *
 * A thread that steals such a task has another object of the same class, with the same public fields, whose constructor
 * was not called. When it is done, the fields to which `compute` has assigned something else are assigned in the
 * original, too. Private fields (`#x`), other tasks and changes inside of a field's object stay there. Using a task in
 * a field there throws `IllegalStateError`.
 *
 * **Memory effects.** As for `ForkJoinTask`.
 *
 * @example
 * ```ts
 * // fib.ts
 * import { RecursiveTask, task } from "corepool"
 *
 * export class Fib extends RecursiveTask<number> {
 *   static {
 *     task(import.meta.url, this)
 *   }
 *   readonly n: number
 *   constructor(n: number) {
 *     super()
 *     this.n = n
 *   }
 *   protected compute(): number {
 *     if (this.n < 2) return this.n
 *     const other = new Fib(this.n - 1)
 *     other.fork()
 *     return new Fib(this.n - 2).invoke() + other.join()
 *   }
 * }
 * ```
 * ```ts
 * import { ForkJoinPool } from "corepool"
 * import { Fib } from "./fib.js"
 *
 * await using pool = new ForkJoinPool({ parallelism: 2 })
 * console.log(await pool.invoke(new Fib(12))) // => 144
 * ```
 */
export abstract class RecursiveTask<T> extends ObjectTask<T> {
  /** The work; returns the result. */
  protected abstract compute(): T | PromiseLike<T>

  protected override exec(): unknown {
    return this.compute()
  }

  /** @internal */
  protected override [COMPUTE_ALL](): unknown {
    return this.compute()
  }
}

/** As {@link RecursiveTask}, for tasks without a result. */
export abstract class RecursiveAction extends ObjectTask<void> {
  /** The work. */
  protected abstract compute(): void | PromiseLike<void>

  protected override exec(): unknown {
    return this.compute()
  }

  /** @internal */
  protected override [COMPUTE_ALL](): unknown {
    return this.exec()
  }
}
