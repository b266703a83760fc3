/** Scopes of `corepool/virtual`. Ids such as [VE11] refer to docs/spec/virtual.md. */
import { Joiner, ScopedValue, StructuredTaskScope, Thread } from "corepool/virtual"
import assert from "node:assert/strict"
import test from "node:test"

const user = ScopedValue.newInstance<string>()

test("[VE11] forks run on virtual threads, and inherit scoped values", async () => {
  const results = await ScopedValue.where(user, "Ada").call(async () => {
    await using scope = StructuredTaskScope.open(Joiner.allSuccessfulOrThrow<string>())
    scope.fork(async () => `hello ${user.get()}`)
    scope.fork(() => user.get())
    return (await scope.join()).map((fork) => fork.get())
  })
  assert.deepEqual(results, ["hello Ada", "Ada"])
})

test("[VE11] a fork that fails cancels the others, and join throws its error", async () => {
  await using scope = StructuredTaskScope.open()
  const other = scope.fork(() => Thread.sleep(1_000_000))
  scope.fork(() => {
    throw new RangeError("no")
  })
  await assert.rejects(scope.join(), /no/)
  assert.equal(other.state, "unavailable")
})
