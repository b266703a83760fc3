/** How jobs fail, as text. Rule ids are those of docs/spec/distributed.md. */
import {
  CancellationError,
  NodeDeathError,
  NotSerializableError,
  RejectedExecutionError,
  registerClass,
  TimeoutError,
  UnknownTaskError,
} from "corepool"
import { decodeFailure, encodeFailure, type FailureKind } from "#src/distributed/job/failure.js"
import assert from "node:assert/strict"
import { test } from "node:test"

class OutOfStock extends Error {
  override readonly name = "OutOfStock"
  readonly item: string
  constructor(item: string, options?: ErrorOptions) {
    super(`no ${item} left`, options)
    this.item = item
  }
}
registerClass(OutOfStock, { name: "failure.test.OutOfStock" })

test("[DP5] an error arrives with class, fields, cause and errors, and with its stack, signed", () => {
  const cause = Object.assign(new RangeError("inner"), { code: 7 })
  const error = new OutOfStock("soap", { cause })
  const { kind, error: copy } = decodeFailure(encodeFailure(error, "error", "pool-1-thread-1 on node-a"))
  assert.equal(kind, "error")
  assert.ok(copy instanceof OutOfStock && copy !== error)
  assert.deepEqual([copy.message, copy.item], ["no soap left", "soap"])
  assert.ok(copy.cause instanceof RangeError && (copy.cause as unknown as { code: number }).code === 7)
  assert.match(
    copy.stack ?? "",
    /^OutOfStock: no soap left\n {4}at .*failure\.test.*\n {4}at pool-1-thread-1 on node-a \(corepool\)$/s,
  )

  const { error: all } = decodeFailure(
    encodeFailure(new AggregateError([new TypeError("t"), new TimeoutError("late")], "both")),
  )
  assert.ok(all instanceof AggregateError)
  assert.ok(all.errors[0] instanceof TypeError && all.errors[1] instanceof TimeoutError)
  const { error: refused } = decodeFailure(encodeFailure(new RejectedExecutionError("full", "task")))
  assert.ok(refused instanceof RejectedExecutionError && refused.task === "task")
  assert.deepEqual(decodeFailure(encodeFailure({ any: "thing" })), { kind: "error", error: { any: "thing" } })
  assert.deepEqual(decodeFailure(encodeFailure(undefined)), { kind: "error", error: undefined })
})

test("[DP6] a reason begins with a line for people, and says of which kind it is", () => {
  const line = (error: unknown): string => encodeFailure(error).split("\n")[0] as string
  assert.equal(line(new RangeError("too hot")), "RangeError: too hot")
  assert.equal(line(new RangeError("two\nlines\ncorepool:error:AAAA")), "RangeError: two")
  assert.equal(line(Object.assign(new Error("m"), { message: "" })), "Error")
  assert.equal(line("just text"), "just text")
  assert.equal(line({ a: 1 }), "an instance of Object")
  assert.ok(line(new Error("x".repeat(10_000))).length <= 300)
  for (const kind of ["error", "cancelled", "timeout", "unknown-task", "node-death"] as const) {
    const failure = decodeFailure(encodeFailure(new Error("m\nm"), kind))
    assert.equal(failure.kind, kind)
    assert.equal((failure.error as Error).message, "m\nm")
  }
})

test("[DP7] what corepool has not written is an error with that text", () => {
  for (const reason of [
    "job stalled",
    "",
    "Error: x\ncorepool:other:AQ==",
    "a\nb\ncorepool:error:AQID",
    "corepool:error:AQ==",
  ]) {
    const { kind, error } = decodeFailure(reason)
    assert.equal(kind, "error")
    assert.ok(error instanceof Error && error.message === reason)
  }
  const { error } = decodeFailure(undefined)
  assert.ok(error instanceof Error)
})

test("[DP7] an error that cannot be read is one of the kind's class, with the line for people", () => {
  const classes: [FailureKind, new (message: string) => Error][] = [
    ["error", NotSerializableError],
    ["cancelled", CancellationError],
    ["timeout", TimeoutError],
    ["unknown-task", UnknownTaskError],
    ["node-death", NodeDeathError],
  ]
  for (const [kind, type] of classes) {
    const { error, ...rest } = decodeFailure(`Strange: from the future\ncorepool:${kind}:CQkJ`)
    assert.equal(rest.kind, kind)
    assert.ok(error instanceof type)
    assert.match(error.message, /Strange: from the future$/)
    assert.ok(error.cause instanceof NotSerializableError)
  }
})

test("[DP8] what cannot be copied, or is too large, arrives with what can be said of it", () => {
  const unspeakable = new Proxy(new Error("p"), {
    get() {
      throw new Error("no")
    },
  })
  for (const thrown of [() => 1, Symbol("s"), unspeakable]) {
    assert.ok(decodeFailure(encodeFailure(thrown)).error instanceof Error)
  }
  const large = Object.assign(new RangeError("large"), { data: new Uint8Array(1000) })
  const { error } = decodeFailure(encodeFailure(large, "error", undefined, 500))
  assert.ok(error instanceof Error)
  assert.equal(error.message, "RangeError: large")
  assert.match(error.stack ?? "", /could not be sent: .*maxPayload/)
  const socket = Object.assign(new Error("with a port"), { handler: () => 1, left: 1 })
  const { error: copy } = decodeFailure(encodeFailure(socket))
  assert.deepEqual(Object.keys(copy as Error), ["left"])
})
