/**
 * Tasks as objects: what to do is the method `compute`, and what with are the fields.
 *
 *     export class Fib extends RecursiveTask<number> {
 *       static {
 *         task(import.meta.url, this)
 *       }
 *       constructor(readonly n: number) {
 *         super()
 *       }
 *       protected compute(): number {
 *         if (this.n < 20) return sequentialFib(this.n)
 *         const other = new Fib(this.n - 1).fork()
 *         return new Fib(this.n - 2).invoke() + other.join()
 *       }
 *     }
 *
 *     await pool.invoke(new Fib(40))
 *
 * The class is a task as a function is: exported from a module of its own under its own name, which `task` is told.
 *
 * A thread that steals such a task has another object of the same class, with the same public fields, whose constructor was not
 * called. When it is done, the fields to which `compute` has assigned something else are assigned here, too. Private fields
 * (`#x`), other tasks and what a field's object holds inside of it stay where they are.
 */
import { isPromiseLike } from "../checks.ts"
import { COMPUTE, computeOf } from "../task/reference.ts"
import { ForkJoinTask } from "./fork-join-task.ts"
import { isForkJoinTask, type Portable } from "./life.ts"

type Fields = Record<string, unknown>

/** The result, and the fields that have changed, if any have. */
type Sent = readonly [value: unknown, changed?: Fields]

export abstract class ObjectTask<T> extends ForkJoinTask<T> {
  /** @internal */
  override portable(): Portable {
    return { fn: computeOf(this.constructor), args: [fieldsOf(this), this.hidden] }
  }

  /** @internal Does the work of an instance with these fields, in the place of the thread that has it. */
  static [COMPUTE](fields: Fields, hidden: unknown): Sent | Promise<Sent> {
    const copy = Reflect.construct(ForkJoinTask, [], this as never) as ObjectTask<unknown>
    Object.assign(copy, fields)
    copy.restore(hidden)
    const value = copy.computeAll()
    return isPromiseLike(value) ? afterwards(value, fields, copy) : sent(value, fields, copy)
  }

  /** @internal What a copy has to know beyond the fields. */
  protected get hidden(): unknown {
    return undefined
  }

  /** @internal */
  protected restore(_hidden: unknown): void {}

  /** @internal Does everything, in another thread. */
  protected abstract computeAll(): unknown

  protected override received(outcome: unknown): unknown {
    const [value, changed] = outcome as Sent
    if (changed !== undefined) Object.assign(this, changed)
    return value
  }
}

async function afterwards(pending: PromiseLike<unknown>, fields: Fields, copy: ObjectTask<unknown>): Promise<Sent> {
  return sent(await pending, fields, copy)
}

function sent(value: unknown, before: Fields, copy: ObjectTask<unknown>): Sent {
  const changed: Fields = {}
  for (const [name, field] of Object.entries(fieldsOf(copy))) {
    if (!Object.hasOwn(before, name) || !Object.is(before[name], field)) changed[name] = field
  }
  return Object.keys(changed).length === 0 ? [value] : [value, changed]
}

/** Not other tasks: they belong to their thread. */
function fieldsOf(task: ObjectTask<unknown>): Fields {
  const fields: Fields = {}
  for (const [name, field] of Object.entries(task)) if (!isForkJoinTask(field)) fields[name] = field
  return fields
}

export abstract class RecursiveTask<T> extends ObjectTask<T> {
  /** What the task does: its result. */
  protected abstract compute(): T | PromiseLike<T>

  protected override exec(): unknown {
    return this.compute()
  }

  /** @internal */
  protected override computeAll(): unknown {
    return this.compute()
  }
}

/** As {@link RecursiveTask}, for those that have no result. */
export abstract class RecursiveAction extends ObjectTask<void> {
  /** What the task does. */
  protected abstract compute(): void | PromiseLike<void>

  protected override exec(): unknown {
    return this.compute()
  }

  /** @internal */
  protected override computeAll(): unknown {
    return this.exec()
  }
}
