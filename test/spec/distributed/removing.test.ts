/** Jobs that are removed together: docs/spec/distributed-engine.md. */
import assert from "node:assert/strict"
import { test } from "node:test"
import { Removing } from "#src/distributed/bullmq/removing.js"

const numbered = (length: number): string[] => Array.from({ length }, (_, n) => `${n}`)

test("[QE38] jobs that are removed in one turn go together, at most 500 in a command; later ones do not wait for them", async () => {
  const commands: (readonly string[])[] = []
  const removing = new Removing((jobIds) => {
    commands.push(jobIds)
    return Promise.resolve([...jobIds])
  })
  const ids = numbered(1200)
  const answers = await Promise.all(ids.map((id) => removing.remove(id)))
  assert.deepEqual(
    commands.map(({ length }) => length),
    [500, 500, 200],
  )
  assert.deepEqual(commands.flat(), ids)
  assert.ok(answers.every(Boolean))
  assert.equal(await removing.remove("later"), true)
  assert.deepEqual(commands.at(-1), ["later"])
})

test("[QE38] each is answered by itself", async () => {
  const removing = new Removing((jobIds) => Promise.resolve(jobIds.filter((id) => id !== "begun")))
  const asked = ["waits", "begun", "waits", "also waits"]
  assert.deepEqual(await Promise.all(asked.map((id) => removing.remove(id))), [true, false, false, true])
})

test("[QE38] a command that fails fails for all whose jobs it was to remove, and for no others", async () => {
  const removing = new Removing((jobIds) =>
    jobIds.includes("0") ? Promise.reject(new Error("away")) : Promise.resolve([...jobIds]),
  )
  const outcomes = await Promise.allSettled(numbered(501).map((id) => removing.remove(id)))
  assert.ok(outcomes.slice(0, 500).every(({ status }) => status === "rejected"))
  assert.deepEqual(outcomes[500], { status: "fulfilled", value: true })
})
