/** A pool whose hooks do what the test says, and which writes down that they were called. */
import { type Runnable, type Thread, ThreadPoolExecutor } from "corepool"

export interface HookCall {
  readonly hook: "beforeExecute" | "afterExecute" | "terminated"
  readonly task?: Runnable
  readonly thread?: Thread
  readonly error?: unknown
}

export class HookedPool extends ThreadPoolExecutor {
  /** Every call of a hook, in order. */
  readonly calls: HookCall[] = []
  before: ((thread: Thread, task: Runnable) => void) | undefined
  after: ((task: Runnable, error: unknown) => void) | undefined
  last: (() => void) | undefined

  protected override beforeExecute(thread: Thread, task: Runnable): void {
    this.calls.push({ hook: "beforeExecute", thread, task })
    this.before?.(thread, task)
  }

  protected override afterExecute(task: Runnable, error?: unknown): void {
    this.calls.push({ hook: "afterExecute", task, error })
    this.after?.(task, error)
  }

  protected override terminated(): void {
    this.calls.push({ hook: "terminated" })
    this.last?.()
  }

  /** The names of the hooks called so far. */
  get names(): string[] {
    return this.calls.map(({ hook }) => hook)
  }
}
