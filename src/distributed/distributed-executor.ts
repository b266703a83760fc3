import { noteNewFleet } from "../executor/live-fleets.ts"
import { DistributedExecutorBase } from "./distributed-executor-base.ts"
import { type DistributedExecutorOptions, requireExecutorOptions } from "./job/options.ts"
import { Submitter } from "./submitter/submitter.ts"

/**
 * An ExecutorService and ScheduledExecutorService whose threads are on other machines. A queue engine stands between,
 * on PostgreSQL or Redis; processes with an `ExecutorNode` take the tasks from there.
 *
 * - Tasks are functions of the catalogue, which the nodes have as well: names and arguments travel, never code.
 *   Arguments and results are copied.
 * - A task whose node dies is run again, so it may run more than once; it completes once. With an `id` it is submitted
 *   once, however often the program submits it.
 * - `cancel` takes effect here at once, and then travels. `shutdown` and its like concern the tasks of this executor.
 * - Schedules are kept by the engine. A schedule with an `id` belongs to no process and goes on after `shutdown`.
 * - The executor connects when it is first used. It keeps the program alive only while it waits for something.
 *
 * @example
 * ```ts
 * import { DistributedExecutor, postgres } from "corepool/distributed"
 *
 * export const tasks = { resize: (file: string, width: number): string => `${width}-${file}` } // nodes have the same
 *
 * await using fleet = new DistributedExecutor({ name: "images", engine: postgres("postgres://localhost/app"), tasks })
 * const future = fleet.submit(tasks.resize, "a.png", 200)
 * await future.stored // from here on the task survives the death of this process
 * console.log(await future)
 * ```
 */
export class DistributedExecutor extends DistributedExecutorBase {
  /**
   * Connects when it is first used.
   *
   * @throws TypeError for an option that is missing, does not exist or is of the wrong kind.
   */
  constructor(options: DistributedExecutorOptions) {
    const settings = requireExecutorOptions(options)
    const { keepResults, maxDeaths } = settings
    super(new Submitter(settings), { attempts: 1, keepResults, maxDeaths })
    noteNewFleet(this, { name: settings.name, engine: String(settings.engine) })
  }
}
