/** How a cancellation travels: the future is done already, or is going to be when the job is over. */
import type { EngineQueue } from "./engine.ts"
import type { JobEntry } from "./job-entry.ts"
import type { Ledger } from "./ledger.ts"

/**
 * Takes the job out if no node has begun it. Otherwise marks it, so that no other node begins it should this one die, and tells the nodes; the one that has
 * it ends it, and the engine tells of that.
 */
export async function cancelOnEngine(entry: JobEntry, queue: EngineQueue, ledger: Ledger): Promise<void> {
  const { id } = entry
  const publish = (): Promise<void> => queue.publish({ kind: "cancel", id, interrupt: entry.wish?.interrupt ?? false })
  // One that runs is told at once, for each way to the engine and back takes a while.
  const isTold = entry.isRunning
  const telling = isTold ? publish() : undefined
  try {
    for (;;) {
      if (!entry.isRunning && (await queue.remove(id))) {
        ledger.cancel(entry, undefined)
        ledger.over(entry)
        return
      }
      const [record] = await queue.find([id])
      if (entry.isOver) return
      if (record === undefined || record.state === "completed" || record.state === "failed") {
        ledger.found(entry, record)
        return
      }
      entry.isRunning = record.state === "active"
      if (!entry.isRunning || !(await queue.update(id, { ...record.data, cancelled: true }))) continue
      if (!isTold) await publish()
      return
    }
  } finally {
    await telling
  }
}
