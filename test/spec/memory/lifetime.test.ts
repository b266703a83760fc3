import assert from "node:assert/strict"
import { test } from "node:test"
import { runProgram } from "../../support/child.ts"
import { requireTermination } from "../../support/termination.ts"
import { requireMemoryLimits } from "../../support/memory-limits.ts"
import { canSeeThreads } from "../../support/sleeping-threads.ts"

const SLEEPING_THREADS = new URL("../../support/sleeping-threads.js", import.meta.url).href

/** A program that is main thread and worker in one: `main` and `worker` are bodies of asynchronous functions. */
function twoThreads(main: string, worker: string): string {
  return `
    import { CountDownLatch, ReentrantLock, Semaphore } from "corepool"
    import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads"
    const start = (data) => new Worker(new URL(import.meta.url), { workerData: data })
    const heard = (worker) => new Promise((resolve) => worker.once("message", resolve))
    if (isMainThread) { ${main} } else { ${worker} }
  `
}

const HOLD_BRIEFLY = `
  const lock = ReentrantLock.from(workerData)
  lock.lockSync()
  parentPort.postMessage("held")
  setTimeout(() => { lock.unlock() }, 50)
`

test("[MM6] a program that awaits a lock held by a worker stays alive until it gets it", async () => {
  const { code, stdout } = await runProgram(
    twoThreads(
      `const lock = new ReentrantLock()
       const worker = start(lock)
       await heard(worker)
       worker.unref() // it alone would not keep the program alive
       await lock.lock()
       console.log("got it")`,
      HOLD_BRIEFLY,
    ),
  )
  assert.deepEqual({ code, stdout }, { code: 0, stdout: "got it\n" })
})

test("[MM6] so does one that shares the lock only after it has begun to wait", async () => {
  const { code, stdout } = await runProgram(
    twoThreads(
      `const gate = new Semaphore(0)
       gate.acquire().then(() => console.log("got it"))
       start(gate).unref()`,
      `setTimeout(() => Semaphore.from(workerData).release(), 50)`,
    ),
  )
  assert.deepEqual({ code, stdout }, { code: 0, stdout: "got it\n" })
})

test("[MM6] a worker that awaits what the main thread will give stays alive", async () => {
  const { code, stdout } = await runProgram(
    twoThreads(
      `const gate = new Semaphore(0)
       const worker = start(gate)
       await heard(worker)
       setTimeout(() => gate.release(), 50)
       worker.once("message", console.log)`,
      `parentPort.postMessage("waiting")
       await Semaphore.from(workerData).acquire()
       parentPort.postMessage("got it")`,
    ),
  )
  assert.deepEqual({ code, stdout }, { code: 0, stdout: "got it\n" })
})

test("[MM7] a program with idle locks ends by itself, also if it holds them and has shared them", async () => {
  const { code } = await runProgram(
    twoThreads(
      `const [lock, latch] = [new ReentrantLock(), new CountDownLatch(3)]
       await lock.lock()
       await heard(start({ lock, latch }))`,
      `CountDownLatch.from(workerData.latch).countDown()
       parentPort.postMessage(ReentrantLock.from(workerData.lock).isLocked)`,
    ),
  )
  assert.equal(code, 0)
})

test("[MM7] a wait for what no other thread knows of keeps nothing alive", async () => {
  const { stdout } = await runProgram(`
    import { CountDownLatch } from "corepool"
    new CountDownLatch(1).await().then(() => console.log("never"))
    console.log("end")
  `)
  assert.equal(stdout, "end\n")
})

test("[MM5] threads that wait sleep", async (t) => {
  if (!canSeeThreads(t)) return
  const { code, stdout, stderr } = await runProgram(
    twoThreads(
      `const { threadNumbers, untilAsleep } = await import(${JSON.stringify(SLEEPING_THREADS)})
       const lock = new ReentrantLock()
       await lock.lock()
       const earlier = threadNumbers()
       const [blocked, awaiting] = [start({ lock, block: true }), start({ lock, block: false })]
       await Promise.all([heard(blocked), heard(awaiting)])
       while (lock.queueLength < 2) await new Promise((resolve) => setTimeout(resolve, 5))
       await untilAsleep(earlier)
       console.log("asleep")
       lock.unlock()`,
      `const lock = ReentrantLock.from(workerData.lock)
       parentPort.postMessage("ready")
       if (workerData.block) lock.lockSync()
       else await lock.lock()
       lock.unlock()`,
    ),
  )
  assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: "asleep\n", stderr: "" })
})

for (const [way, end] of [
  ["returns", ""],
  ["calls process.exit", "process.exit(7)"],
  ["throws", "throw new Error('on purpose')"],
  ["runs out of memory", "const hoard = []; for (;;) hoard.push(new Array(100_000).fill(hoard.length))"],
  ["is terminated", "parentPort.postMessage('kill me'); setInterval(() => undefined, 1000)"],
  ["is terminated while it computes", "parentPort.postMessage('kill me'); for (;;);"],
]) {
  test(`[MM8] a lock whose holder ${way} goes to the next, who is told`, async () => {
    if (way === "runs out of memory") await requireMemoryLimits()
    if (way === "is terminated while it computes") await requireTermination()
    const { code, stdout } = await runProgram(
      twoThreads(
        `const lock = new ReentrantLock()
         const worker = new Worker(new URL(import.meta.url), { workerData: lock, stderr: true, resourceLimits: { maxOldGenerationSizeMb: 32 } })
         worker.on("error", () => undefined)
         worker.on("message", (word) => { if (word === "kill me") void worker.terminate() })
         await heard(worker)
         await lock.lock()
         console.log(lock.wasAbandoned)
         lock.unlock()
         await lock.lock()
         console.log(lock.wasAbandoned)`,
        `const lock = ReentrantLock.from(workerData)
         lock.lockSync()
         parentPort.postMessage("held")
         setTimeout(() => { ${end ?? ""} }, 20)`,
      ),
    )
    assert.deepEqual({ code, stdout }, { code: 0, stdout: "true\nfalse\n" })
  })
}

test("[MM9] the child of a worker that dies is dead too", async () => {
  const { code, stdout } = await runProgram(
    twoThreads(
      `const lock = new ReentrantLock()
       const worker = start({ lock, child: false })
       await heard(worker)
       void worker.terminate()
       await lock.lock()
       console.log(lock.wasAbandoned)`,
      `const lock = ReentrantLock.from(workerData.lock)
       if (workerData.child) {
         lock.lockSync()
         parentPort.postMessage("held")
         setInterval(() => undefined, 1000)
       } else {
         await heard(start({ lock, child: true }))
         parentPort.postMessage("held")
         setInterval(() => undefined, 1000)
       }`,
    ),
  )
  assert.deepEqual({ code, stdout }, { code: 0, stdout: "true\n" })
})
