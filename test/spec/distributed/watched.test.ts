/** The ledger of an executor that watches jobs of other processes. Rule ids are those of docs/spec/distributed.md. */
import { RUN_REMOTELY } from "#src/future/internals.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { DistributedFutureTask } from "#src/distributed/job/distributed-future.js"
import type { Connection } from "#src/distributed/submitter/connection.js"
import { JobEntry } from "#src/distributed/submitter/job-entry.js"
import { Ledger, type LedgerHost } from "#src/distributed/submitter/ledger.js"
import { RemoteJobs } from "#src/distributed/submitter/remote-jobs.js"

for (const how of ["removed", "marked"] as const) {
  test(`[DX28] stored of a future(id) is fulfilled when its job is ${how} between two runs, before the look-up has ended`, async () => {
    const host: LedgerHost = {
      ended: () => undefined,
      lookUpAll: () => undefined,
      cancelled: () => undefined,
      lookUp: () => undefined,
      report: (error) => assert.fail(String(error)),
      cancelAgain: (entry) => {
        if (how === "removed") {
          ledger.cancel(entry, undefined)
          ledger.over(entry)
        } else ledger.wishSettled(entry)
      },
    }
    const ledger = new Ledger(host)
    const { entry, future } = watched(ledger)
    future.cancel(true)
    ledger.delayed("often", 1)
    await future.stored
    ledger.over(entry)
  })
}

/** A job of another process; the engine is still asked whether it has that id. */
function watched(ledger: Ledger): { readonly entry: JobEntry; readonly future: DistributedFutureTask<unknown> } {
  const clock: unknown = { now: () => 0 }
  const remote = new RemoteJobs(ledger, clock as Connection, (cancelled, interrupt) => {
    cancelled.wish = { interrupt }
  })
  const future = new DistributedFutureTask<unknown>(() => undefined, "often", remote)
  const call = {
    name: "",
    title: "",
    takeStores: undefined,
    args: undefined,
    carrier: undefined,
    call: undefined,
    order: undefined,
    series: undefined,
  }
  const plan = { id: "often", from: "here", role: "watched", future, isNamed: true, delay: 0, ...call } as const
  const entry = new JobEntry(plan, 1)
  const inside: unknown = future
  ;(inside as { [RUN_REMOTELY](host: RemoteJobs, handle: number): void })[RUN_REMOTELY](remote, entry.handle)
  ledger.add(entry)
  entry.place = "sending"
  return { entry, future }
}
