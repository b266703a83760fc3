/** The life of a worker thread: it runs the loop of the pool until it may leave. */
import { KeepAlive } from "../memory/keep-alive.ts"
import { PoolCore } from "../pool/pool-core.ts"
import { Thread } from "../thread/thread.ts"
import { Boxes } from "./boxes.ts"
import { FunctionTable } from "./function-table.ts"
import { PoolMemory } from "./pool-memory.ts"
import { SharedRoster } from "./shared-roster.ts"
import { SlotRunner } from "./slot-runner.ts"
import { TaskRecords } from "./task-records.ts"
import type { Orders } from "./thread-body.ts"
import { WorkRing } from "./work-ring.ts"

export async function work({ pool, worker: number, name, id, preload }: Orders): Promise<void> {
  Thread.adoptMain(name, id)
  // An idle worker awaits its bell, which keeps nothing alive.
  new KeepAlive().hold({})
  const memory = PoolMemory.open(pool)
  const roster = new SharedRoster(memory, () => memory.ringOwner())
  const self = roster.at(number)
  for (const module of preload) await import(module)
  self.begin()
  const tasks = new TaskRecords(memory)
  const boxes = new Boxes(memory, tasks)
  const host = new SlotRunner(memory, tasks, boxes, new FunctionTable(memory.texts), roster, self)
  const core = new PoolCore<number>(memory.state, new WorkRing(memory, self.claim), host, roster)
  let code = 0
  try {
    await core.run(self)
  } catch {
    code = 1 // a command has thrown, which its submitter has been told
  }
  process.exit(code)
}
