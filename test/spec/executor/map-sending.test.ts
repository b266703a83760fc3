/** map on platform threads: items and results that cannot be sent with others, and what errors say of them. */
import { bind, Executors, NotSerializableError, RejectedExecutionError } from "corepool"
import assert from "node:assert/strict"
import { once } from "node:events"
import type { MessagePort } from "node:worker_threads"
import test from "node:test"
import { rejectionOf } from "../../support/harness.ts"
import { deepError, deepResult, longText, movedPort, scaled, sometimesAFunction, square } from "./chunk-tasks.ts"
import { all } from "./support.ts"

const COUNT = 3000
const AT = 2500
const numbers = Array.from({ length: COUNT }, (_, n) => n)

/** How many results come before the error, and the error. */
async function failureOf(results: AsyncIterable<unknown>): Promise<{ seen: number; error: unknown }> {
  let seen = 0
  const error = await rejectionOf(
    (async () => {
      for await (const _ of results) seen++
    })(),
  )
  return { seen, error }
}

test("[MP32] [MP33] a result that cannot be sent fails alone, and the error names its item", async () => {
  await using pool = Executors.newFixedThreadPool(2)
  const kinds = { function: "a function", member: "function a in `a`", symbol: "Symbol(s)" } as const
  for (const [kind, what] of Object.entries(kinds)) {
    const fn = bind(sometimesAFunction, kind as keyof typeof kinds, AT)
    const { seen, error } = await failureOf(pool.map(fn, numbers))
    assert.equal(seen, AT)
    assert.ok(error instanceof NotSerializableError)
    assert.equal(
      error.message,
      `The result of task \`sometimesAFunction\` for \`items[${AT}]\` cannot be sent: ${what} cannot be copied`,
    )
  }
})

test("[MP32] so does one, or an error, that the consuming thread cannot read", async () => {
  await using pool = Executors.newFixedThreadPool(2)
  for (const fn of [deepError, deepResult]) {
    const { seen, error } = await failureOf(pool.map(bind(fn, AT), numbers))
    assert.equal(seen, AT)
    assert.ok(error instanceof NotSerializableError)
    assert.match(error.message, /nested too deeply/)
  }
})

test("[MP33] whatever the chunk, errors name items by their numbers among all", async () => {
  await using pool = Executors.newFixedThreadPool(2)
  for (const options of [{}, { chunk: 1 }, { chunk: 7 }, { chunk: 100 }, { window: 10 }]) {
    for (const [bad, what] of [
      [() => 1, `A function in \`items[${AT}]\``],
      [Symbol("s"), `Symbol(s) in \`items[${AT}]\``],
      [{ a: () => 1 }, `Function a in \`items[${AT}].a\``],
    ] as const) {
      const items: unknown[] = numbers.with(AT, bad as never)
      const error = await rejectionOf(all(pool.map(square as (item: unknown) => number, items, options)))
      assert.equal(error instanceof NotSerializableError && error.message, `${what} cannot be copied`)
    }
    for (const at of [0, AT]) {
      const { error } = await failureOf(pool.map(bind(sometimesAFunction, "member", at), numbers, options))
      assert.equal(
        error instanceof NotSerializableError && error.message,
        `The result of task \`sometimesAFunction\` for \`items[${at}]\` cannot be sent: function a in \`a\` cannot be copied`,
      )
    }
  }
})

test("[MP35] the time that a slow source takes ends a task", async () => {
  const SLOW = 60
  await using pool = Executors.newFixedThreadPool(2)
  function* source(): Generator<number> {
    yield* numbers
    for (let n = 0; n < SLOW; n++) {
      const end = performance.now() + 0.2
      while (performance.now() < end); // as a source that computes
      yield n
    }
  }
  assert.equal((await all(pool.map(square, source()))).length, COUNT + SLOW)
  await pool.close()
  assert.ok(pool.completedTaskCount >= SLOW, `${pool.completedTaskCount} tasks`)
})

test("[MP36] long texts and large integers arrive, each as the last of its task", async () => {
  await using pool = Executors.newFixedThreadPool(2)
  const many = numbers.slice(0, 600)
  const texts = await all(pool.map(longText, many))
  assert.ok(texts.every((text, n) => text.length === (n < 300 ? 1 : 5000)))
  const before = pool.completedTaskCount
  assert.ok(before >= 300, `${before} tasks`)
  const items = many.map((n) => (n < 300 ? n : 2n ** 70n + BigInt(n)))
  assert.deepEqual(
    await all(pool.map((item) => typeof item, items)),
    items.map((item) => typeof item),
  )
  await pool.close()
  assert.ok(pool.completedTaskCount - before >= 300, `${pool.completedTaskCount - before} tasks`)
})

test("[MP37] what the function marks for transfer is moved, in tasks of any number of items", async () => {
  await using pool = Executors.newFixedThreadPool(2)
  for (const options of [{}, { chunk: 1 }, { chunk: 50 }]) {
    // The first results are numbers, so that ports come from tasks of several items.
    const results = await all(pool.map(movedPort, numbers.slice(0, 300), options))
    const ports = results.filter((result) => typeof result === "object")
    assert.equal(ports.length, 10)
    for (const port of ports as MessagePort[]) {
      const [text] = (await once(port, "message")) as [string]
      assert.equal(text, "through the port")
      port.close()
    }
  }
})

test("[MP38] the message of a rejection shows the name of the function", async () => {
  const pool = Executors.newFixedThreadPool(1)
  await pool.close()
  for (const view of [pool, pool.with({ timeout: 1000 })]) {
    for (const options of [{}, { chunk: 2 }]) {
      const error = await rejectionOf(all(view.map(square, numbers, options)))
      assert.ok(error instanceof RejectedExecutionError)
      assert.match(error.message, /^Task FutureTask@\d+\[Not completed, task = square\] rejected/)
    }
  }
  const named = pool.with({ name: "squares" }).map(square, numbers)
  assert.match(String(await rejectionOf(all(named))), /task = squares\]/)
})

test("[FT58] a function with its first arguments can be mapped", async () => {
  await using pool = Executors.newFixedThreadPool(2)
  for (const options of [{}, { chunk: 7 }, { ordered: true, window: 3 }]) {
    assert.deepEqual(
      await all(pool.map(bind(scaled, 3, 1), numbers, options)),
      numbers.map((n) => n * 3 + 1),
    )
  }
})
