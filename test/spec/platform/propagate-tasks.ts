/** Storages whose stores go along with tasks, and tasks that look at them. */
import { type ExecutorService, fork, propagate, task } from "corepool"
import { AsyncLocalStorage } from "node:async_hooks"

export const user = new AsyncLocalStorage<{ readonly name: string; readonly roles?: ReadonlySet<string> }>()
propagate(user, { name: "user" })

/** Known to this module only; `lateName` gives it to the thread that runs it. */
export const late = new AsyncLocalStorage<string>()

export const look = task(import.meta.url, async function look(..._args: unknown[]): Promise<unknown[]> {
  const before = user.getStore()
  await new Promise<void>((resolve) => setTimeout(resolve, 1))
  return [before, user.getStore()]
})

export const lookNow = task(import.meta.url, function lookNow(a: number, b: number): string {
  return `${user.getStore()?.name} ${a + b}`
})

/** A task on a thread that submits another one, whose arguments say with which store. */
export const lookFrom = task(import.meta.url, async function lookFrom(pool: ExecutorService): Promise<unknown> {
  return await pool.submit(lookNow, 1, 2)
})

export const lookLate = task(import.meta.url, async function lookLate(): Promise<unknown[]> {
  const before = late.getStore()
  propagate(late, { name: "late" })
  await new Promise<void>((resolve) => setTimeout(resolve, 1))
  return [before, late.getStore()]
})

/** Forks as many tasks as that, which look at the store; how many of them saw each name. */
export const lookForked = task(import.meta.url, function lookForked(count: number): Record<string, number> {
  const forked = Array.from({ length: count }, (_, i) => fork(lookNow, i, 0))
  const names: Record<string, number> = {}
  for (const part of forked.reverse()) {
    const name = part.join().split(" ")[0] as string
    names[name] = (names[name] ?? 0) + 1
  }
  return names
})
