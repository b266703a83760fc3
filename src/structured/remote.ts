/** Forks on platform threads: see sending.ts. A thread that runs the first one loads this file. */
import { registerClass } from "../codec/revival.ts"
import { NotSerializableError } from "../errors.ts"
import { boundCall } from "../future/call.ts"
import { REMOTE_HANDLE, REMOTE_TASKS, WILL_BE_AWAITED } from "../future/internals.ts"
import { release, whenReleased } from "../future/release.ts"
import { KeepAlive } from "../memory/thread/keep-alive.ts"
import { perThread } from "../per-thread.ts"
import { defineBuiltIn } from "../task/definitions.ts"
import { give } from "../task/reference.ts"
import type { Binding } from "./context.ts"
import { Inheritance, runFork } from "./fork-call.ts"
import { ScopedValue } from "./scoped-value.ts"
import { SCOPE_MODULE } from "./scope-module.ts"
import { type ForkCall, provideSender, type Sender, sender } from "./sending.ts"

export const runForkElsewhere: typeof runFork = defineBuiltIn({ module: SCOPE_MODULE, name: "runFork" }, runFork)

/** Keyed so that a message about a value that cannot be sent has the name of the scoped value. */
type Sent = Readonly<Record<string, { readonly key: string; readonly value: unknown }>>

/** The same functions for the same function: a thread looks a function up once, and then knows it by a number. */
const calls = perThread("calls of forks", () => new WeakMap<object, ForkCall>())

/** For forks that have not stopped: a pool keeps the process alive for tasks that are not done, which is less. */
let pending: KeepAlive | undefined

const remote: Sender = {
  inheritance: (bindings, run) => new Inheritance(bindings, run),

  callOf(fn, args) {
    const bound = boundCall(fn, args)
    const whole = bound.result === undefined && bound.object === undefined ? bound : { fn, args }
    let call = calls.get(whole.fn)
    if (call === undefined) {
      call = give(runForkElsewhere, [whole.fn] as const)
      calls.set(whole.fn, call)
    }
    return { call, args: whole.args }
  },

  whenStopped(task, listener) {
    if (task[REMOTE_TASKS]?.timeOf === undefined) return false
    const held = (pending ??= new KeepAlive())
    held.hold(task)
    whenReleased(task, () => {
      held.release(task)
      listener()
    })
    return true
  },

  cancel(task) {
    const { [REMOTE_TASKS]: tasks, [REMOTE_HANDLE]: handle } = task
    if (!task.cancel(true) || tasks?.timeOf === undefined) return
    if (!tasks.timeOf(handle).isRunning) release(task) // it waits in a queue, and no thread begins it any more
  },

  explain(error) {
    if (!(error instanceof NotSerializableError)) return error
    const { message, cause } = error
    const value = /`args\[0\]\.encode\(\)\.(?<name>ScopedValue[^`.]*)\.value(?<rest>[^`]*)`/
    const told = value.test(message)
      ? `A fork inherits copies of scoped values on other threads. ${message.replace(value, "`$<name>$<rest>`")}`
      : message.replace(/\bargs\[(\d+)\]/, (_, number) => `args[${Number(number) - 1}]`) // the first is the inheritance
    return new NotSerializableError(told, cause === undefined ? undefined : { cause })
  },

  willBeAwaited(task) {
    task[WILL_BE_AWAITED](false)
  },
}

function encodeBindings({ bindings }: Inheritance): Sent {
  const sent: Record<string, { key: string; value: unknown }> = {}
  for (const [key, { value, label }] of bindings) {
    const name = `ScopedValue ${label}`
    sent[label === "" ? `${name}(${Object.keys(sent).length + 1})` : name] = { key, value }
  }
  return sent
}

function decodeBindings(sent: Sent): Inheritance {
  const bindings = new Map<string, Binding>()
  for (const [name, { key, value }] of Object.entries(sent)) {
    bindings.set(key, { value, label: name.replace(/^ScopedValue (?:\(\d+\)$)?/, "") })
  }
  return new Inheritance(bindings)
}

/** Lets scopes of this thread fork to other threads, and forks run in this thread. Once for all copies of corepool. */
export function sendForks(): void {
  if (sender() !== undefined) return
  provideSender(remote)
  registerClass(ScopedValue as unknown as { name: string; prototype: ScopedValue<unknown> }, {
    name: "corepool.ScopedValue",
    encode: (value) => ScopedValue.dataOf(value),
    decode: (data) => ScopedValue.fromData(data),
  })
  registerClass(Inheritance, { name: "corepool.Inheritance", encode: encodeBindings, decode: decodeBindings })
}
