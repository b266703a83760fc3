/** Ids such as [JN3] refer to docs/spec/structured.md. */
import {
  IllegalStateError,
  Joiner,
  NoSuchElementError,
  StructuredTaskScope,
  type Subtask,
  virtualThreads,
  Executors,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf, thrownBy, turns } from "../../support/harness.ts"
import { KINDS, Lab } from "./kinds.ts"
import * as tasks from "./tasks.ts"

for (const kind of KINDS) {
  test(`[JN1] allSuccessfulOrThrow: ${kind.name}`, async () => {
    await using lab = new Lab(kind)
    await using scope = StructuredTaskScope.open(Joiner.allSuccessfulOrThrow<number>(), lab.options)
    const forked = [3, 1, 2].map((n) => scope.fork(tasks.echo<number>, n))
    const joined = await scope.join()
    assert.deepEqual(joined, forked)
    assert.deepEqual(
      joined.map((subtask) => subtask.get()),
      [3, 1, 2],
    )
    await using other = StructuredTaskScope.open(Joiner.allSuccessfulOrThrow(), lab.options)
    other.fork(tasks.hang, lab.begun, lab.stopped)
    other.fork(tasks.fail, "no")
    assert.ok((await rejectionOf(other.join())) instanceof RangeError)
    assert.equal(other.isCancelled, true)
  })

  test(`[JN2] anySuccessfulOrThrow: ${kind.name}`, async () => {
    await using lab = new Lab(kind)
    await using scope = StructuredTaskScope.open(Joiner.anySuccessfulOrThrow<unknown>(), lab.options)
    scope.fork(tasks.hang, lab.begun, lab.stopped)
    await lab.begins(1)
    const failed = scope.fork(tasks.fail, "no")
    await eventually(() => failed.state === "failed")
    scope.fork(tasks.echo, 7)
    assert.equal(await scope.join(), 7)
    assert.deepEqual([scope.isCancelled, lab.stopped.get()], [true, 1])
    await using failing = StructuredTaskScope.open(Joiner.anySuccessfulOrThrow(), lab.options)
    const first = failing.fork(tasks.fail, "first")
    await eventually(() => first.state === "failed")
    failing.fork(tasks.fail, "second")
    assert.equal(((await rejectionOf(failing.join())) as Error).message, "first")
  })

  test(`[JN3] awaitAll: ${kind.name}`, async () => {
    await using lab = new Lab(kind)
    await using scope = StructuredTaskScope.open(Joiner.awaitAll(), lab.options)
    const forked = [scope.fork(tasks.fail, "no"), scope.fork(tasks.echo, 1)]
    await scope.join()
    assert.deepEqual([forked.map(({ state }) => state), scope.isCancelled], [["failed", "success"], false])
  })

  test(`[JN4] awaitAllSuccessfulOrThrow: ${kind.name}`, async () => {
    await using lab = new Lab(kind)
    await using good = StructuredTaskScope.open(Joiner.awaitAllSuccessfulOrThrow(), lab.options)
    const one = good.fork(tasks.echo, 1)
    const text = good.fork(tasks.echo, "1")
    await good.join()
    assert.deepEqual([one.get(), text.get()], [1, "1"])
    await using bad = StructuredTaskScope.open(Joiner.awaitAllSuccessfulOrThrow(), lab.options)
    bad.fork(tasks.fail, "no")
    assert.ok((await rejectionOf(bad.join())) instanceof RangeError)
  })

  test(`[JN5] allUntil: ${kind.name}`, async () => {
    await using lab = new Lab(kind)
    let failures = 0
    const twoFailures = Joiner.allUntil(({ state }) => state === "failed" && ++failures === 2)
    await using scope = StructuredTaskScope.open(twoFailures, lab.options)
    scope.fork(tasks.hang, lab.begun, lab.stopped)
    await lab.begins(1)
    scope.fork(tasks.fail, "1")
    scope.fork(tasks.fail, "2")
    const joined = await scope.join()
    assert.deepEqual(
      joined.map(({ state }) => state),
      ["unavailable", "failed", "failed"],
    )
    assert.equal(lab.stopped.get(), 1)
  })

  test(`[JN6] an object of the program decides: ${kind.name}`, async () => {
    await using lab = new Lab(kind)
    const seen: string[] = []
    const results: number[] = []
    const joiner: Joiner<number, number> = {
      onFork: ({ state }) => {
        seen.push(`fork ${state}`)
      },
      onComplete: (subtask) => {
        seen.push(`complete ${subtask.state}`)
        results.push(subtask.get())
        return results.length === 2
      },
      result: () => results.reduce((sum, n) => sum + n, 0),
    }
    await using scope = StructuredTaskScope.open(joiner, lab.options)
    scope.fork(tasks.echo<number>, 1)
    await eventually(() => results.length === 1)
    scope.fork(tasks.echo<number>, 2)
    await eventually(() => scope.isCancelled)
    scope.fork(tasks.echo<number>, 3)
    assert.equal(await scope.join(), 3)
    assert.deepEqual(seen, [
      "fork unavailable",
      "complete success",
      "fork unavailable",
      "complete success",
      "fork unavailable",
    ])
  })
}

test("[JN2] anySuccessfulOrThrow of no forks has no element", async () => {
  await using scope = StructuredTaskScope.open(Joiner.anySuccessfulOrThrow())
  assert.ok((await rejectionOf(scope.join())) instanceof NoSuchElementError)
})

test("[JN6] onFork may cancel the scope; only `true` counts", async () => {
  const answers: unknown[] = [1, "true", {}, true]
  let runs = 0
  const joiner = { onFork: () => answers.shift(), onComplete: () => "yes", result: () => "over" }
  await using scope = StructuredTaskScope.open(joiner)
  const forked = [1, 2, 3, 4].map(() => scope.fork(() => ++runs))
  assert.equal(scope.isCancelled, true)
  assert.equal(await scope.join(), "over")
  assert.equal(forked[3]?.state, "unavailable")
  await using calm = StructuredTaskScope.open({ onComplete: () => "yes", result: async () => "later" })
  calm.fork(() => 1)
  const text: string = await calm.join()
  assert.deepEqual([text, calm.isCancelled], ["later", false])
})

test("[JN7] what onFork throws, fork() throws, and nothing starts", async () => {
  const error = { strange: true }
  let hasRun = false
  await using scope = StructuredTaskScope.open({
    onFork() {
      throw error // oxlint-disable-line typescript/only-throw-error -- joiners may throw anything
    },
    onComplete: () => false,
    result: () => 1,
  })
  assert.equal(
    thrownBy(() => scope.fork(() => (hasRun = true))),
    error,
  )
  assert.equal(await scope.join(), 1)
  await turns()
  assert.equal(hasRun, false)
})

test("[JN7] what onComplete throws is an uncaught error of the thread, and the scope goes on", async () => {
  const uncaught: unknown[] = []
  const threads = virtualThreads({ uncaughtException: (_, error) => uncaught.push(error) })
  await using pool = Executors.newFixedThreadPool(2, threads)
  const errors: unknown[] = [undefined, "text"]
  const joiner = {
    onComplete(subtask: Subtask<number>): Promise<never> | void {
      if (subtask.get() === 2) return Promise.reject(new Error("later"))
      throw errors[subtask.get()]
    },
    result: () => "over",
  }
  await using scope = StructuredTaskScope.open(joiner, { executor: pool })
  for (const n of [0, 1, 2]) scope.fork(() => n)
  assert.equal(await scope.join(), "over")
  await eventually(() => uncaught.length === 3)
  assert.deepEqual(uncaught.slice(0, 2), errors)
})

test("[JN7] what result() throws, join() throws", async () => {
  for (const error of [undefined, "text", new Error("no")]) {
    await using scope = StructuredTaskScope.open({
      onComplete: () => false,
      result() {
        throw error // oxlint-disable-line typescript/only-throw-error -- joiners may throw anything
      },
    })
    assert.equal(await rejectionOf(scope.join()), error)
  }
})

test("[JN7] a joiner that calls back into its scope harms no other fork", async () => {
  const answers: string[] = []
  const scope: StructuredTaskScope<number, string> = StructuredTaskScope.open({
    onComplete(): void {
      for (const call of [() => scope.fork(() => 1), () => scope.join(), () => scope.close()]) {
        try {
          const pending: unknown = call()
          if (pending instanceof Promise) pending.catch((error: unknown) => answers.push((error as Error).name))
        } catch (error) {
          answers.push((error as Error).name)
        }
      }
    },
    result: () => "over",
  })
  scope.fork(() => 1)
  assert.equal(await scope.join(), "over")
  await scope.close()
  assert.deepEqual(answers, ["IllegalStateError", "IllegalStateError", "IllegalStateError"])
})

test("[JN8] a ready joiner belongs to one scope", async () => {
  const joiner = Joiner.allSuccessfulOrThrow<number>()
  await using first = StructuredTaskScope.open(joiner)
  first.fork(() => 1)
  await first.join()
  await using second = StructuredTaskScope.open(joiner)
  assert.ok(thrownBy(() => second.fork(() => 2)) instanceof IllegalStateError)
})
