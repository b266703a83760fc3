import * as corepool from "corepool"
import {
  CancellationError,
  CorepoolError,
  Executors,
  FutureTask,
  RejectedExecutionError,
  virtualThreads,
} from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { thrownBy } from "../../support/harness.ts"

/** Written down a second time: a code that changes breaks programs. */
const codes: Readonly<Record<string, string>> = {
  BrokenBarrierError: "ERR_COREPOOL_BROKEN_BARRIER",
  CancellationError: "ERR_COREPOOL_CANCELLED",
  IllegalMonitorStateError: "ERR_COREPOOL_ILLEGAL_MONITOR_STATE",
  IllegalStateError: "ERR_COREPOOL_ILLEGAL_STATE",
  InterruptedError: "ERR_COREPOOL_INTERRUPTED",
  NodeDeathError: "ERR_COREPOOL_NODE_DEATH",
  NoSuchElementError: "ERR_COREPOOL_NO_SUCH_ELEMENT",
  NotSerializableError: "ERR_COREPOOL_NOT_SERIALIZABLE",
  RejectedExecutionError: "ERR_COREPOOL_REJECTED",
  TaskNotPortableError: "ERR_COREPOOL_TASK_NOT_PORTABLE",
  ThreadDeathError: "ERR_COREPOOL_THREAD_DEATH",
  TimeoutError: "ERR_COREPOOL_TIMEOUT",
  UnknownTaskError: "ERR_COREPOOL_UNKNOWN_TASK",
  UnsupportedOperationError: "ERR_COREPOOL_UNSUPPORTED_OPERATION",
}

type ErrorClass = new (message: string) => CorepoolError

/** Every error class that the package exports, except the abstract base. */
const classes = Object.entries(corepool)
  .filter(([name]) => name.endsWith("Error") && name !== "CorepoolError")
  .map(([name, value]) => [name, value as unknown as ErrorClass] as const)

test("[ER3] every exported error class has its code, and no two the same", () => {
  const found = Object.fromEntries(classes.map(([name, type]) => [name, new type("m").code]))
  assert.deepEqual(found, codes)
  assert.equal(new Set(Object.values(found)).size, classes.length)
})

for (const [name, type] of classes) {
  test(`[ER1][ER2] ${name} is an instance of its class, of CorepoolError and of Error, and goes by its name`, () => {
    const error = new type("the message")
    assert.ok(error instanceof type && error instanceof CorepoolError && error instanceof Error)
    assert.equal(error.message, "the message")
    assert.equal(error.name, name)
    assert.equal(String(error), `${name}: the message`)
    assert.equal(error.stack?.startsWith(`${name}: the message\n    at `), true)
    for (const [otherName, other] of classes) if (otherName !== name) assert.ok(!(error instanceof other))
  })
}

test("[ER4] a cause is there if one was given, and otherwise not at all", () => {
  const cause = { any: "thing" }
  for (const error of [new CancellationError("m", { cause }), new RejectedExecutionError("m", "task", { cause })]) {
    assert.equal(error.cause, cause)
  }
  for (const error of [
    new CancellationError("m"),
    new CancellationError("m", {}),
    new RejectedExecutionError("m", "task"),
  ]) {
    assert.equal("cause" in error, false)
  }
})

test("[ER5] a rejection carries what was refused", async () => {
  assert.equal(new RejectedExecutionError("m", "task").task, "task")
  const pool = Executors.newFixedThreadPool(1, virtualThreads())
  await pool.close()
  const command = { run: () => undefined }
  const error = thrownBy(() => pool.execute(command))
  assert.ok(error instanceof RejectedExecutionError)
  assert.equal(error.task, command)
})

test("[ER6] wrong arguments are no CorepoolErrors", () => {
  const type = thrownBy(() => new FutureTask(1 as unknown as () => unknown))
  const range = thrownBy(() => Executors.newFixedThreadPool(0, virtualThreads()))
  assert.ok(type instanceof TypeError && !(type instanceof CorepoolError))
  assert.ok(range instanceof RangeError && !(range instanceof CorepoolError))
})

test("[ER7] a subclass may have a name and more of its own", () => {
  class OutOfStock extends RejectedExecutionError {
    override readonly name = "OutOfStock"
  }
  const error = new OutOfStock("none left", "order")
  assert.ok(error instanceof RejectedExecutionError)
  assert.deepEqual([error.name, error.code, error.task], ["OutOfStock", "ERR_COREPOOL_REJECTED", "order"])
})
