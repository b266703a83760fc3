/** Cancelling while a task begins, runs and ends: docs/spec/distributed-faults.md. */
import { CancellationError, IllegalStateError } from "corepool"
import type { DistributedFuture } from "corepool/distributed"
import assert from "node:assert/strict"
import { test } from "node:test"
import { setTimeout as pause } from "node:timers/promises"
import { Lab } from "../../contract/queue-engine/kind.ts"
import { decodeFailure } from "#src/distributed/job/failure.js"
import * as tasks from "../../support/fault.tasks.ts"
import { engineAt, FaultLab, onEachServer, until } from "../../support/fault-lab.ts"

/** When a task is cancelled: each is another race. */
const MOMENTS: Record<string, (future: DistributedFuture<string>, lab: FaultLab, key: string) => unknown> = {
  "at once": () => undefined,
  "when it is sent": () => new Promise(setImmediate),
  "when it is stored": (future) => future.stored,
  "when it has begun": (_, lab, key) => lab.started(key),
  "when it has ended": (_, lab, key) => lab.ended(key),
  "when its future is done": (future) => future.get(),
}

onEachServer((kind) => {
  const { name, skip } = kind

  test(
    `[DF16] whenever a task is cancelled, its future, the engine and other processes agree, and nothing is left, on ${name}`,
    { skip },
    async () => {
      await using lab = await FaultLab.open(kind)
      const watcher = new Lab(engineAt(lab.address), lab.queue)
      const [queue, log] = await watcher.listening()
      const fleet = lab.fleet()
      const nodes = await Promise.all(["n1", "n2"].map((node) => lab.node(node)))
      const race = async (moment: string, n: number): Promise<[string, DistributedFuture<string>, boolean]> => {
        const key = `${moment} ${n}`
        const future = fleet.submit(n % 2 === 0 ? tasks.work : tasks.workAwhile, key)
        await MOMENTS[moment]?.(future, lab, key)
        for (let turn = 0; turn < n % 5; turn++) await pause(1)
        return [key, future, future.cancel(n % 3 === 0)]
      }
      const races = Object.keys(MOMENTS).flatMap((moment) => Array.from({ length: 20 }, (_, n) => race(moment, n)))
      const raced = await Promise.all(races)
      await until(async () => (await fleet.stats()).outstanding === 0, "the end of all")
      for (const node of nodes) await node.close()
      const found = await queue.find(raced.map(([, { id }]) => id))
      let completed = 0
      let failed = 0
      for (const [i, [key, future, isCancelled]] of raced.entries()) {
        const record = found[i]
        const [outcome] = await Promise.allSettled([future])
        // The first call of cancel decides, unless the outcome was here before.
        assert.equal(future.isCancelled, isCancelled, key)
        if (!isCancelled) assert.deepEqual([outcome, record?.state], [{ status: "fulfilled", value: key }, "completed"])
        else assert.ok(outcome.status === "rejected" && outcome.reason instanceof CancellationError, key)
        if (record?.state === "completed") completed++
        else if (record !== undefined) {
          failed++
          assert.equal(record.state, "failed", key)
          assert.equal(decodeFailure(record.outcome ?? "").kind, "cancelled", key)
        }
        // What was taken out has not run; the rest has run once or, if the mark was there first, not at all.
        const runs = lab.starts(key).length
        const allowed = record === undefined ? [0] : record.state === "completed" ? [1] : [0, 1]
        assert.ok(allowed.includes(runs), `${key}: ${runs} runs, and the engine has it as ${record?.state}`)
      }
      await lab.settled(fleet, { completed, failed })
      await agree(lab, raced, found)
      // Every job has ended at most once, in one way.
      const ends = (["completed", "failed", "removed"] as const).flatMap((end) => log.of(end).map(({ id }) => id))
      assert.equal(new Set(ends).size, ends.length)
      await watcher[Symbol.asyncDispose]()
    },
  )
})

/** Another process sees what the engine has. */
async function agree(
  lab: FaultLab,
  raced: readonly [string, DistributedFuture<string>, boolean][],
  found: readonly ({ readonly state: string } | undefined)[],
): Promise<void> {
  const other = lab.fleet()
  const seen = await Promise.allSettled(raced.map(([, { id }]) => other.future(id).get()))
  for (const [i, outcome] of seen.entries()) {
    const state = found[i]?.state
    if (state === "completed") assert.equal(outcome.status, "fulfilled")
    else {
      const { reason } = outcome as { reason?: unknown }
      assert.ok(reason instanceof (state === "failed" ? CancellationError : IllegalStateError))
    }
  }
}
