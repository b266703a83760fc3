import { requireArray } from "../checks.ts"
import { NotSerializableError } from "../errors.ts"
import { identityOf } from "../identity.ts"
import type { Handle } from "../memory/shared/shared-memory.ts"
import type { TaskOptions } from "./executor.ts"

/** What another thread needs to make the same view. */
export interface ViewHandle extends Handle {
  readonly inner: Handle
  readonly options: TaskOptions
}

/**
 * How views of executors deal with other threads: which arguments they move there, and how a view itself is sent. Only
 * executors of platform threads need this. So it is provided together with them (platform/member/equip.ts), and a
 * program that uses virtual threads only does without.
 */
export interface Sending {
  /** Checks that the list has objects that can be moved, each of them once. */
  requireTransferList(name: string, list: readonly object[]): readonly object[]
  handleOfView(executor: object, options: TaskOptions): ViewHandle
}

/** Without platform threads no object is ever moved or sent. */
let sending: Sending = {
  requireTransferList: requireArray,
  handleOfView(executor) {
    throw cannotBeSent(executor)
  },
}

export function provideSending(provided: Sending): void {
  sending = provided
}

export function requireTransferList(name: string, list: readonly object[]): readonly object[] {
  return sending.requireTransferList(name, list)
}

export function handleOfView(executor: object, options: TaskOptions): ViewHandle {
  return sending.handleOfView(executor, options)
}

/** An executor that does not work in another thread must not arrive there as an object without its methods. */
export function cannotBeSent(executor: object): NotSerializableError {
  return new NotSerializableError(
    `${identityOf(executor)} cannot be sent to another thread: its tasks run in this one. Of executors only pools of platform threads can`,
  )
}
