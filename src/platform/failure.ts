/**
 * A task fails by the decision of a thread that does not run it: its worker has died, a hook has thrown, its arguments cannot be
 * moved. Whoever runs it says so by its desk, which can also post what cannot be written down.
 */
import { encode } from "../codec/codec.ts"
import { NotSerializableError } from "../errors.ts"
import { COMPLETING, EXCEPTIONAL } from "../future/task-state.ts"
import type { TaskRecords } from "./task-records.ts"

/** The task has failed with this error, unless it was over: then false. */
export function fail(tasks: TaskRecords, slot: number, error: unknown): boolean {
  if (!tasks.leaveNew(slot, COMPLETING)) return false
  settleAsFailed(tasks, slot, error)
  return true
}

/** By who has decided that it is over: it has failed with this error, or another that says why this one cannot be told. */
export function settleAsFailed(tasks: TaskRecords, slot: number, error: unknown): void {
  if (!tasks.fill(slot, letterOf(error))) tasks.fill(slot, encode(noRoom()))
  tasks.settle(slot, EXCEPTIONAL)
}

function letterOf(error: unknown): ReturnType<typeof encode> {
  try {
    return encode(error)
  } catch (cause) {
    const why = cause instanceof Error ? `: ${cause.message}` : ""
    return encode(new NotSerializableError(`What was thrown cannot be sent${why}`))
  }
}

/**
 * So short that the record itself has room for it: a message and nothing else. It is not made by its constructor, which adds a
 * stack everywhere, and in some engines further fields that say where that was.
 */
function noRoom(): RangeError {
  const message = { value: "No room for the error", enumerable: false, writable: true, configurable: true }
  return Object.create(RangeError.prototype, { message }) as RangeError
}
