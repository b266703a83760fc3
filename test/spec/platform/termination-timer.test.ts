/** When the owner terminates a worker that it finds in the code of the pool, and how often it looks before. */
import assert from "node:assert/strict"
import test from "node:test"
import { Chores } from "#src/memory/flow/chores.js"
import { BEFORE, DONE } from "#src/platform/memory/layout.js"
import type { SharedWorker } from "#src/platform/memory/workers/shared-worker.js"
import { RUNNING } from "#src/platform/memory/workers/worker-line.js"
import type { TaskRecords } from "#src/platform/memory/task-records.js"
import { TerminationTimer } from "#src/platform/owner/termination-timer.js"
import type { WorkerBody } from "#src/platform/start/thread-body.js"

test("[PL67] a worker that does not get out of the code of the pool is looked at a few times, and then terminated", async () => {
  const body = { options: { terminateAfter: 1 } } as unknown as WorkerBody
  const worker = {
    token: 7,
    currentSlot: 3,
    status: RUNNING,
    asked: 0,
    markTerminating: () => false, // it is not in user code
    markStaying: () => true,
  } as unknown as SharedWorker
  const records = { handleOf: () => 9, slotOf: () => 3, isCurrent: () => true } as unknown as TaskRecords
  let looks = 0
  const alive = setInterval(() => undefined, 1000) // the timer itself does not keep the process alive
  const terminated = await new Promise<readonly WorkerBody[]>((resolve) => {
    const timer: TerminationTimer = new TerminationTimer(
      records,
      () => body,
      new Chores(),
      () => {
        looks++
        const terminating = timer.markTerminating()
        if (terminating.length > 0) resolve(terminating)
      },
    )
    timer.mark(worker)
  })
  clearInterval(alive)
  assert.deepEqual(terminated, [body])
  assert.ok(looks < 30, `${looks}`)
})

test("[PL67] a worker that waits for a hook in the owner's thread is not terminated for that", () => {
  const body = { options: { terminateAfter: 0 } } as unknown as WorkerBody
  let asked: number = BEFORE
  const worker = {
    token: 7,
    currentSlot: 3,
    status: RUNNING,
    get asked() {
      return asked
    },
    markTerminating: () => false,
    markStaying: () => true,
  } as unknown as SharedWorker
  const records = { handleOf: () => 9, slotOf: () => 3, isCurrent: () => true } as unknown as TaskRecords
  const chores = new Chores()
  const timer = new TerminationTimer(
    records,
    () => body,
    chores,
    () => undefined,
  )
  timer.mark(worker)
  const awaitLook = (): readonly WorkerBody[] => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.max(chores.dueIn, 0) + 1)
    return timer.markTerminating()
  }
  for (let look = 0; look < 12; look++) assert.deepEqual(awaitLook(), [])
  asked = DONE
  assert.deepEqual(awaitLook(), [body])
})
