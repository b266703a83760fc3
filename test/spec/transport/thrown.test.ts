/** Thrown values that are no errors. Ids such as [TX33] refer to docs/spec/transport.md. */
/* oxlint-disable typescript/only-throw-error -- that is what these tests are about */
import { Executors, NotSerializableError } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { rejectionOf } from "../../support/harness.ts"

test("[TX33] what can be copied of a thrown value arrives, on platform threads", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const thrown = async (fn: () => unknown): Promise<unknown> => rejectionOf(pool.submit(fn))
  assert.deepEqual(
    await thrown(() => {
      throw { code: 5, list: [1, { deep: true }] }
    }),
    { code: 5, list: [1, { deep: true }] },
  )
  for (const value of [5, "text", null, undefined, true, 7n]) {
    const [call] = [
      (it: unknown) => {
        throw it
      },
    ]
    assert.equal(await rejectionOf(pool.submit(call, value)), value)
  }
  const partly = await thrown(() => {
    throw {
      code: 5,
      socket: () => 1,
      symbol: Symbol("x"),
      get broken() {
        throw new Error("getter")
      },
      inside: { fn: () => 1 },
      map: new Map([[1, 2]]),
    }
  })
  assert.deepEqual(partly, { code: 5, map: new Map([[1, 2]]) })
  const proto = (await thrown(() => {
    throw JSON.parse('{"__proto__": 1, "code": 2}', function (this: { fn?: unknown }, key, value: unknown) {
      if (key === "") (value as { fn: unknown }).fn = () => 1
      return value
    })
  })) as object
  assert.deepEqual(Object.entries(proto), [
    ["__proto__", 1],
    ["code", 2],
  ])
  const instance = await thrown(() => {
    class Refusal {
      status = 404
      retry = (): void => undefined
    }
    throw new Refusal()
  })
  assert.deepEqual(instance, { status: 404 })
})

test("[TX18][TX33] a thrown value of which nothing can be copied is a NotSerializableError", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const bad: (() => unknown)[] = [
    () => {
      throw { socket: () => 1 }
    },
    () => {
      throw () => 1
    },
    () => {
      throw [() => 1]
    },
    () => {
      throw new Proxy(
        { code: 5 },
        {
          ownKeys() {
            throw new Error("keys")
          },
          get() {
            throw new Error("get")
          },
        },
      )
    },
    () => {
      const { proxy, revoke } = Proxy.revocable({ code: 5 }, {})
      revoke()
      throw proxy
    },
  ]
  for (const fn of bad) assert.ok((await rejectionOf(pool.submit(fn))) instanceof NotSerializableError, String(fn))
  assert.equal(await pool.submit(() => 1), 1)
})

test("[TX33] a getter that gives another value each time, and thousands of fields", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const changing = await rejectionOf(
    pool.submit(() => {
      let turn = 0
      throw {
        fn: () => 1,
        get value() {
          return turn++ % 2 === 0 ? 1 : () => 1
        },
      }
    }),
  )
  assert.ok(changing instanceof NotSerializableError || typeof (changing as { value: unknown }).value === "number")
  const many = await rejectionOf(
    pool.submit(() => {
      throw Object.assign(Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, i])), { fn: () => 1 })
    }),
  )
  assert.equal(Object.keys(many as object).length, 100)
})

test("[TX33] the same for an item of map", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const results = pool.map(
    (n: number) => {
      if (n === 3) throw { code: n, fn: () => 1 }
      return n
    },
    [1, 2, 3],
  )
  const iterator = results[Symbol.asyncIterator]()
  await iterator.next()
  await iterator.next()
  assert.deepEqual(await rejectionOf(iterator.next()), { code: 3 })
})
