/** What forks do in the tests of scopes, on whatever threads. */
import {
  type AtomicInteger,
  type CountDownLatch,
  type ExecutorService,
  Joiner,
  ScopedValue,
  StructuredTaskScope,
  task,
  Thread,
} from "corepool"

const FOREVER = 2 ** 31

export const user: ScopedValue<string> = ScopedValue.newInstance<string>()
export const named: ScopedValue<unknown> = ScopedValue.newInstance<unknown>({ name: "test of scopes" })
/** Made from one position. */
export const several: readonly ScopedValue<number>[] = [1, 2].map(() => ScopedValue.newInstance<number>())

export const echo = task(import.meta.url, function echo<T>(value: T): T {
  return value
})

export const fail = task(import.meta.url, function fail(message: string): never {
  throw new RangeError(message)
})

/** Sleeps until it is interrupted. */
export const hang = task(import.meta.url, async function hang(begun: AtomicInteger, stopped: AtomicInteger) {
  begun.incrementAndGet()
  try {
    await Thread.sleep(FOREVER)
  } finally {
    stopped.incrementAndGet()
  }
})

/** Does not stop when it is interrupted, but when the latch opens. */
export const persist = task(
  import.meta.url,
  async function persist(begun: AtomicInteger, interrupted: AtomicInteger, leave: CountDownLatch) {
    begun.incrementAndGet()
    try {
      await Thread.sleep(FOREVER)
    } catch {
      interrupted.incrementAndGet()
    }
    await leave.await()
  },
)

/** Opens a scope itself, whose forks hang. */
export const nest = task(import.meta.url, async function nest(begun: AtomicInteger, stopped: AtomicInteger) {
  await using scope = StructuredTaskScope.open()
  scope.fork(hang, begun, stopped)
  scope.fork(hang, begun, stopped)
  await scope.join()
})

/** Leaves a scope open. */
export const leave = task(
  import.meta.url,
  async function leave(begun: AtomicInteger, stopped: AtomicInteger, error: string) {
    const scope = StructuredTaskScope.open()
    scope.fork(hang, begun, stopped)
    while (begun.get() === 0) await Thread.sleep(1)
    if (error !== "") throw new RangeError(error)
  },
)

export const die = task(import.meta.url, function die(): never {
  process.exit(7)
})

export const whoIsIt = task(import.meta.url, async function whoIsIt() {
  const first = user.orElse("none")
  await Thread.sleep(1)
  return [first, user.orElse("none"), named.orElse("none"), several.map((value) => value.orElse(0))]
})

/** The same in a fork of a fork, with another user. */
export const whoIsItInside = task(import.meta.url, async function whoIsItInside(inner: string) {
  const before = user.get()
  const inside = await ScopedValue.where(user, inner).run(async () => {
    await using scope = StructuredTaskScope.open()
    const asked = scope.fork(whoIsIt)
    await scope.join()
    return asked.get()[0]
  })
  return [before, inside, user.get()]
})

export const valueOf = task(import.meta.url, function valueOf(value: ScopedValue<unknown>) {
  return value.orElse("none")
})

/** Forks to the pool that it runs in. */
export const forkToOwn = task(import.meta.url, async function forkToOwn(executor: ExecutorService) {
  await using scope = StructuredTaskScope.open(Joiner.allSuccessfulOrThrow<number>(), { executor })
  scope.fork(echo, 1)
  scope.fork(echo, 2)
  return (await scope.join()).map((subtask) => subtask.get())
})

/** Submits a task, opens a scope with forks that hang, and ends its thread when as many as `running` of them run. */
export const abandon = task(
  import.meta.url,
  async function abandon(executor: ExecutorService, lab: LabOfForks, running: number) {
    executor.submit(outlast, lab.latch, lab.passed)
    const scope = StructuredTaskScope.open(undefined, { executor })
    for (let n = 0; n < 2 * running; n++) scope.fork(hang, lab.begun, lab.stopped)
    await until(lab.begun, running)
    await until(lab.passed, 1)
    process.exit(7)
  },
)

/** As {@link abandon}, but its thread has to be terminated. */
export const abandonToSpin = task(
  import.meta.url,
  async function abandonToSpin(executor: ExecutorService, lab: LabOfForks, running: number) {
    const scope = StructuredTaskScope.open(undefined, { executor })
    for (let n = 0; n < 2 * running; n++) scope.fork(hang, lab.begun, lab.stopped)
    await until(lab.begun, running)
    lab.passed.incrementAndGet()
    for (;;);
  },
)

/** What the tests of scopes count. */
export interface LabOfForks {
  readonly begun: AtomicInteger
  readonly stopped: AtomicInteger
  readonly passed: AtomicInteger
  readonly latch: CountDownLatch
}

export const outlast = task(
  import.meta.url,
  async function outlast(latch: CountDownLatch, passed: AtomicInteger): Promise<void> {
    passed.incrementAndGet()
    await latch.await()
    passed.incrementAndGet()
  },
)

async function until(count: AtomicInteger, least: number): Promise<void> {
  while (count.get() < least) await Thread.sleep(1)
}
