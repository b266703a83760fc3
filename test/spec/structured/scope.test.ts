/** Scopes on all kinds of threads. Ids such as [SS3] refer to docs/spec/structured.md. */
import { IllegalStateError, InterruptedError, Joiner, StructuredTaskScope, Thread, TimeoutError } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf, thrownBy, turns } from "../../support/harness.ts"
import { inThread, KINDS, Lab } from "./kinds.ts"
import * as tasks from "./tasks.ts"

for (const kind of KINDS) {
  test(`[SS1] all forks succeed: ${kind.name}`, async () => {
    await using lab = new Lab(kind)
    await using scope = StructuredTaskScope.open(undefined, lab.options)
    const one = scope.fork(tasks.echo, 1)
    const two = scope.fork(tasks.echo, "two")
    assert.equal(one.state, "unavailable")
    await scope.join()
    assert.deepEqual([one.state, one.get(), two.get(), scope.isCancelled], ["success", 1, "two", false])
  })

  test(`[SS2] the first failure cancels the others, and is thrown: ${kind.name}`, async () => {
    await using lab = new Lab(kind)
    await using scope = StructuredTaskScope.open(undefined, lab.options)
    const hanging = [scope.fork(tasks.hang, lab.begun, lab.stopped), scope.fork(tasks.hang, lab.begun, lab.stopped)]
    await lab.begins(2)
    const failing = scope.fork(tasks.fail, "no")
    const error = await rejectionOf(scope.join())
    assert.ok(error instanceof RangeError && error.message === "no")
    assert.equal(lab.stopped.get(), 2)
    assert.deepEqual(
      hanging.map(({ state }) => state),
      ["unavailable", "unavailable"],
    )
    assert.deepEqual([failing.state, failing.exception, scope.isCancelled], ["failed", error, true])
  })

  test(`[SS3] join() waits for a fork that does not stop when it is cancelled: ${kind.name}`, async () => {
    await using lab = new Lab(kind)
    await using scope = StructuredTaskScope.open(undefined, lab.options)
    const persisting = scope.fork(tasks.persist, lab.begun, lab.stopped, lab.latch)
    await lab.begins(1)
    scope.fork(tasks.fail, "no")
    let isOver = false
    const joining = rejectionOf(scope.join()).finally(() => (isOver = true))
    await eventually(() => lab.stopped.get() === 1)
    await turns()
    assert.equal(isOver, false)
    lab.latch.countDown()
    assert.ok((await joining) instanceof RangeError)
    assert.equal(persisting.state, "unavailable")
  })

  test(`[SS7] when time is up, the forks are cancelled, and join() throws: ${kind.name}`, async () => {
    await using lab = new Lab(kind)
    await using scope = StructuredTaskScope.open(Joiner.awaitAll(), { ...lab.options, timeout: 1 })
    const forked = scope.fork(tasks.hang, lab.begun, lab.stopped)
    assert.ok((await rejectionOf(scope.join())) instanceof TimeoutError)
    assert.deepEqual([forked.state, scope.isCancelled], ["unavailable", true])
    assert.equal(lab.stopped.get(), lab.begun.get())
  })

  test(`[SS8] an interrupt of the owner reaches all forks, and theirs: ${kind.name}`, async () => {
    await using lab = new Lab(kind)
    const owner = inThread(async () => {
      await using scope = StructuredTaskScope.open(undefined, lab.options)
      scope.fork(tasks.nest, lab.begun, lab.stopped)
      scope.fork(tasks.hang, lab.begun, lab.stopped)
      assert.ok((await rejectionOf(scope.join())) instanceof InterruptedError)
      assert.equal(lab.stopped.get(), 3)
    })
    await lab.begins(3)
    owner.interrupt()
    await owner.over
  })

  test(`[SS9] close() without join() cancels, awaits, and is an error: ${kind.name}`, async () => {
    await using lab = new Lab(kind)
    const scope = StructuredTaskScope.open(undefined, lab.options)
    scope.fork(tasks.hang, lab.begun, lab.stopped)
    await lab.begins(1)
    const error = await rejectionOf(scope.close())
    assert.ok(error instanceof IllegalStateError)
    assert.match(error.message, /without join/)
    assert.deepEqual([lab.stopped.get(), scope.isCancelled], [1, true])
    await scope.close()
  })

  test(`[SS11] a fork that leaves a scope open fails, and the scope is cancelled: ${kind.name}`, async () => {
    await using lab = new Lab(kind)
    for (const own of ["", "own error"]) {
      lab.begun.set(0)
      lab.stopped.set(0)
      await using scope = StructuredTaskScope.open(undefined, lab.options)
      scope.fork(tasks.leave, lab.begun, lab.stopped, own)
      const error = await rejectionOf(scope.join())
      assert.equal(error instanceof IllegalStateError, own === "")
      assert.match((error as Error).message, own === "" ? /still open/ : /own error/)
      assert.equal(lab.stopped.get(), 1)
    }
  })

  test(`[SS12] the scope does not shut its executor down: ${kind.name}`, async () => {
    await using lab = new Lab(kind)
    for (let round = 0; round < 3; round++) {
      await using scope = StructuredTaskScope.open(Joiner.anySuccessfulOrThrow<number>(), lab.options)
      scope.fork(tasks.echo, round)
      assert.equal(await scope.join(), round)
    }
    assert.equal(lab.executor?.isShutdown ?? false, false)
  })
}

test("[SS4] a scope takes no forks after join() or close(), and is joined once", async () => {
  const scope = StructuredTaskScope.open()
  const one = scope.fork(() => 1)
  const joining = scope.join()
  assert.match((thrownBy(() => scope.fork(() => 2)) as Error).message, /after join/)
  assert.ok((await rejectionOf(scope.join())) instanceof IllegalStateError)
  await joining
  assert.ok(thrownBy(() => scope.fork(() => 2)) instanceof IllegalStateError)
  assert.match(((await rejectionOf(scope.join())) as Error).message, /once/)
  await scope.close()
  assert.match((thrownBy(() => scope.fork(() => 2)) as Error).message, /after close/)
  assert.match(((await rejectionOf(scope.join())) as Error).message, /after close/)
  assert.equal(one.get(), 1)
})

test("[SS5] only the flow that has opened a scope may fork, join and close it", async () => {
  await using scope = StructuredTaskScope.open()
  const tried = scope.fork(async () => [
    thrownBy(() => scope.fork(() => 1)),
    await rejectionOf(scope.join()),
    await rejectionOf(scope.close()),
  ])
  await scope.join()
  for (const error of tried.get()) {
    assert.ok(error instanceof IllegalStateError)
    assert.match(error.message, /by another thread/)
  }
})

test("[SS6] the owner sees outcomes after join(), and each only if it is there", async () => {
  await using scope = StructuredTaskScope.open(Joiner.awaitAll())
  const good = scope.fork(() => 1)
  const bad = scope.fork(() => tasks.fail("no"))
  await eventually(() => bad.state === "failed")
  assert.match((thrownBy(() => good.get()) as Error).message, /before join/)
  assert.match((thrownBy(() => bad.exception) as Error).message, /before join/)
  await scope.join()
  assert.equal(good.get(), 1)
  assert.ok(bad.exception instanceof RangeError)
  assert.match((thrownBy(() => good.exception) as Error).message, /has no exception: its state is "success"/)
  assert.match((thrownBy(() => bad.get()) as Error).message, /has no result: its state is "failed"/)
})

test("[SS7] a limit of zero or less is up at once; a limit counts until join()", async () => {
  for (const timeout of [0, -1]) {
    await using scope = StructuredTaskScope.open(undefined, { timeout })
    assert.equal(scope.fork(() => 1).state, "unavailable")
    assert.ok((await rejectionOf(scope.join())) instanceof TimeoutError)
  }
  await using late = StructuredTaskScope.open(undefined, { timeout: 1 })
  const done = late.fork(() => 1)
  await eventually(() => late.isCancelled)
  assert.ok((await rejectionOf(late.join())) instanceof TimeoutError)
  assert.equal(done.get(), 1)
})

test("[SS8] join() of a thread that is interrupted already cancels the scope", async () => {
  await inThread(async () => {
    await using scope = StructuredTaskScope.open()
    const sleeping = scope.fork(() => Thread.sleep(1e9))
    Thread.currentThread().interrupt()
    assert.ok((await rejectionOf(scope.join())) instanceof InterruptedError)
    assert.deepEqual([scope.isCancelled, sleeping.state, Thread.interrupted()], [true, "unavailable", false])
  }).over
})

test("[SS8] close() waits also if its thread is interrupted, and leaves the flag", async () => {
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  let isClosing = false
  let isOver = false
  const thread = inThread(async () => {
    const scope = StructuredTaskScope.open()
    let hasBegun = false
    scope.fork(() => {
      hasBegun = true
      return held
    })
    await eventually(() => hasBegun)
    isClosing = true
    await rejectionOf(scope.close())
    isOver = true
    assert.equal(Thread.interrupted(), true)
  })
  await eventually(() => isClosing)
  thread.interrupt()
  await turns()
  assert.equal(isOver, false)
  release()
  await thread.over
  assert.equal(isOver, true)
})

test("[SS9] close() without forks, after join() and a second time is no error", async () => {
  const empty = StructuredTaskScope.open()
  await empty.close()
  await empty.close()
  const joined = StructuredTaskScope.open()
  joined.fork(() => 1)
  await joined.join()
  await joined.close()
  assert.equal(joined.isCancelled, false)
})

test("[SS9] a block that is left by an error is not left by its forks", async () => {
  let isInterrupted = false
  const block = async (): Promise<void> => {
    await using scope = StructuredTaskScope.open()
    scope.fork(async () => {
      await Thread.sleep(1e9).catch(() => (isInterrupted = true))
    })
    await turns()
    throw new RangeError("left")
  }
  const error = (await rejectionOf(block())) as Error & { suppressed?: unknown }
  assert.ok(error.suppressed instanceof RangeError)
  assert.equal(isInterrupted, true)
})

test("[SS10] after the scope is cancelled forks do not start", async () => {
  await using scope = StructuredTaskScope.open(Joiner.anySuccessfulOrThrow<number>())
  const first = scope.fork(() => 1)
  await eventually(() => scope.isCancelled)
  let hasRun = false
  const late = scope.fork(() => {
    hasRun = true
    return 2
  })
  assert.equal(await scope.join(), 1)
  await turns()
  assert.deepEqual([first.state, late.state, hasRun], ["success", "unavailable", false])
  assert.match((thrownBy(() => late.get()) as Error).message, /has no result: it is not complete/)
})

test("[SS16] wrong arguments are refused", () => {
  const wrong = [
    () => StructuredTaskScope.open({} as never),
    () => StructuredTaskScope.open(null as never),
    () => StructuredTaskScope.open(undefined, { executor: {} as never }),
    () => StructuredTaskScope.open(undefined, { timeout: "1" as never }),
    () => StructuredTaskScope.open(undefined, { name: 1 as never }),
    () => StructuredTaskScope.open(undefined, { timeOut: 1 } as never),
    () => StructuredTaskScope.open().fork(1 as never),
    () => new (StructuredTaskScope as unknown as new () => unknown)(),
    () => Joiner.allUntil(1 as never),
  ]
  for (const call of wrong) assert.ok(thrownBy(call) instanceof TypeError, String(call))
})

test("[SS17] virtual threads of forks have the name of the scope", async () => {
  await using scope = StructuredTaskScope.open(undefined, { name: "page" })
  const names = [1, 2].map(() => scope.fork(() => Thread.currentThread().name))
  await scope.join()
  assert.deepEqual(
    names.map((name) => name.get()),
    ["page-1", "page-2"],
  )
  assert.equal(scope.name, "page")
})
