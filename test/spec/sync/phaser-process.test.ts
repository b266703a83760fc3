/** Phasers and the process they live in. */
import assert from "node:assert/strict"
import test from "node:test"
import { runProgram } from "../../support/child.ts"

test("[PH41] a program that awaits a phaser which another thread knows stays alive", async () => {
  const { code, stdout, stderr } = await runProgram(`
    import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads"
    import { fileURLToPath } from "node:url"
    import { Phaser } from "#src/sync/index.js"
    if (isMainThread) {
      const phaser = new Phaser(2)
      const worker = new Worker(fileURLToPath(import.meta.url), { workerData: phaser })
      worker.unref()
      console.log(await phaser.arriveAndAwaitAdvance())
    } else {
      const phaser = Phaser.from(workerData)
      setTimeout(() => phaser.arrive(), 50)
    }
  `)
  assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: "1\n", stderr: "" })
})

test("[PH41] a program with an idle phaser, shared or not, ends by itself", async () => {
  const ended = await runProgram(`
    import { Phaser } from "#src/sync/index.js"
    const idle = new Phaser(2)
    const shared = new Phaser(2)
    structuredClone(shared)
    shared.arrive()
    await shared.awaitAdvance(0, 1).catch(() => undefined)
    void idle.arriveAndAwaitAdvance()
    console.log("the end")
  `)
  assert.deepEqual(ended, { code: 0, stdout: "the end\n", stderr: "" })
})
