/** Values between machines. Rule ids are those of docs/spec/distributed.md. */
import {
  ArrayBlockingQueue,
  AtomicInteger,
  Executors,
  FutureTask,
  NotSerializableError,
  ReentrantLock,
  ReentrantReadWriteLock,
  registerClass,
  virtualThreads,
} from "corepool"
import {
  decodeArguments,
  decodeResult,
  encodeArguments,
  encodeResult,
  MAX_PAYLOAD,
} from "#src/distributed/job/payload.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { MessageChannel } from "node:worker_threads"
import { runProgram } from "../../support/child.ts"
import { thrownBy } from "../../support/harness.ts"

class Money {
  readonly amount: number
  constructor(amount: number) {
    this.amount = amount
  }
}
registerClass(Money, { name: "payload.test.Money" })

function throughText(value: unknown): unknown {
  return decodeResult("t", JSON.parse(JSON.stringify(encodeResult("t", value))) as string)
}

test("[DP1] arguments and results arrive as copies of the same kind", () => {
  const cycle: unknown[] = [1]
  cycle.push(cycle)
  const value = {
    numbers: [0, -0, NaN, 1.5, 2 ** 40, 10n ** 30n],
    texts: ["", "ä", "\u{1F600}", "a\nb"],
    nothing: [undefined, null],
    date: new Date(5),
    map: new Map<unknown, unknown>([[{ a: 1 }, new Set([1])]]),
    bytes: new Uint8Array([1, 2, 3]),
    doubles: new Float64Array([0.1]),
    pattern: /a+/gi,
    cycle,
  }
  assert.deepStrictEqual(throughText(value), value)
  const args = decodeArguments("t", encodeArguments("t", [1, "a", value]))
  assert.deepStrictEqual(args, [1, "a", value])
  for (const simple of [undefined, null, true, 0, -0, 1.5, "", "text", "\u{1F600}"]) {
    assert.ok(Object.is(throughText(simple), simple))
  }
  assert.deepEqual(decodeArguments("t", encodeArguments("t", [])), [])
  assert.deepEqual(decodeArguments("t", encodeArguments("t", [undefined])), [undefined])
  const money = throughText(new Money(3))
  assert.ok(money instanceof Money && money.amount === 3)
})

test("[DP1] another process reads what this one has written, also if it was written before", async () => {
  const value = [
    { id: 1, name: "a" },
    { id: 2, name: "b" },
    new Map([["k", new Date(7)]]),
    Object.assign(new RangeError("r"), { a: 1 }),
  ]
  // Lists of keys are remembered here; of these texts, each has to be readable alone.
  for (let i = 0; i < 500; i++) encodeResult("t", value)
  const text = encodeResult("t", value)
  const { code, stdout, stderr } = await runProgram(`
    import { decodeResult } from "#src/distributed/job/payload.js"
    const [a, b, map, error] = decodeResult("t", ${JSON.stringify(text)})
    console.log(JSON.stringify([a, b, map.get("k").getTime(), error instanceof RangeError, error.message, error.a]))
  `)
  assert.deepEqual([code, stderr], [0, ""])
  assert.deepEqual(JSON.parse(stdout), [{ id: 1, name: "a" }, { id: 2, name: "b" }, 7, true, "r", 1])
})

test("[DP2] what threads share, and what cannot be copied, is refused by name and place", async () => {
  const pool = Executors.newFixedThreadPool(1)
  const local = Executors.newFixedThreadPool(1, virtualThreads())
  const { port1, port2 } = new MessageChannel()
  const lock = new ReentrantLock()
  const refused = [
    new SharedArrayBuffer(8),
    new Int32Array(new SharedArrayBuffer(8)),
    lock,
    lock.newCondition(),
    new ReentrantReadWriteLock().readLock,
    new ArrayBlockingQueue(1),
    new AtomicInteger(1),
    pool,
    pool.with({ name: "x" }),
    local,
    port1,
    new Blob(["a"]),
    (): number => 1,
    Symbol("s"),
    Promise.resolve(1),
    new FutureTask(() => 1),
    new AbortController().signal,
  ]
  for (const value of refused) {
    const error = thrownBy(() => encodeArguments("resize", [1, { inside: value }]))
    assert.ok(error instanceof NotSerializableError, String(value))
    assert.match(
      error.message,
      /^The arguments of the task `resize` cannot be sent to another machine: .*`\[?1?\]?\.?inside`/,
    )
    assert.doesNotMatch(error.message, /post it/)
    assert.ok(error.cause instanceof NotSerializableError)
  }
  port1.close()
  port2.close()
  await Promise.all([pool.close(), local.close()])
})

test("[DP3] a version that this release does not know is refused, with both versions", () => {
  const bytes = Buffer.from(encodeResult("t", { a: 1 }), "base64")
  assert.equal(bytes[0], 1)
  bytes[0] = 7
  for (const read of [decodeResult, decodeArguments]) {
    const error = thrownBy(() => read("t", bytes.toString("base64")))
    assert.ok(error instanceof NotSerializableError)
    assert.match(error.message, /version 7, and this release of corepool knows version 1\. Update/)
  }
  assert.ok(thrownBy(() => decodeResult("t", "AA==")) instanceof NotSerializableError)
})

test("[DP4] what takes more than maxPayload is refused, with the task, the size and the limit", () => {
  assert.equal(MAX_PAYLOAD, 1_048_576)
  const large = new Uint8Array(MAX_PAYLOAD)
  for (const [what, encode] of [
    ["arguments", (limit?: number) => encodeArguments("resize", [large], limit)],
    ["result", (limit?: number) => encodeResult("resize", large, limit)],
  ] as const) {
    const error = thrownBy(() => encode())
    assert.ok(error instanceof NotSerializableError)
    assert.match(
      error.message,
      new RegExp(`${what} of the task \`resize\` takes? 10485\\d\\d bytes, more than .*1048576`),
    )
    assert.equal(typeof encode(2 * MAX_PAYLOAD), "string")
  }
  const small = encodeResult("t", "x".repeat(100))
  assert.equal(encodeResult("t", "x".repeat(100), 101), small, "the kind and a byte for each character")
  assert.ok(thrownBy(() => encodeResult("t", "x".repeat(100), 100)) instanceof NotSerializableError)
})
