/** The thread of a workerpool: its tasks are registered by name. */
import { installed } from "./packages.ts"
import * as work from "./work.ts"

interface Workerpool {
  readonly Transfer: new (message: unknown, transfer: readonly ArrayBuffer[]) => object
  worker(methods: Record<string, (argument: never) => unknown>): void
}

const { default: workerpool } = await installed<{ readonly default: Workerpool }>("workerpool")

const { addPair, bump, compute, hold, leave, relabel, stamp } = work

workerpool.worker({
  addPair,
  bump,
  compute,
  hold,
  leave,
  relabel,
  stamp,
  touch(buffer: ArrayBuffer) {
    const result = work.touch(buffer)
    return new workerpool.Transfer(result, [result])
  },
})
