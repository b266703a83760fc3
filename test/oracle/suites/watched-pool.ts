import { type Runnable, ThreadPoolExecutor } from "corepool"

/** A pool that tells what is given to `execute`. */
export class WatchedPool extends ThreadPoolExecutor {
  executing: (command: unknown) => void = () => {}

  override execute<A extends unknown[]>(command: Runnable | ((...args: A) => unknown), ...args: A): void {
    this.executing(command)
    super.execute(command, ...args)
  }
}
