/** Jobs that no node has begun: docs/spec/distributed-engine.md. */
import assert from "node:assert/strict"
import { test } from "node:test"
import { dataOf, DONE, type EngineKind, Gate, Lab, order } from "./kind.ts"

const ODD_IDS = ["17", "a:b", "100%", "meta", "", " ", "ä€😀", "nul\0", "half\uD800", ".x", "%003a", "__proto__"]

export function jobs({ open }: EngineKind): void {
  test("[QE1] a job is found by its id, with its name, data and state", async () => {
    await using lab = new Lab(await open())
    const queue = await lab.open()
    const data = { ...dataOf("a\0b\uDC00"), title: "\0", timeout: 5 }
    await queue.add([order("x", { name: "resize", data })])
    const [found, missing] = await queue.find(["x", "y"])
    assert.equal(missing, undefined)
    assert.deepEqual(found, {
      id: "x",
      name: "resize",
      data,
      state: "waiting",
      dueAt: undefined,
      outcome: undefined,
      progress: undefined,
    })
  })

  test("[QE1] any text is an id, and different texts are different ids", async () => {
    await using lab = new Lab(await open())
    const queue = await lab.open()
    await queue.add(ODD_IDS.map((id) => order(id, { data: dataOf(JSON.stringify(id)) })))
    const found = await queue.find(ODD_IDS)
    assert.deepEqual(
      found.map((job) => [job?.id, job?.data.args]),
      ODD_IDS.map((id) => [id, JSON.stringify(id)]),
    )
  })

  test("[QE2] a job whose id is known is not added again", async () => {
    await using lab = new Lab(await open())
    const queue = await lab.open()
    await queue.add([order("x", { data: dataOf("first") }), order("x", { data: dataOf("second") })])
    await queue.add([order("x", { data: dataOf("third") }), order("y")])
    const [x, y] = await queue.find(["x", "y"])
    assert.equal(x?.data.args, "first")
    assert.equal(y?.state, "waiting")
    assert.equal((await queue.counts()).waiting, 2)
  })

  test("[QE3] of jobs that are added together all are added, or none", async () => {
    await using lab = new Lab(await open())
    const queue = await lab.open()
    await queue.add([])
    await assert.rejects(queue.add([order("x"), order("y", { priority: 2 ** 40 })]), RangeError)
    assert.deepEqual(await queue.find(["x", "y"]), [undefined, undefined])
    await queue.add(Array.from({ length: 500 }, (_, n) => order(`${n}`)))
    assert.equal((await queue.counts()).waiting, 500)
  })

  test("[QE4] a job that waits is removed, and all listeners are told", async () => {
    await using lab = new Lab(await open())
    const [queue, log] = await lab.listening()
    const [, elsewhere] = await lab.listening()
    await queue.add([order("x"), order("later", { delay: 3_600_000 })])
    assert.equal(await queue.remove("x"), true)
    assert.equal(await queue.remove("later"), true)
    assert.equal(await queue.remove("x"), false)
    assert.equal(await queue.remove("unknown"), false)
    assert.deepEqual(await queue.find(["x", "later"]), [undefined, undefined])
    for (const each of [log, elsewhere]) {
      await each.hears("removed", "x")
      await each.hears("removed", "later")
    }
  })

  test("[QE4] a job that a node has, or that has ended, is not removed", async () => {
    await using lab = new Lab(await open())
    const [queue, log] = await lab.listening()
    const gate = new Gate()
    await lab.consume(async () => {
      await gate.opened
      return DONE
    })
    await queue.add([order("x")])
    await log.hears("active", "x")
    assert.equal(await queue.remove("x"), false)
    gate.open()
    await log.hears("completed", "x")
    assert.equal(await queue.remove("x"), false)
    assert.equal((await queue.find(["x"]))[0]?.state, "completed")
  })

  test("[QE5] a job is removed or begun, never both", async () => {
    await using lab = new Lab(await open())
    const { queue, log, ids, begun } = await takenByANode(lab, 200)
    const removed = new Set<string>()
    // From the end, so that both meet in the middle.
    for (const id of ids.toReversed()) if (await queue.remove(id)) removed.add(id)
    await log.until(() => log.of("completed").length + removed.size >= ids.length)
    assert.equal(begun.size + removed.size, ids.length)
    for (const id of ids) assert.notEqual(begun.has(id), removed.has(id), id)
  })

  test("[QE38][QE5] of jobs that are removed together while a node takes them, each is removed or begun, never both", async () => {
    await using lab = new Lab(await open())
    const { queue, log, ids, begun } = await takenByANode(lab, 1200)
    await log.hears("completed")
    // Each is asked for twice: only one of the two has removed it.
    const asked = [...ids, "unknown", ...ids]
    const answers = await Promise.all(asked.map((id) => queue.remove(id)))
    const removed = asked.filter((_, n) => answers[n] === true)
    await log.until(() => log.of("completed").length + log.of("removed").length >= ids.length)
    assert.deepEqual([...removed, ...begun].sort(), ids.toSorted())
    assert.deepEqual(
      log
        .of("removed")
        .map(({ id }) => id)
        .sort(),
      removed.toSorted(),
    )
  })

  test("[QE6] the data of a job that has not ended are replaced, and a node sees the new ones", async () => {
    await using lab = new Lab(await open())
    const [queue, log] = await lab.listening()
    await queue.add([order("x")])
    assert.equal(await queue.update("x", dataOf("new\0")), true)
    assert.equal(await queue.update("unknown", dataOf()), false)
    assert.equal((await queue.find(["x"]))[0]?.data.args, "new\0")
    await lab.consume(({ data }) => ({ kind: "completed", outcome: data.args }))
    const ended = await log.hears("completed", "x")
    assert.equal("text" in ended && ended.text, "new\0")
    assert.equal(await queue.update("x", dataOf("late")), false)
  })

  test("[QE7] the higher priority is first, and of equal ones the job that was added first", async () => {
    await using lab = new Lab(await open())
    const [queue, log] = await lab.listening()
    const priorities = { c: 0, low: -5, high: 7, d: 0, lowest: -1000, top: 1_048_575, high2: 7 }
    for (const [id, priority] of Object.entries(priorities)) await queue.add([order(id, { priority })])
    const begun: string[] = []
    await lab.consume(({ id }) => {
      begun.push(id)
      return DONE
    })
    await log.until(() => log.of("completed").length === 7)
    assert.deepEqual(begun, ["top", "high", "high2", "c", "d", "low", "lowest"])
    await assert.rejects(queue.add([order("x", { priority: 0.5 })]), RangeError)
  })

  test("[QE8] a delayed job is begun when it is due and not before, by the engine's clock", async () => {
    await using lab = new Lab(await open())
    const [queue, log] = await lab.listening()
    const before = queue.now()
    await queue.add([order("x", { delay: 300 }), order("never", { delay: 10 * 365 * 86_400_000 })])
    const [found] = await queue.find(["x"])
    assert.equal(found?.state, "delayed")
    const dueAt = found.dueAt ?? 0
    assert.ok(dueAt >= before + 299 && dueAt <= queue.now() + 301)
    const heard = await log.hears("delayed", "x")
    assert.equal("dueAt" in heard && heard.dueAt, dueAt)
    let begunAt = 0
    await lab.consume(() => {
      begunAt = queue.now()
      return DONE
    })
    await log.hears("completed", "x")
    // Two processes know the server's clock to within some milliseconds.
    assert.ok(begunAt >= dueAt - 20, `${dueAt - begunAt} ms too early`)
    assert.equal((await queue.find(["never"]))[0]?.state, "delayed")
  })

  test("[QE9] jobs are counted by state", async () => {
    await using lab = new Lab(await open())
    const [queue, log] = await lab.listening()
    const gate = new Gate()
    await lab.consume(async ({ id }) => {
      if (id === "active") await gate.opened
      return id === "failed" ? { kind: "failed", reason: "no" } : DONE
    })
    await queue.add([order("completed"), order("failed")])
    await log.until(() => log.of("completed").length + log.of("failed").length === 2)
    await queue.add([order("active")])
    await log.hears("active", "active")
    await queue.add([order("1"), order("2", { priority: 3 }), order("3", { delay: 3_600_000 })])
    assert.deepEqual(await queue.counts(), { waiting: 2, delayed: 1, active: 1, completed: 1, failed: 1 })
    gate.open()
  })
}

/** Adds so many jobs, of which a node begins to take four at a time. */
async function takenByANode(lab: Lab, count: number) {
  const [queue, log] = await lab.listening()
  const begun = new Set<string>()
  const ids = Array.from({ length: count }, (_, n) => `${n}`)
  await queue.add(ids.map((id) => order(id)))
  await lab.consume(
    ({ id }) => {
      begun.add(id)
      return DONE
    },
    { concurrency: 4 },
  )
  return { queue, log, ids, begun }
}
