import { requireArray } from "../checks.ts"
import { NotSerializableError } from "../errors.ts"
import { identityOf } from "../identity.ts"
import type { Handle } from "../memory/shared/shared-memory.ts"
import type { TaskOptions } from "./executor.ts"

/** What another thread needs to have the same view. */
export interface ViewHandle extends Handle {
  readonly inner: Handle
  readonly options: TaskOptions
}

/**
 * What views of executors have to do with other threads: what they move there, and how they get there themselves. Only
 * executors of platform threads need it. So it is provided with these (platform/member/equip.ts), and a program of
 * virtual threads alone does without.
 */
export interface Sending {
  /** A list of things that can be moved, each of them once. */
  requireTransferList(name: string, list: readonly object[]): readonly object[]
  handleOfView(executor: object, options: TaskOptions): ViewHandle
}

/** Without platform threads nothing is ever moved or sent. */
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

/** What is no good in another thread must not arrive there as an object without its methods. */
export function cannotBeSent(executor: object): NotSerializableError {
  return new NotSerializableError(
    `${identityOf(executor)} cannot be sent to another thread: it is run by this one. Of executors only pools of platform threads can`,
  )
}
