/** A task is failed by who does not run it. Rules: docs/spec/platform.md. */
import { CancellationError, NotSerializableError } from "corepool"
import { encodeArguments } from "#src/codec/arguments.js"
import { decode, encode } from "#src/codec/codec.js"
import { CANCELLED, EXCEPTIONAL } from "#src/future/task-state.js"
import { threadContext } from "#src/memory/thread/this-thread.js"
import { fail, unspeakable, withoutRoom } from "#src/platform/submit/failure.js"
import { BY_ARRIVAL } from "#src/platform/memory/layout.js"
import { PoolMemory } from "#src/platform/memory/pool-memory.js"
import { TaskRecords } from "#src/platform/memory/task-records.js"
import assert from "node:assert/strict"
import test from "node:test"

/** The records of a pool with room for one task, and its slot. */
function recordsOf(memory: PoolMemory): { tasks: TaskRecords; slot: number } {
  const tasks = new TaskRecords(memory)
  const slot = tasks.slotOf(tasks.take(1, 0, 0))
  tasks.fill(slot, encodeArguments([1, 2]))
  return { tasks, slot }
}

const roomy = (): PoolMemory => PoolMemory.create(-1, BY_ARRIVAL, 1)
const narrow = (): PoolMemory => PoolMemory.small(threadContext(), { capacity: 1, bound: -1, ordering: BY_ARRIVAL })

test("[PL37] the error is told, or why it cannot be", () => {
  const cases: [PoolMemory, unknown, (error: unknown) => boolean][] = [
    [roomy(), new CancellationError("it"), (error) => error instanceof CancellationError && error.message === "it"],
    [roomy(), () => undefined, (error) => error instanceof NotSerializableError],
    [narrow(), new Error("it".repeat(1000)), (error) => error instanceof RangeError],
    [narrow(), () => undefined, (error) => error instanceof RangeError],
  ]
  for (const [memory, error, isRight] of cases) {
    const { tasks, slot } = recordsOf(memory)
    assert.equal(fail(tasks, slot, error), true)
    assert.equal(tasks.stateOf(slot), EXCEPTIONAL)
    const told: unknown = decode(tasks.read(slot))
    assert.ok(isRight(told), String(told))
  }
})

test("[PL37] a task that is over is not failed", () => {
  const { tasks, slot } = recordsOf(narrow())
  tasks.leaveNew(slot, CANCELLED)
  assert.equal(fail(tasks, slot, new Error("late")), false)
  assert.equal(tasks.stateOf(slot), CANCELLED)
})

/** An error with a message and nothing else: a constructor would add a stack. */
function bare(prototype: Error, message: string): Error {
  return Object.create(prototype, { message: { value: message } }) as Error
}

test("[PL37] errors that are written beforehand have the bytes that the codec would write", () => {
  for (const [written, error] of [
    [withoutRoom(), bare(RangeError.prototype, "No room for the error")],
    [unspeakable(), bare(NotSerializableError.prototype, "What was thrown cannot be sent, nor why")],
  ] as const) {
    const encoded = encode(error)
    assert.equal(written.kind, encoded.kind)
    assert.deepEqual([...written.bytes.subarray(0, written.length)], [...encoded.bytes.subarray(0, encoded.length)])
    encoded.release()
    const read = decode(written)
    assert.ok(read instanceof error.constructor)
    assert.equal((read as Error).message, error.message)
  }
})
