/** A thread that was not made by corepool, and was posted a pool. */
import { tasksOf, ThreadPoolExecutor } from "corepool"
import { rejectionOf, thrownBy } from "../../support/harness.ts"

export async function submitAll(pool: ThreadPoolExecutor, module: string): Promise<unknown[]> {
  const tasks = tasksOf<typeof import("./tasks.ts")>(module)
  const same = tasks.same as unknown as <T>(value: T) => T
  const here = ThreadPoolExecutor.from(pool)
  const buffer = new ArrayBuffer(8)
  return [
    await here.submit(same, 7),
    nameOf(thrownBy(() => here.submit(same, new SharedArrayBuffer(4)))),
    nameOf(thrownBy(() => here.with({ transfer: [buffer] }).submit(same, buffer))),
    nameOf(await rejectionOf(here.submit(tasks.newShared))),
    (await here.submit(same, "x".repeat(1_000_000))).length,
  ]
}

function nameOf(error: unknown): string {
  return (error as Error).name
}
