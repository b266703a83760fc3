/**
 * How a task fails, whatever its error is. An error is a value of the program, and to write it down runs code of the
 * program: a getter may throw, so may the trap of a proxy, and `Error.prepareStackTrace`. The rule here is that a task
 * which is decided gets settled: with the error; if that cannot be sent, with one that says why; if not even that can
 * be written, with one that was written when this module was loaded; and with none, for which its submitter makes one,
 * if the program has broken what it takes to write. It is never settled as cancelled, as nothing has cancelled it.
 *
 * `fail` is for threads that do not run the task: its worker has died, a hook has thrown, its arguments cannot be
 * moved. The thread that runs it writes by its desk, which can also post what cannot be written down.
 */
import { alone } from "../../checks.ts"
import { encode } from "../../codec/codec.ts"
import { EncodedValue } from "../../codec/bytes/encoded-value.ts"
import { NotSerializableError } from "../../errors.ts"
import { COMPLETING, EXCEPTIONAL } from "../../future/task-state.ts"
import { dataDescriptor, isError, messageOf } from "../../user-values.ts"
import type { TaskRecords } from "../memory/task-records.ts"

/** The task has failed with this error, unless it was over: then false. */
export function fail(tasks: TaskRecords, slot: number, error: unknown): boolean {
  if (!tasks.leaveNew(slot, COMPLETING)) return false
  settleAsFailed(tasks, slot, error)
  return true
}

/**
 * By who has decided that it is over: it has failed with this error, or another that says why this one cannot be told.
 * Never throws.
 */
export function settleAsFailed(tasks: TaskRecords, slot: number, error: unknown): void {
  try {
    writeFailure(tasks, slot, error)
  } catch {
    // The program has replaced methods of built-in classes that even this needs. It takes none to say that there is no
    // telling why.
    tasks.leaveUntold(slot)
  }
  tasks.settle(slot, EXCEPTIONAL)
}

/**
 * Writes down that the task, which is not settled yet, fails with this error. Throws only if the code of corepool
 * cannot work in this thread.
 */
export function writeFailure(tasks: TaskRecords, slot: number, error: unknown): void {
  if (!tasks.fill(slot, encodedOf(error))) tasks.fill(slot, withoutRoom())
}

/** The error as a letter, or if it cannot be sent, an error that says why. Never throws. */
export function encodedOf(error: unknown): EncodedValue {
  try {
    return encode(error)
  } catch (cause) {
    return encodedFailure(error, cause)
  }
}

/** A letter that says why what a task has thrown cannot be sent. Never throws. */
export function encodedFailure(thrown: unknown, cause: unknown): EncodedValue {
  try {
    // The message of a proxy of an error, say: the more is told, the better.
    const what = isError(thrown) ? ` (${messageOf(thrown)})` : ""
    return encode(new NotSerializableError(`What was thrown${what} cannot be sent: ${messageOf(cause)}`))
  } catch {
    return unspeakable() // a program can spoil even our own errors, by Error.prepareStackTrace
  }
}

// ------------------------------------------------------------------ written beforehand

/** Makes copies of a letter that was written in time. */
function copier(error: Error): () => EncodedValue {
  const encoded = encode(error)
  const { kind, length } = encoded
  const bytes = Uint8Array.from(encoded.bytes.subarray(0, length))
  encoded.release()
  return () => {
    const copy = EncodedValue.toRead(kind, length)
    copy.bytes.set(bytes)
    return copy
  }
}

/**
 * A message and nothing else. It is not made by its constructor, which adds a stack everywhere, and in some engines
 * further fields that say where that was.
 */
function bare(prototype: Error, message: string): Error {
  return Object.create(prototype, alone({ message: dataDescriptor(message, false) })) as Error
}

/** So short that the record itself has room for it. */
const withoutRoom = copier(bare(RangeError.prototype, "No room for the error"))

const unspeakable = copier(bare(NotSerializableError.prototype, "What was thrown cannot be sent, nor why"))
