/** What a submitter gets of a task that is over: from the record, and from the parcel that was posted before. */
import { decode } from "../../codec/codec.ts"
import { NO_VALUE } from "../../codec/bytes/letter.ts"
import { ThreadDeathError } from "../../errors.ts"
import type { Outgoing } from "./outgoing.ts"
import { letterOf, type Parcel, type PostOffice } from "../transport/post-office.ts"
import { posted } from "../transport/references.ts"
import type { TaskRecords } from "../memory/task-records.ts"

/** The parcel is not here yet. */
export const ON_ITS_WAY: unique symbol = Symbol("on its way")

/** What has become of the task. Things that it was called with and has returned are those that `outgoing` still has. */
export function outcomeOf(slot: number, tasks: TaskRecords, office: PostOffice, outgoing: Outgoing): unknown {
  if (tasks.isWhole(slot)) return read(slot, tasks, undefined, NOTHING)
  const given = outgoing.sharedBy(slot)
  if (!tasks.isPosted(slot)) {
    const things = tasks.referencesOf(slot).map((echo) => given[echo - 1] as object)
    return read(slot, tasks, undefined, things)
  }
  const parcel = office.take(tasks.handleOf(slot))
  if (parcel === undefined) return ON_ITS_WAY
  const arrived = parcel.things[Symbol.iterator]()
  const things = (parcel.echoes ?? []).map((echo) =>
    echo > 0 ? (given[echo - 1] as object) : posted(arrived.next().value as object),
  )
  return read(slot, tasks, parcel, things)
}

const NOTHING: readonly object[] = []

function read(slot: number, tasks: TaskRecords, parcel: Parcel | undefined, things: readonly object[]): unknown {
  const letter = letterOf(slot, tasks, parcel)
  if (letter.kind === NO_VALUE) return untold()
  const outcome = decode(letter, things)
  letter.release()
  return outcome
}

/** The task has failed, in a thread that could not write down why: see failure.ts. */
function untold(): ThreadDeathError {
  return new ThreadDeathError(
    "The task has failed, and the thread that knew why could not tell it: the program has broken built-in objects there",
  )
}
