/** A FutureTask whose protected methods can be called, and that notes which of them are. */
import { FutureTask } from "corepool"

export class OpenTask<T> extends FutureTask<T> {
  /** `set`, `setException` and `done`, in the order of the calls. */
  readonly calls: string[] = []
  /** What `done()` does besides being noted. */
  whenDone: () => void = () => undefined

  override set(value: T): void {
    this.calls.push("set")
    super.set(value)
  }

  override setException(error: unknown): void {
    this.calls.push("setException")
    super.setException(error)
  }

  override runAndReset(): boolean | Promise<boolean> {
    return super.runAndReset()
  }

  protected override done(): void {
    this.calls.push("done")
    this.whenDone()
  }

  /** How often `done()` was called. */
  get doneCount(): number {
    return this.calls.filter((call) => call === "done").length
  }
}

/** A body that counts its calls. */
export function counted<T>(body: () => T): { (): T; calls: number } {
  const counting = (): T => {
    counting.calls++
    return body()
  }
  counting.calls = 0
  return counting
}

/** Every way to complete a task that has not been started, and the state it leads to. */
export const roads: readonly {
  readonly road: string
  readonly state: string
  readonly take: (task: OpenTask<unknown>) => unknown
}[] = [
  { road: "run", state: "success", take: (task) => task.run() },
  { road: "set", state: "success", take: (task) => task.set("set") },
  { road: "setException", state: "failed", take: (task) => task.setException(new Error("set")) },
  { road: "cancel(false)", state: "cancelled", take: (task) => task.cancel(false) },
  { road: "cancel(true)", state: "cancelled", take: (task) => task.cancel(true) },
]

/** What can be seen of a task from outside. */
export async function seen(task: FutureTask<unknown>): Promise<unknown> {
  const [outcome] = await Promise.allSettled([task.get(0)])
  const result = outcome.status === "rejected" ? { reason: outcome.reason as unknown } : { value: outcome.value }
  return { isDone: task.isDone, isCancelled: task.isCancelled, state: task.state, ...result }
}
