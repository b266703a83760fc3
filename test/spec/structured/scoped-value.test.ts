/** Ids such as [SV3] refer to docs/spec/structured.md. */
import {
  Executors,
  IllegalStateError,
  Joiner,
  NoSuchElementError,
  NotSerializableError,
  ScopedValue,
  StructuredTaskScope,
  Thread,
  virtualThreads,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf, thrownBy, turns } from "../../support/harness.ts"
import { KINDS, Lab } from "./kinds.ts"
import * as tasks from "./tasks.ts"
import { named, several, user } from "./tasks.ts"

test("[SV1] a value that is bound, and one that is not", () => {
  const value = ScopedValue.newInstance<number | undefined>()
  assert.equal(value.isBound, false)
  assert.ok(thrownBy(() => value.get()) instanceof NoSuchElementError)
  assert.equal(value.orElse(1), 1)
  const error = new RangeError("none")
  assert.equal(
    thrownBy(() => value.orElseThrow(() => error)),
    error,
  )
  for (const bound of [7, undefined]) {
    const result = ScopedValue.where(value, bound).call(() => {
      assert.deepEqual([value.isBound, value.get(), value.orElse(1)], [true, bound, bound])
      return value.orElseThrow(() => error)
    })
    assert.equal(result, bound)
  }
  assert.equal(value.isBound, false)
  assert.match((thrownBy(() => named.get()) as Error).message, /^ScopedValue test of scopes is not bound/)
})

test("[SV2] a binding holds across awaits, for its own flow alone, and ends with the function", async () => {
  const value = ScopedValue.newInstance<string>()
  const seen = async (name: string): Promise<string[]> =>
    await ScopedValue.where(value, name).run(async () => {
      const first = value.get()
      await turns()
      return [first, value.get(), await new Promise<string>((resolve) => setTimeout(() => resolve(value.get()), 1))]
    })
  assert.deepEqual(await Promise.all([seen("a"), seen("b")]), [
    ["a", "a", "a"],
    ["b", "b", "b"],
  ])
  assert.equal(value.isBound, false)
  const error = new Error("no")
  assert.equal(
    thrownBy(() =>
      ScopedValue.where(value, "c").run(() => {
        throw error
      }),
    ),
    error,
  )
  assert.equal(value.isBound, false)
})

test("[SV3] bindings nest; several are bound together, and the later one counts", () => {
  const [a, b] = [ScopedValue.newInstance<string>(), ScopedValue.newInstance<number>()]
  const outer = ScopedValue.where(a, "a").where(b, 1).where(a, "A")
  for (let round = 0; round < 2; round++) {
    outer.run(() => {
      assert.deepEqual([a.get(), b.get()], ["A", 1])
      ScopedValue.where(b, 2).run(() => assert.deepEqual([a.get(), b.get()], ["A", 2]))
      assert.deepEqual([a.get(), b.get()], ["A", 1])
    })
  }
})

for (const kind of KINDS) {
  test(`[SV4] forks inherit bindings, and so do forks of forks: ${kind.name}`, async () => {
    await using lab = new Lab(kind)
    const seen = await ScopedValue.where(user, "Ada")
      .where(named, { deep: [1n] })
      .run(async () => {
        await using scope = StructuredTaskScope.open(Joiner.allSuccessfulOrThrow<unknown>(), lab.options)
        scope.fork(tasks.whoIsIt)
        scope.fork(tasks.whoIsItInside, "Bob")
        return (await scope.join()).map((subtask) => subtask.get())
      })
    assert.deepEqual(seen, [
      ["Ada", "Ada", { deep: [1n] }, [0, 0]],
      ["Ada", "Bob", "Ada"],
    ])
    await using scope = StructuredTaskScope.open(undefined, lab.options)
    const unbound = scope.fork(tasks.whoIsIt)
    await scope.join()
    assert.deepEqual(unbound.get(), ["none", "none", "none", [0, 0]])
  })

  test(`[SV5] a scoped value may be an argument of a fork: ${kind.name}`, async () => {
    await using lab = new Lab(kind)
    const own = ScopedValue.newInstance<string>()
    await ScopedValue.where(own, "own").run(async () => {
      await using scope = StructuredTaskScope.open(Joiner.allSuccessfulOrThrow<unknown>(), lab.options)
      scope.fork(tasks.valueOf, own)
      scope.fork((value: ScopedValue<string>) => value.get(), own)
      scope.fork(tasks.valueOf, named)
      const seen = (await scope.join()).map((subtask) => subtask.get())
      assert.deepEqual(seen, ["own", "own", "none"])
    })
  })

  test(`[SV7] a task that was submitted inherits nothing: ${kind.name}`, async () => {
    await using lab = new Lab(kind)
    const executor = lab.executor ?? Executors.newVirtualThreadPerTaskExecutor()
    await ScopedValue.where(user, "Ada").run(async () => {
      assert.equal((await executor.submit(tasks.whoIsIt))[0], "none")
    })
  })

  test(`[SV10] values that were made from one position are not mixed up: ${kind.name}`, async () => {
    await using lab = new Lab(kind)
    const [first, second] = several
    await ScopedValue.where(first as ScopedValue<number>, 1)
      .where(second as ScopedValue<number>, 2)
      .run(async () => {
        await using scope = StructuredTaskScope.open(undefined, lab.options)
        const seen = scope.fork(tasks.whoIsIt)
        await scope.join()
        // Threads of their own know the first by its position, and the second not at all.
        const elsewhere = seen.get()[3] as number[]
        assert.ok([1, 0].includes(elsewhere[0] as number) && [2, 0].includes(elsewhere[1] as number))
        if (kind.isVirtual) assert.deepEqual(elsewhere, [1, 2])
      })
  })
}

test("[SV6] a value that cannot be copied is refused when a fork is to inherit it", async () => {
  for (const kind of KINDS) {
    await using lab = new Lab(kind)
    for (const [value, says] of [
      [named, /`ScopedValue test of scopes\.deep`/],
      [user, /`ScopedValue \(1\)\.deep`/],
    ] as const) {
      await ScopedValue.where(value as ScopedValue<unknown>, { deep: () => 1 }).run(async () => {
        await using scope = StructuredTaskScope.open(undefined, lab.options)
        if (kind.isVirtual) scope.fork(() => 1)
        else {
          const error = thrownBy(() => scope.fork(tasks.echo, 1))
          assert.ok(error instanceof NotSerializableError)
          assert.match(error.message, says)
        }
        await scope.join()
      })
    }
  }
})

test("[SV8] a fork with other bindings than those of the scope is refused", async () => {
  await using scope = StructuredTaskScope.open()
  ScopedValue.where(user, "Ada").run(() => {
    const error = thrownBy(() => scope.fork(() => 1))
    assert.ok(error instanceof IllegalStateError)
    assert.match(error.message, /other bindings/)
  })
  scope.fork(() => 1)
  await scope.join()
})

test("[SV9] a scope that is open when the bindings end is cancelled, and that is an error", async () => {
  let interrupted = 0
  const forks: StructuredTaskScope[] = []
  const open = (): void => {
    const scope = StructuredTaskScope.open()
    forks.push(scope)
    scope.fork(async () => {
      await Thread.sleep(1e9).catch(() => interrupted++)
    })
  }
  const bound = ScopedValue.where(user, "Ada")
  assert.ok(thrownBy(() => bound.run(open)) instanceof IllegalStateError)
  const error = await rejectionOf(
    bound.run(async () => {
      open()
      await turns()
    }),
  )
  assert.ok(error instanceof IllegalStateError)
  assert.match(error.message, /still open/)
  const own = new RangeError("own")
  assert.equal(
    await rejectionOf(
      bound.run(async () => {
        open()
        open()
        await turns()
        throw own
      }),
    ),
    own,
  )
  assert.deepEqual(
    forks.map(({ isCancelled }) => isCancelled),
    [true, true, true, true],
  )
  await eventually(() => interrupted === 3) // the first was cancelled before it had begun
})

test("[SV11] wrong arguments are refused", () => {
  const value = ScopedValue.newInstance<number>()
  const wrong = [
    () => ScopedValue.where({} as never, 1),
    () => ScopedValue.where(value, 1).where(null as never, 1),
    () => ScopedValue.where(value, 1).run(1 as never),
    () => ScopedValue.newInstance({ nam: "a" } as never),
    () => ScopedValue.newInstance({ name: 1 } as never),
    () => value.orElseThrow(1 as never),
    () => new (ScopedValue as unknown as new () => unknown)(),
  ]
  for (const call of wrong) assert.ok(thrownBy(call) instanceof TypeError, String(call))
})

test("[SV2] a task that a full pool has its caller run does not see the caller's bindings", async () => {
  await using pool = Executors.newFixedThreadPool(1, virtualThreads())
  await ScopedValue.where(user, "Ada").run(async () => {
    assert.equal(await pool.submit(() => user.isBound), false)
    assert.equal(user.get(), "Ada")
  })
})
