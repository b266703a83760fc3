import { listen, unlisten } from "#src/memory/flow/abort.js"
import assert from "node:assert/strict"
import { getEventListeners } from "node:events"
import { test } from "node:test"
import { runProgram } from "../../support/child.ts"

test("[MW13] ten thousand parties, one listener; each is told the reason once, in order", () => {
  const controller = new AbortController()
  const told: number[] = []
  const reason = { any: "reason" }
  for (let n = 0; n < 10_000; n++) {
    listen(controller.signal, (given) => {
      assert.equal(given, reason)
      told.push(n)
    })
  }
  assert.equal(getEventListeners(controller.signal, "abort").length, 1)
  controller.abort(reason)
  assert.deepEqual(
    told,
    Array.from({ length: 10_000 }, (_, n) => n),
  )
  controller.abort("again")
  assert.equal(told.length, 10_000)
})

test("[MW13] a party that comes and goes a thousand times leaves one listener", () => {
  const controller = new AbortController()
  let told = 0
  const party = (): void => void told++
  for (let i = 0; i < 1000; i++) {
    listen(controller.signal, party)
    unlisten(controller.signal, party)
  }
  listen(controller.signal, party)
  assert.equal(getEventListeners(controller.signal, "abort").length, 1)
  controller.abort()
  assert.equal(told, 1)
})

test("[MW13] signals have nothing to do with each other", () => {
  const [one, other] = [new AbortController(), new AbortController()]
  const told: string[] = []
  const party = (reason: unknown): void => void told.push(String(reason))
  listen(one.signal, party)
  listen(other.signal, party)
  other.abort("other")
  assert.deepEqual(told, ["other"])
  one.abort("one")
  assert.deepEqual(told, ["other", "one"])
})

test("[MW14] a party that left is not told", () => {
  const controller = new AbortController()
  const told: string[] = []
  const leaver = (): void => void told.push("left")
  listen(controller.signal, leaver)
  listen(controller.signal, () => told.push("stayed"))
  unlisten(controller.signal, leaver)
  unlisten(new AbortController().signal, leaver)
  controller.abort()
  assert.deepEqual(told, ["stayed"])
})

test("[MW14] a party that leaves while the others are told is not told", () => {
  const controller = new AbortController()
  const told: string[] = []
  const leaver = (): void => void told.push("left")
  listen(controller.signal, () => {
    told.push("first")
    unlisten(controller.signal, leaver)
  })
  listen(controller.signal, leaver)
  listen(controller.signal, () => told.push("last"))
  controller.abort()
  assert.deepEqual(told, ["first", "last"])
})

test("[MW15] a party that throws is heard of, and the others are told", async () => {
  const { code, stdout, stderr } = await runProgram(`
    import { listen } from "#src/memory/flow/abort.js"
    process.on("uncaughtException", (error) => console.log("uncaught", error.message))
    const controller = new AbortController()
    for (const n of [1, 2, 3]) {
      listen(controller.signal, () => {
        console.log("told", n)
        if (n < 3) throw new Error("party " + n)
      })
    }
    controller.abort()
  `)
  assert.deepEqual([code, stderr], [0, ""])
  assert.equal(stdout, "told 1\ntold 2\ntold 3\nuncaught party 1\nuncaught party 2\n")
})
