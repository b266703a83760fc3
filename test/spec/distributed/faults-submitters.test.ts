/** Programs that submit, and what can happen to them: docs/spec/distributed-faults.md. */
import { IllegalStateError, NotSerializableError, TimeoutError } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import * as tasks from "../../support/fault.tasks.ts"
import { FaultLab, onEachServer } from "../../support/fault-lab.ts"

const numbered = (encoded: string, length: number): string[] => Array.from({ length }, (_, n) => `${encoded}${n}`)

onEachServer((kind) => {
  const { name, skip } = kind

  test(
    `[DF4] tasks of a process that is killed go on, and another process gets their results by their ids, on ${name}`,
    { skip },
    async () => {
      await using lab = await FaultLab.open(kind)
      const submitter = await lab.submitter()
      const node = await lab.node("node")
      const ids = await submitter.submit([
        { task: "hold", args: ["h"] },
        ...numbered("w", 10).map((key) => ({ task: "work", args: [key] }) as const),
        { task: "fail", args: ["f"] },
      ])
      await lab.started("h")
      await submitter.kill()
      lab.openGate("h")
      const fleet = lab.fleet()
      const outcomes = await Promise.allSettled(ids.map((id) => fleet.future(id).get()))
      const values = outcomes.map((outcome): unknown =>
        outcome.status === "fulfilled" ? outcome.value : outcome.reason,
      )
      assert.deepEqual(values.slice(0, -1), ["h", ...numbered("w", 10)])
      assert.ok(values.at(-1) instanceof RangeError)
      await node.close()
      for (const key of ["h", "f", ...numbered("w", 10)]) assert.equal(lab.starts(key).length, 1, key)
      await lab.settled(fleet, { completed: 11, failed: 1 })
    },
  )

  test(
    `[DF5] an id that two processes submit at once is run once, and both get the outcome, on ${name}`,
    { skip },
    async () => {
      await using lab = await FaultLab.open(kind)
      const fleet = lab.fleet()
      const submitter = await lab.submitter()
      const keys = numbered("d", 40)
      const there = submitter.submit(keys.map((key) => ({ task: "work", args: [key], options: { id: key } })))
      const here = keys.map((key) => fleet.with({ id: key }).submit(tasks.work, key))
      await there
      const node = await lab.node("node")
      const values = await Promise.all(here)
      assert.deepEqual(await submitter.results(), values)
      await node.close()
      // Each once.
      assert.deepEqual(
        lab
          .starts()
          .map(({ id, key }) => `${id}: ${key}`)
          .sort(),
        values.map((value, n) => `d${n}: ${value}`).sort(),
      )
      await lab.settled(fleet, { completed: 40 })
    },
  )

  test(
    `[DF6] a result that is not kept reaches its future, and is gone for who asks later, on ${name}`,
    { skip },
    async () => {
      await using lab = await FaultLab.open(kind)
      const fleet = lab.fleet()
      const node = await lab.node("node")
      const future = fleet.with({ keepResults: 0, id: "brief" }).submit(tasks.work, "a")
      assert.equal(await future, "a")
      await assert.rejects(fleet.future("brief").get(), (error: Error) => {
        assert.ok(error instanceof IllegalStateError)
        assert.match(error.message, /result has expired/)
        return true
      })
      await node.close()
      assert.deepEqual([...lab.runs], [["a", 1]])
      await lab.settled(fleet, { completed: 0 })
    },
  )

  test(
    `[DF7] without any node, get times out, and an executor whose tasks are cancelled can be closed, on ${name}`,
    { skip },
    async () => {
      await using lab = await FaultLab.open(kind)
      const fleet = lab.fleet()
      const futures = numbered("n", 5).map((key) => fleet.submit(tasks.work, key))
      await Promise.all(futures.map((future) => future.stored))
      for (const future of futures) await assert.rejects(future.get(100), TimeoutError)
      assert.deepEqual(await fleet.nodes(), [])
      const { waiting, outstanding } = await fleet.stats()
      assert.deepEqual({ waiting, outstanding }, { waiting: 5, outstanding: 5 })
      for (const future of futures) assert.equal(future.cancel(), true)
      await fleet.close()
      assert.equal(fleet.isTerminated, true)
      const other = lab.fleet()
      await lab.settled(other, { completed: 0 })
      await other.close()
      assert.deepEqual(lab.ledger, [])
    },
  )

  test(
    `[DF8] what is too large is refused, to the caller or to the future, and the node goes on, on ${name}`,
    { skip },
    async () => {
      await using lab = await FaultLab.open(kind)
      const fleet = lab.fleet()
      const node = await lab.node("node")
      assert.throws(() => fleet.submit(tasks.lengthOf, "x".repeat(2 ** 20)), NotSerializableError)
      await assert.rejects(fleet.submit(tasks.text, 2 ** 20).get(), NotSerializableError)
      // As large as may be, both ways.
      assert.equal(await fleet.submit(tasks.lengthOf, "x".repeat(2 ** 20 - 100)), 2 ** 20 - 100)
      assert.equal((await fleet.submit(tasks.text, 2 ** 20 - 100)).length, 2 ** 20 - 100)
      await node.close()
      await lab.settled(fleet, { completed: 2, failed: 1 })
    },
  )
})
