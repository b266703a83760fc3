/**
 * What scopes need of platform threads: how a fork gets to another thread, with the bindings that it inherits, and when
 * that thread has stopped it. The exports of `corepool` provide it (scopes.ts); `corepool/virtual` does without.
 */
import type { FutureTask } from "../future/future-task.ts"
import { perThread } from "../per-thread.ts"
import type { Bindings } from "./context.ts"
import type { ForkRun, Inheritance } from "./fork-call.ts"

type AnyFunction = (...args: never[]) => unknown

/** A function that calls another one with what a fork inherits, and with the arguments that follow. */
export type ForkCall = (inheritance: Inheritance, ...args: unknown[]) => unknown

export interface Sender {
  /** What a fork inherits, as an object that can be sent. */
  inheritance(bindings: Bindings, run: ForkRun): Inheritance
  /** The function and its arguments as threads find them; arguments that `bind` has fixed come first. */
  callOf(fn: AnyFunction, args: readonly unknown[]): { readonly call: ForkCall; readonly args: readonly unknown[] }
  /** Calls `listener` when no other thread has the task any more. False, and no call, if no other thread has it. */
  whenStopped(task: FutureTask<unknown>, listener: () => void): boolean
  /** Cancels the task, with interrupt. If no thread has begun it, it counts as stopped. */
  cancel(task: FutureTask<unknown>): void
  /** The error with which an executor has not accepted the task; says which scoped value cannot be sent. */
  explain(error: unknown): unknown
  /** The task is going to be awaited: a thread of the same pool may run it itself. */
  willBeAwaited(task: FutureTask<unknown>): void
}

const provided = /* @__PURE__ */ perThread("sender of forks", (): { sender?: Sender } => ({}))

export function provideSender(given: Sender): void {
  provided.sender = given
}

export function sender(): Sender | undefined {
  return provided.sender
}
