/** Contract of every ExecutorService: tasks, their futures and their errors. */
import { FutureTask, TaskNotPortableError } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { wrong } from "../../spec/executor/support.ts"
import { eventually, rejectionOf, turns } from "../../support/harness.ts"
import type { Uncaught } from "../../support/pools.ts"
import { ContractLab } from "./lab.ts"
import { alive, giveNull, giveUndefined, join, one, rejectUnseen, throwUndefined } from "./simple-tasks.ts"
import { type ExecutorUnderTest, needs } from "./subject.ts"

export function testTasks(subject: ExecutorUnderTest): void {
  const { name } = subject

  test(`[ES1] ${name}: a submitted task gets its arguments, and its future what it returned`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.executor()
    const value = { list: [1], when: new Date(0) }
    assert.equal(await executor.submit(join, 1, "x"), "x1")
    lab.work.assertArrived(await executor.submit(lab.work.returning(value)), value)
    assert.equal(await executor.submit(giveUndefined).get(), undefined)
    assert.equal(await executor.submit(giveNull).get(), null)
    const future = executor.submit(one)
    await future.get()
    assert.deepEqual([future.isDone, future.isCancelled, future.state, future.resultNow()], [true, false, "success", 1])
  })

  test(`[ES2] ${name}: a task is over when it ends, or its promise does`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.executor()
    const gate = lab.work.gate("late")
    const future = executor.submit(gate.body)
    await gate.entered()
    assert.equal(await gate.noticed(), 0)
    assert.equal(future.state, "running")
    gate.open()
    assert.equal(await future, "late")
  })

  test(`[ES3] ${name}: what a submitted task throws or rejects with is in its future, as it is`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.executor()
    const error = Object.assign(new RangeError("own"), { code: "E_OWN" })
    const thrown = executor.submit(lab.work.throwing(error))
    const rejected = executor.submit(lab.work.rejecting(error))
    const oddity = executor.submit(throwUndefined)
    lab.work.assertArrived(await rejectionOf(thrown), error)
    lab.work.assertArrived(await rejectionOf(rejected.get()), error)
    assert.equal(await rejectionOf(oddity), undefined)
    assert.deepEqual([thrown.state, rejected.state, oddity.state], ["failed", "failed", "failed"])
    assert.equal(thrown.exceptionNow(), await rejectionOf(thrown))
    assert.equal(await executor.submit(alive), "alive")
  })

  test(`[ES4] ${name}: a failed future that nobody looks at disturbs nobody`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.executor()
    const thread = await executor.submit(lab.work.threadName)
    const unhandled: unknown[] = []
    const listen = (reason: unknown): number => unhandled.push(reason)
    process.on("unhandledRejection", listen)
    try {
      const future = executor.submit(rejectUnseen)
      await eventually(() => future.isDone)
      await turns()
      // A platform thread ends if there is something unhandled. If there is but one, it is still the same.
      const next = await executor.submit(lab.work.threadName)
      if (!lab.work.sharesObjects && subject.threads === 1) assert.equal(next, thread)
    } finally {
      process.off("unhandledRejection", listen)
    }
    assert.deepEqual(unhandled, [])
    assert.deepEqual(lab.takeUncaught(), [])
  })

  test(`[ES5] ${name}: execute runs a function with its arguments, and gives nothing`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.executor()
    const notes = lab.work.notes()
    const execute = executor.execute.bind(executor) as (command: unknown, ...args: unknown[]) => unknown
    assert.equal(execute(...notes.call("function")), undefined)
    await eventually(() => notes.texts.length === 1)
    const future = new FutureTask(notes.task("future"))
    assert.equal(execute(future), undefined)
    await future
    assert.deepEqual(notes.texts, ["function", "future"])
  })

  test(`[ES5] ${name}: execute runs an object's run method, unless the object belongs to another thread`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.executor()
    const seen: unknown[] = []
    const runnable = {
      run(): void {
        seen.push(this)
      },
    }
    if (lab.work.sharesObjects) {
      executor.execute(runnable)
      await eventually(() => seen.length === 1)
      assert.deepEqual(seen, [runnable])
    } else {
      assert.throws(() => executor.execute(runnable), TaskNotPortableError)
      assert.equal(await executor.submit(alive), "alive")
    }
  })

  test(
    `[ES6] ${name}: an executed command's error goes to its thread's handler, once, and the executor lives on`,
    needs(subject, "handler"),
    async () => {
      await using lab = new ContractLab(subject)
      const executor = await lab.open()
      executor.execute(lab.work.throwingItsThread)
      executor.execute(lab.work.rejecting(new Error("rejected")))
      assert.equal(await executor.submit(alive), "alive")
      const uncaught: Uncaught[] = []
      await eventually(() => uncaught.push(...lab.takeUncaught()) >= 2)
      await executor.close()
      uncaught.push(...lab.takeUncaught())
      const [{ thread, error }, ...others] = uncaught.toSorted(
        (a, b) => Number(messageOf(a) === "rejected") - Number(messageOf(b) === "rejected"),
      ) as [Uncaught]
      assert.equal((error as Error).message, thread.name)
      assert.deepEqual(others.map(messageOf), ["rejected"])
    },
  )

  test(`[ES7] ${name}: nothing runs inside the call of submit or execute`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.open()
    const notes = lab.work.notes()
    {
      using _held = lab.work.holdThreads()
      executor.submit(notes.task("submitted"))
      executor.execute(notes.task("executed"))
      assert.deepEqual(notes.texts, [])
    }
    await eventually(() => notes.texts.length === 2)
  })

  test(`[ES8] ${name}: what is no task is a TypeError, and nothing comes of it`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.executor()
    for (const value of [null, undefined, 1, "run", {}]) {
      assert.throws(() => executor.submit(wrong(value)), TypeError)
      assert.throws(() => executor.execute(wrong(value)), TypeError)
    }
    assert.throws(() => executor.submit(wrong({ run() {} })), TypeError)
    assert.equal(await executor.submit(alive), "alive")
  })

  test(`[ES9] ${name}: a task sees what was done before its submission, and who saw it done sees what it did`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.executor()
    const cell = lab.work.cell()
    for (let round = 0; round < 3; round++) {
      cell.value = 10 * round
      const future = executor.submit(cell.increment)
      await eventually(() => future.isDone)
      assert.deepEqual([future.resultNow(), cell.value], [10 * round, 10 * round + 1])
    }
  })

  test(`[ES10] ${name}: a task can submit to the executor it runs in`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.executor()
    const notes = lab.work.notes()
    await executor.submit(lab.work.submittingTo(executor, notes, "inner"))
    await eventually(() => notes.texts.length === 1)
    assert.deepEqual(notes.texts, ["inner"])
  })

  test(`[ES18] ${name}: no more tasks run at once than there are threads, and all run in the end`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.executor()
    const gate = lab.work.gate("done")
    const count = lab.work.many
    const threads = Math.min(subject.threads, count)
    const futures = Array.from({ length: count }, () => executor.submit(gate.body))
    await gate.entered(threads)
    await gate.noticed()
    gate.open()
    for (const future of futures) assert.equal(await future, "done")
    assert.deepEqual([gate.entries, gate.most], [count, threads])
  })

  test(
    `[ES19] ${name}: what waits for a thread starts in the order in which it came`,
    needs(subject, "queue", "order"),
    async () => {
      await using lab = new ContractLab(subject)
      const executor = await lab.executor()
      const others = lab.work.gate()
      await lab.occupy(executor, others, subject.threads - 1)
      const gate = lab.work.gate()
      await lab.occupy(executor, gate, 1)
      const notes = lab.work.notes()
      const texts = ["1", "2", "3", "4", "5"]
      const futures = texts.map((text) => executor.submit(notes.task(text)))
      await gate.noticed()
      assert.deepEqual(notes.texts, [])
      gate.open() // one thread is enough, and if there were two, nobody could tell which of them began first
      await Promise.all(futures)
      assert.deepEqual(notes.texts, texts)
    },
  )
}

function messageOf({ error }: Uncaught): string {
  return (error as Error).message
}
