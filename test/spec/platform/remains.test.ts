/** What a dead worker had in its hands. Ids such as [PL59] refer to docs/spec/platform.md. */
import { BY_ARRIVAL } from "#src/platform/memory/layout.js"
import { PoolMemory } from "#src/platform/memory/pool-memory.js"
import { DeadWorker } from "#src/platform/owner/dead-worker.js"
import { SharedWorkerTable } from "#src/platform/memory/workers/shared-worker-table.js"
import { TaskRecords } from "#src/platform/memory/task-records.js"
import assert from "node:assert/strict"
import test from "node:test"

/** The links of slots 2 and 3 make no list: back to one of its own, to itself, or to what is no slot, as the token of a thread. */
for (const [title, links] of Object.entries({
  "lead in a circle": [3, 2],
  "lead to themselves": [2, 3],
  "lead to no slot": [3, 2 ** 30 + 1],
})) {
  test(`[PL59] each task of a dead worker is found once, if links ${title}`, () => {
    const memory = PoolMemory.create(-1, BY_ARRIVAL, 1)
    const tasks = new TaskRecords(memory)
    const slots = [1, 2, 3].map(() => tasks.slotOf(tasks.take(1, 0, 0)))
    assert.deepEqual(slots, [1, 2, 3])
    const worker = new SharedWorkerTable(memory, () => undefined).at(1)
    tasks.setLink(1, 2)
    tasks.setLink(2, links[0] as number)
    tasks.setLink(3, links[1] as number)
    worker.below = 1
    worker.beside = 3
    assert.deepEqual([...new DeadWorker(worker).heldTasks(worker, tasks, () => true)], [1, 2, 3])
  })
}
