/**
 * Structured concurrency: a block that starts several things, and is not left before all of them have ended.
 *
 * One fork fails. The scope cancels the other one, waits until it has stopped, and throws the failure.
 */
import { Joiner, ScopedValue, StructuredTaskScope, Thread } from "corepool"

const request = ScopedValue.newInstance<string>()

async function findUser(id: number): Promise<string> {
  await Thread.sleep(1)
  return `user ${id}`
}

async function slowly(): Promise<void> {
  try {
    await Thread.sleep(60_000)
  } finally {
    console.log(`${request.get()}: stopped`)
  }
}

async function broken(): Promise<never> {
  await Thread.sleep(5)
  throw new Error("no such order")
}

// All must succeed.
{
  await using scope = StructuredTaskScope.open()
  const [ada, bob] = [scope.fork(findUser, 1), scope.fork(findUser, 2)]
  await scope.join()
  console.log(ada.get(), bob.get())
}

// A failure stops the siblings, which inherit the scoped value.
await ScopedValue.where(request, "request 17").run(async () => {
  await using scope = StructuredTaskScope.open()
  scope.fork(slowly)
  scope.fork(broken)
  try {
    await scope.join()
  } catch (error) {
    console.log(`failed: ${(error as Error).message}`)
  }
})

// The first success stops the rest.
{
  await using scope = StructuredTaskScope.open(Joiner.anySuccessfulOrThrow<string>())
  for (const ms of [60_000, 1, 60_000]) {
    scope.fork(async () => {
      await Thread.sleep(ms)
      return `after ${ms} ms`
    })
  }
  console.log(await scope.join(), scope.isCancelled)
}

// Output:
// user 1 user 2
// request 17: stopped
// failed: no such order
// after 1 ms true
