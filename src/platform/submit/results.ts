/** Reads the outcome of a task for its submitter: from the record, and from attachments that were sent before. */
import { decode } from "../../codec/codec.ts"
import { NO_VALUE } from "../../codec/bytes/encoded-value.ts"
import { ThreadDeathError } from "../../errors.ts"
import type { Outgoing } from "./outgoing.ts"
import { encodedOf, type Attachments, type SideChannel } from "../transport/side-channel.ts"
import { posted } from "../transport/references.ts"
import type { TaskRecords } from "../memory/task-records.ts"

/** The attachments have not arrived yet. */
export const ON_ITS_WAY: unique symbol = Symbol("on its way")

/**
 * The outcome of the task. If the task returned objects that it was called with, the outcome has those of `outgoing`.
 */
export function outcomeOf(slot: number, tasks: TaskRecords, sideChannel: SideChannel, outgoing: Outgoing): unknown {
  if (tasks.isInt(slot)) return tasks.intIn(slot)
  if (tasks.isWhole(slot)) return read(slot, tasks, undefined, NOTHING)
  const given = outgoing.sharedBy(slot)
  if (!tasks.isPosted(slot)) {
    const things = tasks.referencesOf(slot).map((echo) => given[echo - 1] as object)
    return read(slot, tasks, undefined, things)
  }
  const attachments = sideChannel.take(tasks.handleOf(slot))
  if (attachments === undefined) return ON_ITS_WAY
  const arrived = attachments.things[Symbol.iterator]()
  const things = (attachments.echoes ?? []).map((echo) =>
    echo > 0 ? (given[echo - 1] as object) : posted(arrived.next().value as object),
  )
  return read(slot, tasks, attachments, things)
}

const NOTHING: readonly object[] = []

function read(
  slot: number,
  tasks: TaskRecords,
  attachments: Attachments | undefined,
  things: readonly object[],
): unknown {
  const encoded = encodedOf(slot, tasks, attachments)
  if (encoded.kind === NO_VALUE) return untold()
  const outcome = decode(encoded, things)
  encoded.release()
  return outcome
}

/** The task has failed in a thread that could not write the reason: see failure.ts. */
function untold(): ThreadDeathError {
  return new ThreadDeathError(
    "The task has failed, and its thread could not send the reason: the program has broken built-in objects there",
  )
}
