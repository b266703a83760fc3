/** Gives lower layers what they need for platform threads. A program without such threads does not load it. */
import { canIntercept } from "#host/runtime/capabilities"
import { NotSerializableError } from "../../errors.ts"
import type { TaskOptions } from "../../executor/executor.ts"
import { captureBy } from "../../executor/capture/captured-output.ts"
import { type CaptureOptions, provideCapture } from "../../executor/capture/capturing.ts"
import { cannotBeSent, provideSending, type ViewHandle } from "../../executor/sending.ts"
import { addCallers } from "../../future/merge-stacks.ts"
import { addCallersBy } from "../../future/callers.ts"
import type { Handle } from "../../memory/shared/shared-memory.ts"
import { shareQueues } from "../../queue/shareable-queues.ts"
import { requireTransferList } from "../../task/transfer-list.ts"
import { systemClock } from "../../time/clock.ts"
import { registerKnownClasses } from "./known-classes.ts"

export function equip(): void {
  registerKnownClasses()
  shareQueues()
  provideSending({ requireTransferList: (name, list) => requireTransferList(name, list), handleOfView })
  if (canIntercept) provideCapture((given) => captureBy(given))
  addCallersBy((error, inner) => {
    addCallers(error, inner + 1) // not returned: see Outcome.#nameCaller
  })
}

function handleOfView(executor: object, { signal, transfer, capture, ...options }: TaskOptions): ViewHandle {
  if (signal !== undefined || transfer !== undefined) {
    throw new NotSerializableError(
      `A view with \`${signal === undefined ? "transfer" : "signal"}\` cannot be sent to another thread, as that belongs to this one: send the executor, and call with() there`,
    )
  }
  const { clock = systemClock, ...retry } = options.retry ?? {}
  if (retry.when !== undefined || clock !== systemClock) {
    throw new NotSerializableError(
      "A view whose `retry` has `when` or `clock` cannot be sent to another thread: send the executor, and call with() there",
    )
  }
  const { handle: inner } = executor as { readonly handle?: Handle }
  if (inner === undefined) throw cannotBeSent(executor)
  return {
    corepool: "ExecutorView",
    space: inner.space,
    memory: inner.memory,
    inner,
    options: {
      ...options,
      ...(options.retry !== undefined && { retry }),
      ...(capture !== undefined && { capture: { ...(capture as CaptureOptions) } }),
    },
  }
}
