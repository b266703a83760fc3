/** The future of a task that was not forked but submitted. */
import { FutureTask } from "../future/future-task.ts"

export class Elsewhere<T> extends FutureTask<T> {
  task: { returned(value: unknown): T } | undefined

  override complete(value: T): void {
    super.complete(this.task === undefined ? value : this.task.returned(value))
  }
}
