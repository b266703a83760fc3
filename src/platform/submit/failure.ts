/**
 * Lets a task fail, whatever its error is. An error is a value of the program, and encoding it runs code of the
 * program: a getter may throw, and so may the trap of a proxy or `Error.prepareStackTrace`. The rule here: a task whose
 * outcome is decided gets settled. It is settled with the error; if that cannot be sent, with an error that says why;
 * if that cannot be encoded either, with an error that was encoded when this module was loaded; and if the program has
 * broken even what writing needs, with no value, and its submitter makes an error. It is never settled as cancelled, as
 * nothing has cancelled it.
 *
 * `fail` is for threads that do not run the task: its worker has died, a hook has thrown, its arguments cannot be
 * moved. The thread that runs the task uses its TaskPayloads, which can also send what cannot be encoded.
 */
import { encode } from "../../codec/codec.ts"
import { EncodedValue, TREE } from "../../codec/bytes/encoded-value.ts"
import { ERROR, LATIN1_TEXT } from "../../codec/bytes/tags.ts"
import { COMPLETING, EXCEPTIONAL } from "../../future/task-state.ts"
import { sendableInstead } from "../../task/portable-error.ts"
import type { TaskRecords } from "../memory/task-records.ts"

/** Fails the task with this error; false if the task was over. */
export function fail(tasks: TaskRecords, slot: number, error: unknown): boolean {
  if (!tasks.leaveNew(slot, COMPLETING)) return false
  settleAsFailed(tasks, slot, error)
  return true
}

/**
 * For the thread that has decided the outcome: settles the task with this error, or with another that says why this one
 * cannot be sent. Never throws.
 */
export function settleAsFailed(tasks: TaskRecords, slot: number, error: unknown): void {
  try {
    writeFailure(tasks, slot, error)
  } catch {
    // The program has replaced methods of built-in classes that even this needs. To write that there is no value needs
    // none.
    tasks.leaveUntold(slot)
  }
  tasks.settle(slot, EXCEPTIONAL)
}

/**
 * Writes this error into the record of the task, which is not settled yet. Throws only if the code of corepool cannot
 * work in this thread.
 */
export function writeFailure(tasks: TaskRecords, slot: number, error: unknown): void {
  if (!tasks.fill(slot, encodedOf(error))) tasks.fill(slot, withoutRoom())
}

/** The encoded error; if it cannot be encoded, an error that says why. Never throws. */
export function encodedOf(error: unknown): EncodedValue {
  try {
    return encode(error)
  } catch (cause) {
    return encodedFailure(error, cause)
  }
}

/** Encoded: what is sent in place of a thrown value that cannot be sent. Never throws. */
export function encodedFailure(thrown: unknown, cause: unknown): EncodedValue {
  try {
    return encode(sendableInstead(thrown, cause))
  } catch {
    return unspeakable() // Error.prepareStackTrace of a program can break even our own errors
  }
}

// ------------------------------------------------------------------ written beforehand

/**
 * The function returned makes copies of an error, which has a message and neither stack nor fields, as `encode` would
 * write it (src/codec/error-data.ts). It is written here: most threads never load the code that writes values.
 */
function copier(type: string, name: string, message: string): () => EncodedValue {
  const letters = [type, name, message, ""].map((text) => String.fromCharCode(LATIN1_TEXT, text.length) + text)
  const all = String.fromCharCode(ERROR, LATIN1_TEXT, 0) + letters.join("") + String.fromCharCode(0)
  const bytes = Uint8Array.from(all, (letter) => letter.charCodeAt(0))
  return () => {
    const copy = EncodedValue.toRead(TREE, bytes.length)
    copy.bytes.set(bytes)
    return copy
  }
}

/** So short that it fits into the record. */
export const withoutRoom: () => EncodedValue = copier("RangeError", "RangeError", "No room for the error")

export const unspeakable: () => EncodedValue = copier(
  "NotSerializableError",
  "Error",
  "What was thrown cannot be sent, nor why",
)
