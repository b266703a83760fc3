/** What another thread has to do for a task, which function to call with which arguments; and what came of it. */
import { encodeArguments } from "../../codec/arguments.ts"
import type { EncodedValue } from "../../codec/bytes/encoded-value.ts"
// prettier-ignore
import {
  COME_BACK, COMPLETE, IS_PORTABLE, RUNS_HERE, TIMING, WORK, WORK_ARGUMENTS,
} from "../../future/internals.ts"
import { NotSerializableError, RejectedExecutionError, TaskNotPortableError } from "../../errors.ts"
import { Carrier } from "../../executor/carrier.ts"
import { blameStore, type CarriedStores } from "../../executor/propagation.ts"
import { boundCall, type Call, callOf, isCallable } from "../../future/call.ts"
import { FutureTask } from "../../future/future-task.ts"
import { addSubmitter } from "../../future/merge-stacks.ts"
import { guarded } from "../../memory/flow/guard.ts"
import { nameOf, type Runnable } from "../../future/runnable.ts"
import { asItem } from "../../task/chunk-outcome.ts"
import { wrappedBy } from "../../task/each.ts"
import { encodeMoving } from "./outgoing.ts"
import { firstGivenTo, submitterOf } from "../../task/reference.ts"
import type { TimerKeeper } from "../../time/timer.ts"
import { drop } from "../../pool/engine/unrun-tasks.ts"
import type { TaskRecords } from "../memory/task-records.ts"
import { sharedNow, toShared } from "../../time/shared-clock.ts"

/** Called when a task is over, with the error if a command has thrown one. */
export type AfterHook = (task: Runnable, error: unknown) => void

/** The call that a task stands for. Throws TaskNotPortableError if only this thread can make it. */
export function callIn(task: Runnable): Call {
  if (typeof task === "function") return portable(callOf(task))
  if (!(task instanceof FutureTask)) throw belongsHere(task)
  const future = futureOf(task)
  if (!future[IS_PORTABLE]) {
    throw new TaskNotPortableError(
      `${nameOf(task)} has a run() method of its own, which cannot be called by another thread. Use virtualThreads()`,
    )
  }
  const { [WORK]: work } = future
  return work === undefined ? NOTHING : portable(boundCall(work, future[WORK_ARGUMENTS]))
}

function portable(call: Call): Call {
  if (call.object !== undefined) throw belongsHere(call.object)
  return call
}

function belongsHere(object: object): TaskNotPortableError {
  return new TaskNotPortableError(
    `${nameOf(object)} is an object of this thread, and its run() method cannot be called by another one. Submit a function, or use virtualThreads()`,
  )
}

/** The arguments of the task, encoded. Throws NotSerializableError. */
export function encodedArguments(
  task: Runnable,
  args: readonly unknown[],
  things: object[] | undefined,
  toMove: readonly object[] | undefined,
  stores?: CarriedStores,
): EncodedValue {
  try {
    return toMove === undefined ? encodeArguments(args, things, undefined, true) : encodeMoving(args, things, toMove)
  } catch (error) {
    const isReachable = things !== undefined
    if (stores !== undefined) {
      blameStore(stores, (store) => encodeArguments([store], isReachable ? [] : undefined).release())
    }
    throw asItemOf(task, error)
  }
}

/** Why an argument cannot be sent. If the task is a chunk of `map`, the item has its number among all items. */
function asItemOf(task: Runnable, error: unknown): unknown {
  if (!(task instanceof FutureTask) || !(error instanceof NotSerializableError)) return error
  const { fn, args } = callIn(task)
  if (wrappedBy(firstGivenTo(fn)) === undefined) return error
  const { cause } = error
  const message = asItem(error.message, args[1] as number)
  return new NotSerializableError(message, cause === undefined ? undefined : { cause })
}

/** The future that gets the outcome of the task. */
export function futureOf(task: FutureTask<unknown>): FutureTask<unknown> {
  return task instanceof Carrier ? (task.future as FutureTask<unknown>) : task
}

/** The result of a task whose function returned this in the other thread. */
export function resultOf({ [WORK]: work }: FutureTask<unknown>, returned: unknown): unknown {
  const given = work && isCallable(work) ? callOf(work).result : undefined
  return given === undefined ? returned : given.value
}

/** The error of the task; its stack also shows where the task was submitted, if that is known. */
export function withSubmitter({ [WORK]: work }: FutureTask<unknown>, error: unknown): unknown {
  const frames = work && submitterOf(callOf(work).fn)
  if (frames !== undefined) addSubmitter(error, frames)
  return error
}

/** The future of the carrier is settled. Not in place: the closure would cost every task a context. */
export function completeCarrier(carrier: FutureTask<unknown>): void {
  guarded(() => carrier[COMPLETE](undefined))
}

/** Cancels a task whose pool has terminated. */
export function dropUnrun(task: Runnable): void {
  if (!(task instanceof FutureTask)) return
  const future = futureOf(task)
  future[COME_BACK]()
  drop(future, new RejectedExecutionError("The pool has ended before the task ran", task))
  if (future !== task) task[COMPLETE](undefined)
}

const NOTHING: Call = { fn: () => undefined, args: [] }

/** This thread is about to run the task inside of another one: limits of the task must hold also while it blocks. */
export function keepLimits(task: Runnable | undefined, keeper: TimerKeeper): void {
  if (task instanceof FutureTask) task[RUNS_HERE](keeper)
}

/** Writes what decides on the task's turn: its priority, or its time. False if the process need not stay alive. */
export function writeTurn(tasks: TaskRecords, slot: number, task: Runnable, priority: number | undefined): boolean {
  if (priority !== undefined) {
    tasks.enroll(slot, priority, 0)
    return true
  }
  const timing = task instanceof FutureTask ? task[TIMING] : undefined
  const time = timing === undefined ? sharedNow() : toShared(timing.time)
  tasks.enroll(slot, time, timing?.period ?? 0)
  if (timing?.notBefore !== undefined) tasks.setNotBefore(slot, timing.notBefore)
  return time !== Infinity && timing?.isHeld !== false
}
