/** Jobs on nodes: docs/spec/distributed-engine.md. */
import assert from "node:assert/strict"
import { test } from "node:test"
import { dataOf, DONE, type EngineKind, Gate, Lab, Log, order } from "./kind.ts"

export function running({ open }: EngineKind): void {
  test("[QE12] a node has as many jobs at once as it was told, and each job once", async () => {
    await using lab = new Lab(await open())
    const [queue, log] = await lab.listening()
    const runs = new Map<string, number>()
    let most = 0
    let now = 0
    const isFull = new Gate()
    const body = async (id: string): Promise<void> => {
      most = Math.max(most, ++now)
      runs.set(id, (runs.get(id) ?? 0) + 1)
      if (now === 3) isFull.open()
      await isFull.opened // a slow machine may end a job before the next one comes
      await new Promise((resolve) => setImmediate(resolve))
      now--
    }
    await lab.consume(
      async ({ id }) => {
        await body(id)
        return DONE
      },
      { concurrency: 3 },
    )
    await queue.add(Array.from({ length: 60 }, (_, n) => order(`${n}`)))
    await log.until(() => log.of("completed").length === 60)
    assert.equal(runs.size, 60)
    assert.ok([...runs.values()].every((count) => count === 1))
    assert.equal(most, 3)
  })

  test("[QE13] the end of a job is told to all listeners and kept", async () => {
    await using lab = new Lab(await open())
    const [queue, log] = await lab.listening()
    const [, elsewhere] = await lab.listening()
    const seen: unknown[] = []
    await lab.consume(({ id, name, data, failures, attempts, deaths, lost }) => {
      seen.push([id, name, data.args, failures, attempts, deaths, lost.isLost])
      return id === "good" ? { kind: "completed", outcome: "fine\0\uD801" } : { kind: "failed", reason: "bad\0\uDC01" }
    })
    await queue.add([order("good", { attempts: 3 })])
    await queue.add([order("bad", { attempts: 3 })])
    for (const each of [log, elsewhere]) {
      await each.hears("failed", "bad")
      assert.deepEqual(each.of("completed"), [{ kind: "completed", id: "good", text: "fine\0\uD801" }])
      assert.deepEqual(each.of("failed"), [{ kind: "failed", id: "bad", text: "bad\0\uDC01" }])
      assert.equal(each.of("active").length, 2)
    }
    const [good, bad] = await queue.find(["good", "bad"])
    assert.deepEqual([good?.state, good?.outcome], ["completed", "fine\0\uD801"])
    assert.deepEqual([bad?.state, bad?.outcome], ["failed", "bad\0\uDC01"])
    assert.deepEqual(seen, [
      ["good", "task", "arguments", 0, 3, 0, false],
      ["bad", "task", "arguments", 0, 3, 0, false],
    ])
  })

  test("[QE13] a node that reports how its jobs have ended hears of no error", async () => {
    await using lab = new Lab(await open())
    const [queue, log] = await lab.listening()
    const node = await lab.open("node")
    const nodeLog = new Log()
    await node.listen(nodeLog)
    const consumer = await node.consume({
      node: "node",
      concurrency: 1,
      lockDuration: 30_000,
      run: ({ id }) => Promise.resolve(id === "good" ? DONE : { kind: "failed", reason: "no" }),
    })
    await queue.add([order("bad"), order("worse", { keep: 0, attempts: 3 }), order("good")])
    await log.hears("completed", "good")
    assert.deepEqual([log.of("failed").length, nodeLog.of("error")], [2, []])
    await consumer.drain()
  })

  test("[QE35] a node that pauses takes no more jobs until it resumes, and what it has goes on", async () => {
    await using lab = new Lab(await open())
    const [queue, log] = await lab.listening()
    const gate = new Gate()
    const consumer = await lab.consume(
      async ({ id }, self) => {
        if (id === "first") {
          self.pause()
          await gate.opened
        }
        return DONE
      },
      { concurrency: 3, node: "pausing" },
    )
    await queue.add([order("first")])
    await log.hears("active", "first")
    await queue.add([order("second"), order("third")])
    gate.open()
    await log.hears("completed", "first") // the next job would come with the answer to that
    assert.deepEqual(
      (await queue.find(["second", "third"])).map((job) => job?.state),
      ["waiting", "waiting"],
    )
    consumer.resume()
    await log.hears("completed", "second")
    await log.hears("completed", "third")
  })

  test("[QE36] the node that has a job replaces its data, and a node that has not does not", async () => {
    await using lab = new Lab(await open())
    const [queue, log] = await lab.listening()
    let late: (() => Promise<boolean>) | undefined
    const seen: unknown[] = []
    await lab.consume(async (job) => {
      seen.push(job.data)
      if (late !== undefined) return DONE
      const written = { ...dataOf("a\0\uD801"), lastRun: 2 }
      late = () => job.rewrite(dataOf("late"))
      seen.push(await job.rewrite(written))
      return { kind: "retry", reason: "once more", delay: 0 }
    })
    await queue.add([order("x", { attempts: 2 })])
    await log.hears("completed", "x")
    assert.equal(await late?.(), false)
    assert.deepEqual(seen, [dataOf(), true, { ...dataOf("a\0\uD801"), lastRun: 2 }])
    assert.equal((await queue.find(["x"]))[0]?.data.args, "a\0\uD801")
  })

  test("[QE11] an outcome of any length and of any characters arrives", async () => {
    await using lab = new Lab(await open())
    const [queue, log] = await lab.listening()
    const outcomes: Record<string, string> = {
      empty: "",
      marked: "\u0001@",
      escaped: "\u0001%0000",
      large: "ä😀\0".repeat(100_000),
      reason: "reason ".repeat(10_000),
    }
    await lab.consume(({ id }) => {
      const text = outcomes[id] ?? ""
      return id === "reason" ? { kind: "failed", reason: text } : { kind: "completed", outcome: text }
    })
    await queue.add(Object.keys(outcomes).map((id) => order(id)))
    await log.until(() => log.of("completed").length + log.of("failed").length === 5)
    for (const [id, text] of Object.entries(outcomes)) {
      const ended = await log.hears(id === "reason" ? "failed" : "completed", id)
      assert.ok("text" in ended && ended.text === text, id)
      const [found] = await queue.find([id])
      assert.ok(found?.outcome === text, id)
      assert.deepEqual(found.data, dataOf())
    }
  })

  test("[QE10] an outcome is kept for as long as its job says, and no job shortens that of another", async () => {
    await using lab = new Lab(await open())
    const [queue, log] = await lab.listening()
    await lab.consume(() => DONE)
    await queue.add([order("long")])
    await log.hears("completed", "long")
    await queue.add([order("none", { keep: 0 }), order("short", { keep: 1 })])
    await log.hears("completed", "none")
    await log.hears("completed", "short")
    assert.deepEqual(
      (await queue.find(["long", "none"])).map((job) => job?.outcome),
      ["done", undefined],
    )
    await lab.consume(() => DONE) // a node that starts removes what is old
    while ((await queue.counts()).completed > 1) await new Promise((resolve) => setTimeout(resolve, 10))
    assert.equal((await queue.find(["long"]))[0]?.outcome, "done")
  })

  test("[QE34] an outcome whose time is over is not found, and its id is free for another job", async () => {
    await using lab = new Lab(await open())
    const [queue, log] = await lab.listening()
    await lab.consume(({ id, data }) =>
      id === "failing" ? { kind: "failed", reason: data.args } : { kind: "completed", outcome: data.args },
    )
    const ids = ["completing", "failing"]
    const add = (args: string, keep: number): Promise<void> =>
      queue.add(["long", ...ids].map((id) => order(id, { data: dataOf(args), keep: id === "long" ? 3_600_000 : keep })))
    await add("first", 1)
    await log.hears("completed", "completing")
    await log.hears("failed", "failing")
    await log.hears("completed", "long")
    const end = queue.now()
    while (queue.now() < end + 50) await new Promise((resolve) => setTimeout(resolve, 10)) // by the server's clock
    assert.deepEqual(await queue.find(ids), [undefined, undefined])
    await add("second", 3_600_000)
    await log.until(() => log.of("completed", "completing").length + log.of("failed", "failing").length === 4)
    await add("third", 3_600_000)
    assert.deepEqual(
      (await queue.find(["long", ...ids])).map((job) => job?.outcome),
      ["first", "second", "second"],
    )
    await queue.add([order("single", { keep: 1 })])
    await log.hears("completed", "single")
    while ((await queue.find(["single"]))[0] !== undefined) await new Promise((resolve) => setTimeout(resolve, 1))
    await queue.add([order("single", { keep: 1 })])
    await log.until(() => log.of("completed", "single").length === 2)
  })

  test("[QE14] a failed attempt is followed by another one after the delay", async () => {
    await using lab = new Lab(await open())
    const [queue, log] = await lab.listening()
    const failures: number[] = []
    const begun: number[] = []
    await lab.consume((job) => {
      failures.push(job.failures)
      begun.push(queue.now())
      if (job.failures === 2) return { kind: "failed", reason: "for good" }
      return { kind: "retry", reason: "once more\0", delay: job.failures * 200 }
    })
    await queue.add([order("x", { attempts: 3 })])
    await log.hears("failed", "x")
    assert.deepEqual(failures, [0, 1, 2])
    assert.equal(log.of("delayed", "x").length, 2)
    assert.ok((begun[2] ?? 0) - (begun[1] ?? 0) >= 180)
    assert.equal((await queue.find(["x"]))[0]?.outcome, "for good")
  })

  test("[QE15] a job runs again at the time that its node says, with the data that its node gives; that is no attempt", async () => {
    await using lab = new Lab(await open())
    const [queue, log] = await lab.listening()
    const runs: string[] = []
    await lab.consume((job) => {
      runs.push(`${job.data.args} ${job.failures} ${job.deaths}`)
      if (runs.length === 4) return DONE
      const dueAt = queue.now() + (runs.length === 2 ? -10_000 : 100)
      return { kind: "again", dueAt, data: dataOf(`run ${runs.length}\0`) }
    })
    await queue.add([order("x", { data: dataOf("run 0\0") })])
    await log.hears("completed", "x")
    assert.deepEqual(runs, ["run 0\0 0 0", "run 1\0 0 0", "run 2\0 0 0", "run 3\0 0 0"])
    assert.equal(log.of("delayed", "x").length, 3)
  })

  test("[QE16] a job that a node gives back is taken by another; that is no attempt", async () => {
    await using lab = new Lab(await open())
    const [queue, log] = await lab.listening()
    const first = await lab.consume(() => ({ kind: "back" }), { node: "first" })
    await queue.add([order("x")])
    await log.hears("active", "x")
    await lab.consume(({ failures, deaths }) => ({ kind: "completed", outcome: `${failures} ${deaths}` }), {
      node: "second",
    })
    const ended = await log.hears("completed", "x")
    assert.equal("text" in ended && ended.text, "0 0")
    await first.drain()
  })

  test("[QE20] a node that drains takes no more jobs, and reports those that it has", async () => {
    await using lab = new Lab(await open())
    const [queue, log] = await lab.listening()
    const gate = new Gate()
    const begun: string[] = []
    const consumer = await lab.consume(async ({ id }) => {
      begun.push(id)
      await gate.opened
      return DONE
    })
    await queue.add([order("x"), order("y")])
    await log.hears("active", "x")
    let isDrained = false
    const drained = consumer.drain().then(() => (isDrained = true))
    await queue.find(["x"])
    assert.equal(isDrained, false)
    gate.open()
    await drained
    const [x, y] = await queue.find(["x", "y"])
    assert.deepEqual([x?.state, y?.state, begun], ["completed", "waiting", ["x"]])
  })

  test("[QE21] progress is told to all listeners and kept", async () => {
    await using lab = new Lab(await open())
    const [queue, log] = await lab.listening()
    const value = { done: 0.5, text: "\0", $json: 1 }
    await lab.consume(async (job) => {
      await job.progress(value)
      return DONE
    })
    await queue.add([order("x")])
    const heard = await log.hears("progress", "x")
    assert.deepEqual("value" in heard && heard.value, value)
    await log.hears("completed", "x")
    assert.deepEqual((await queue.find(["x"]))[0]?.progress, value)
  })
}
