/**
 * The error family: one class per outcome, each with a stable `code`.
 *
 * The names are Java's with `Error` for `Exception`. Wrong arguments are not in this family: they are plain `TypeError`
 * and `RangeError`, worded by `checks.ts`.
 *
 * A thread may have loaded corepool more than once, in several bundles. Each copy has classes of its own, but to a user
 * a TimeoutError is a TimeoutError: so `instanceof` compares the names that all copies have given to their classes.
 */
import { shorten } from "./checks.ts"
import { commonNames, type ErrorClass, isNamedLike, nameError, nameOfErrors } from "./error-names.ts"
import { isInstanceOf } from "./primordials.ts"

/** The base of every error that corepool itself raises. Test `code` rather than `message`. */
export abstract class CorepoolError extends Error {
  static {
    nameError("CorepoolError", this)
  }
  /** Stable across versions, `ERR_COREPOOL_…`. */
  abstract readonly code: string

  /** A message that corepool makes has at most 500 characters: the values in it may be of any length. */
  constructor(message?: string, options?: ErrorOptions) {
    const type = new.target // terser moves `new.target` itself into a function, where it is another one
    super(typeof message === "string" && isOurs(type) ? shorten(message) : message, options)
    this.name = nameOfErrors(type) ?? this.name
  }

  /** @internal False if looking at the value throws, as for a revoked proxy. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    try {
      return isInstanceOf(this, value) || isNamedLike(this, value)
    } catch {
      return false // corepool asks this of every error that a task throws
    }
  }
}

/** Whether it is one of the classes below, and not a subclass that the program has made. */
function isOurs(type: ErrorClass): boolean {
  return commonNames.has(type.prototype)
}

/** A task was refused: the executor is shut down or saturated. The task rides along, so nothing is lost. */
export class RejectedExecutionError extends CorepoolError {
  static {
    nameError("RejectedExecutionError", this)
  }
  readonly code = "ERR_COREPOOL_REJECTED"
  /** What was refused, as it was given to `execute`. */
  readonly task: unknown

  /** `task` is what was refused; `options.cause` why. */
  constructor(message: string, task?: unknown, options?: ErrorOptions) {
    super(message, options)
    this.task = task
  }
}

/** The result of a cancelled task was asked for. */
export class CancellationError extends CorepoolError {
  static {
    nameError("CancellationError", this)
  }
  readonly code = "ERR_COREPOOL_CANCELLED"
}

/** A wait, or a task with a time limit, took too long. */
export class TimeoutError extends CorepoolError {
  static {
    nameError("TimeoutError", this)
  }
  readonly code = "ERR_COREPOOL_TIMEOUT"
}

/** A waiting thread was interrupted. Throwing it has cleared the thread's interrupt flag. */
export class InterruptedError extends CorepoolError {
  static {
    nameError("InterruptedError", this)
  }
  readonly code = "ERR_COREPOOL_INTERRUPTED"
}

/** The thread that ran a task died before the task ended. */
export class ThreadDeathError extends CorepoolError {
  static {
    nameError("ThreadDeathError", this)
  }
  readonly code = "ERR_COREPOOL_THREAD_DEATH"
}

/** A function cannot be sent to another thread. */
export class TaskNotPortableError extends CorepoolError {
  static {
    nameError("TaskNotPortableError", this)
  }
  readonly code = "ERR_COREPOOL_TASK_NOT_PORTABLE"
}

/** A value cannot be sent to another thread. */
export class NotSerializableError extends CorepoolError {
  static {
    nameError("NotSerializableError", this)
  }
  readonly code = "ERR_COREPOOL_NOT_SERIALIZABLE"
}

/** The object is not in a state in which the call makes sense. */
export class IllegalStateError extends CorepoolError {
  static {
    nameError("IllegalStateError", this)
  }
  readonly code = "ERR_COREPOOL_ILLEGAL_STATE"
}

/** A lock was used by a task that does not hold it. */
export class IllegalMonitorStateError extends CorepoolError {
  static {
    nameError("IllegalMonitorStateError", this)
  }
  readonly code = "ERR_COREPOOL_ILLEGAL_MONITOR_STATE"
}

/** A barrier broke while it was waited for. */
export class BrokenBarrierError extends CorepoolError {
  static {
    nameError("BrokenBarrierError", this)
  }
  readonly code = "ERR_COREPOOL_BROKEN_BARRIER"
}

/** This kind of thread or object cannot do that. */
export class UnsupportedOperationError extends CorepoolError {
  static {
    nameError("UnsupportedOperationError", this)
  }
  readonly code = "ERR_COREPOOL_UNSUPPORTED_OPERATION"
}

/** An element was demanded of an empty queue. */
export class NoSuchElementError extends CorepoolError {
  static {
    nameError("NoSuchElementError", this)
  }
  readonly code = "ERR_COREPOOL_NO_SUCH_ELEMENT"
}

/** A node of a distributed executor was given a task whose name is not in its catalogue. */
export class UnknownTaskError extends CorepoolError {
  static {
    nameError("UnknownTaskError", this)
  }
  readonly code = "ERR_COREPOOL_UNKNOWN_TASK"
}

/** The nodes that ran a task of a distributed executor died, as many as the task may cost. */
export class NodeDeathError extends CorepoolError {
  static {
    nameError("NodeDeathError", this)
  }
  readonly code = "ERR_COREPOOL_NODE_DEATH"
}
