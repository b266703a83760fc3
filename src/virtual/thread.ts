/**
 * The class Thread as `corepool/virtual` exports it: the same as in `corepool`.
 *
 * In the form for bundlers the class has no static methods of its own (tools/bundle/virtual-only.ts): most programs
 * with a pool never name the class. This export gives it the methods, and a bundler drops both together.
 */
import { requireCertainty } from "#host/runtime/ownership"
import { knownFlows } from "../memory/flow/flow.ts"
import { interrupted, sleep, sleepSync } from "../thread/sleeping.ts"
import { dump, type ThreadDumpOptions } from "../thread/thread-dump.ts"
import { threadHere, Thread as ThreadClass } from "../thread/thread.ts"

/**
 * A thread: a flow of control with a name, an interrupt flag and an end. `Thread.currentThread()` is the thread of the
 * calling code.
 */
export const Thread: typeof ThreadClass = /* @__PURE__ */ withStatics(ThreadClass)
export type Thread = ThreadClass

function withStatics<C extends object>(type: C): C {
  if (Object.hasOwn(type, "sleep")) return type
  const methods = Object.getOwnPropertyDescriptors({
    currentThread: () => threadHere(),
    interrupted: () => interrupted(),
    sleep: (ms: number, options: { readonly signal?: AbortSignal } = {}) => sleep(ms, options),
    sleepSync: (ms: number) => sleepSync(ms),
    dump: (options: ThreadDumpOptions = {}) => dump(options),
  })
  for (const [name, method] of Object.entries(methods))
    Object.defineProperty(type, name, { ...method, enumerable: false })
  requireCertainty(type, knownFlows)
  return type
}
