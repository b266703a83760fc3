/**
 * What a flow of control inherits: the bindings of scoped values, and the scopes that it has to close. Both travel in
 * the asynchronous context, and so hold across awaits.
 *
 * A frame belongs to the flow that has entered it. A task that another flow runs in passing, or that was submitted and
 * not forked, may see the asynchronous context of its submitter, but not this frame: only forks inherit bindings, as in
 * Java.
 */
import { AsyncVariable } from "#host/runtime/context"
import { IllegalStateError } from "../errors.ts"
import { currentFlow, type Flow } from "../memory/flow/flow.ts"
import { perThread } from "../per-thread.ts"

/** The value of a scoped value, and how messages call it. */
export interface Binding {
  readonly value: unknown
  readonly label: string
}

/** The bindings by the keys of scoped values. Never changed: rebinding makes another map. */
export type Bindings = ReadonlyMap<string, Binding>

/** A scope as the code sees it that has to end it. */
export interface OpenScope {
  /** Cancels the scope, because its block has ended without closing it. */
  cancelOpen(): void
  /** Is fulfilled when the last of its forks has stopped; the scope is closed then. */
  closeOpen(): Promise<void>
}

interface Frame {
  readonly flow: Flow
  readonly bindings: Bindings
  /** The scopes that were opened in the frame and are not closed. */
  readonly scopes: Set<OpenScope>
}

const frames = /* @__PURE__ */ perThread("frames of scopes", () => new AsyncVariable<Frame>())

/** The one empty map: two sets of bindings are the same if their maps are the same object. */
export const NO_BINDINGS: Bindings = /* @__PURE__ */ perThread("no bindings", () => new Map<string, Binding>())

function currentFrame(): Frame | undefined {
  const frame = frames.getStore()
  return frame?.flow === currentFlow() ? frame : undefined
}

export function currentBindings(): Bindings {
  return currentFrame()?.bindings ?? NO_BINDINGS
}

/** Notes a scope that was just opened. The returned function is to be called when it is closed. */
export function noteOpenScope(scope: OpenScope): () => void {
  const frame = currentFrame()
  if (frame === undefined) return () => undefined
  frame.scopes.add(scope)
  return () => frame.scopes.delete(scope)
}

/**
 * Runs the body with these bindings. A scope that the body has opened must be closed when the body is over: otherwise
 * the scope is cancelled, and the call fails, unless the body has failed itself.
 */
export function within<T>(bindings: Bindings, body: () => T): T {
  const frame: Frame = { flow: currentFlow(), bindings, scopes: new Set() }
  let result: T
  try {
    result = frames.run(frame, body)
  } catch (error) {
    for (const scope of frame.scopes) scope.cancelOpen()
    throw error
  }
  if (result instanceof Promise) return endWith(result, frame) as T
  if (frame.scopes.size === 0) return result
  for (const scope of frame.scopes) scope.cancelOpen()
  throw notClosed(frame.scopes.size)
}

async function endWith(pending: Promise<unknown>, { scopes }: Frame): Promise<unknown> {
  try {
    return await pending
  } finally {
    // An error of the body is the error of the call; otherwise that a scope was left open.
    const left = [...scopes]
    for (const scope of left) scope.cancelOpen()
    await Promise.all(left.map((scope) => scope.closeOpen()))
    if (left.length > 0) await failUnless(pending, notClosed(left.length))
  }
}

/** Throws the error, unless the promise, which is settled, is rejected. */
async function failUnless(pending: Promise<unknown>, error: unknown): Promise<void> {
  try {
    await pending
  } catch {
    return // the reason is thrown by the caller
  }
  throw error
}

function notClosed(count: number): IllegalStateError {
  const what = count === 1 ? "A StructuredTaskScope was" : `${count} StructuredTaskScopes were`
  return new IllegalStateError(
    `${what} still open when the code that had opened it was over; it was cancelled. Write: await using scope = StructuredTaskScope.open()`,
  )
}
