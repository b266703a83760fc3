/** What goes beside the bytes. Rule ids are those of docs/spec/codec.md. */
import {
  AbstractQueuedSynchronizer,
  AtomicLong,
  CyclicBarrier,
  LinkedBlockingQueue,
  NotSerializableError,
  Phaser,
  ReentrantLock,
  ReentrantReadWriteLock,
  Semaphore,
} from "corepool"
import { copyOf, decode, encode } from "#src/codec/codec.js"
import { registerKnownClasses } from "#src/platform/member/known-classes.js"
import assert from "node:assert/strict"
import { createSecretKey } from "node:crypto"
import { test } from "node:test"
import { MessageChannel, receiveMessageOnPort } from "node:worker_threads"
import { thrownBy } from "../../support/harness.ts"
import { Workers } from "../../support/workers.ts"
import type { Parcel } from "./attachments.workers.ts"

registerKnownClasses()

/** As a thread would get it: the attachments are posted. */
function posted(value: unknown, transfer: readonly object[] = []): unknown {
  const attachments: object[] = []
  const encoded = encode(value, attachments, new Set(transfer))
  const { port1, port2 } = new MessageChannel()
  port1.postMessage(attachments, transfer as never[])
  const { message } = receiveMessageOnPort(port2) as { message: object[] }
  port1.close()
  return decode(encoded, message)
}

test("[CD13] shared memory arrives as the same memory, and views of it as views of it", () => {
  const memory = new SharedArrayBuffer(16)
  const value = { memory, words: new Int32Array(memory, 4, 2), again: memory, view: new DataView(memory, 8), n: 1 }
  const attachments: object[] = []
  const encoded = encode(value, attachments)
  assert.deepEqual(attachments, [memory])
  encoded.release()
  const copy = posted(value) as typeof value
  assert.ok(copy.memory instanceof SharedArrayBuffer)
  assert.equal(copy.again, copy.memory)
  assert.equal(copy.words.buffer, copy.memory)
  assert.deepEqual([copy.words.byteOffset, copy.words.length, copy.view.byteOffset, copy.n], [4, 2, 8, 1])
  value.words[1] = 7
  assert.equal(copy.words[1], 7)
  assert.equal(copy.view.getInt32(0, true), 7)
})

test("[CD14] what is to be moved is moved, with the views of it", async () => {
  const { port1, port2 } = new MessageChannel()
  const buffer = new Float64Array([1, 2, 3]).buffer
  const value = { port: port1, tail: new Float64Array(buffer, 8), buffer, other: new Uint8Array([1]) }
  const copy = posted(value, [port1, buffer]) as typeof value
  assert.equal(buffer.byteLength, 0, "it is gone from here")
  assert.deepEqual(copy.tail, new Float64Array([2, 3]))
  assert.equal(copy.tail.buffer, copy.buffer)
  assert.deepEqual(copy.other, new Uint8Array([1]))
  const answer = new Promise((resolve) => port2.once("message", resolve))
  copy.port.postMessage("through")
  assert.equal(await answer, "through")
  port2.close()
})

test("[CD14] what only the runtime can copy is left to it", async () => {
  const copy = posted({ blob: new Blob(["text"]), key: createSecretKey(Buffer.from("key")) }) as {
    blob: Blob
    key: { export: () => Buffer }
  }
  assert.equal(await copy.blob.text(), "text")
  assert.equal(copy.key.export().toString(), "key")
})

test("[CD14] what can only be moved is refused if it is not named, and so is what cannot be sent at all", () => {
  const { port1 } = new MessageChannel()
  const error = thrownBy(() => encode({ port1 }, []))
  port1.close()
  assert.ok(error instanceof NotSerializableError)
  assert.match(error.message, /MessagePort in `port1` cannot be copied, only moved: .*transfer list/)
  assert.ok(thrownBy(() => encode([new WeakMap()], [])) instanceof NotSerializableError)
  const gone = new ArrayBuffer(8)
  structuredClone(gone, { transfer: [gone] })
  for (const value of [gone, new Proxy({}, {})]) {
    assert.ok(thrownBy(() => encode([value], [])) instanceof NotSerializableError)
  }
})

test("[CD15] shared objects arrive as live objects of their class", async () => {
  const semaphore = new Semaphore(1)
  const value = { lock: new ReentrantLock(), semaphore, count: new AtomicLong(5), same: semaphore }
  const copy = posted(value) as typeof value
  assert.ok(copy.lock instanceof ReentrantLock)
  assert.ok(copy.semaphore instanceof Semaphore)
  assert.equal(copy.same, copy.semaphore)
  assert.equal(copy.semaphore.tryAcquire(), true)
  assert.equal(semaphore.availablePermits, 0)
  copy.count.incrementAndGet()
  assert.equal(value.count.get(), 6)
  const parent = new Phaser(1)
  const tiered = posted([new Phaser(parent, 1)]) as [Phaser]
  assert.ok(tiered[0].parent instanceof Phaser)
})

test("[CD24] parts of them are parts of what arrives", () => {
  const both = new ReentrantReadWriteLock()
  const lock = new ReentrantLock()
  const sent = { read: both.readLock, both, write: both.writeLock, condition: lock.newCondition(), lock }
  const copy = posted(sent) as typeof sent
  assert.ok(copy.both instanceof ReentrantReadWriteLock)
  assert.notEqual(copy.both, both)
  assert.equal(copy.read, copy.both.readLock)
  assert.equal(copy.write, copy.both.writeLock)
  using _guard = copy.lock.lockSync()
  assert.equal(copy.lock.hasWaiters(copy.condition), false)
  assert.match((thrownBy(() => copyOf(sent.condition)) as Error).message, /cannot be written down/)
})

test("[CD15] in another thread, and back", async () => {
  await using workers = new Workers()
  const queue = new LinkedBlockingQueue<unknown>()
  const attachments: object[] = []
  const encoded = encode({ queue, text: "hello" }, attachments)
  const { kind } = encoded
  const bytes = Uint8Array.from(encoded.bytes.subarray(0, encoded.length))
  encoded.release()
  const parcel: Parcel = { kind, bytes, attachments }
  const other = workers.run(new URL("attachments.workers.js", import.meta.url), "putInto", parcel)
  assert.deepEqual(await queue.take(), { text: "hello", isQueue: true })
  await other.result
})

test("[CD15] what no thread can open by itself is refused, here or there", () => {
  class Unknown extends AbstractQueuedSynchronizer {}
  const error = thrownBy(() => encode({ latch: new Unknown() }, []))
  assert.ok(error instanceof NotSerializableError)
  assert.match(error.message, /Unknown in `latch` cannot be opened by another thread/)
  const there = thrownBy(() => posted(new CyclicBarrier(2, () => undefined)))
  assert.ok(there instanceof NotSerializableError)
  assert.match(there.message, /CyclicBarrier could not be opened/)
  assert.ok(there.cause instanceof TypeError)
})

test("[CD16] a refusal attaches nothing, and leaves what was attached before", () => {
  const before = new SharedArrayBuffer(8)
  const attachments: object[] = [before]
  const value = [new SharedArrayBuffer(8), { f: () => 1 }]
  assert.ok(thrownBy(() => encode(value, attachments)) instanceof NotSerializableError)
  assert.deepEqual(attachments, [before])
  const error = Object.assign(new Error("x"), { left: [new SharedArrayBuffer(8), () => 1], kept: before })
  encode(error, attachments).release()
  assert.equal(attachments.length, 1, "nor does a field that is left out")
})

test("[CD16] a value without its attachments is refused", () => {
  const encoded = encode(new Int32Array(new SharedArrayBuffer(8)), [])
  for (const wrong of [undefined, [], [{}]]) {
    assert.ok(thrownBy(() => decode(encoded, wrong)) instanceof NotSerializableError)
  }
  encoded.release()
  assert.ok(thrownBy(() => copyOf(new SharedArrayBuffer(1))) instanceof NotSerializableError)
})
