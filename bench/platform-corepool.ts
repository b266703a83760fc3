/** corepool's side of the platform contests: a pool of worker threads, and references to the work they do. */
import type * as Corepool from "../src/index.ts"
import { corepool, type ThreadPoolExecutor } from "./corepool.ts"

type Work = typeof import("./tasks/work.ts")
type Transfers = typeof import("./tasks/corepool-transfer.ts")

export interface Ours {
  readonly pool: ThreadPoolExecutor
  readonly work: Corepool.TasksOf<Work>
  /** The same, but what it returns is handed over. */
  readonly transfers: Corepool.TasksOf<Transfers>
}

/** A pool of so many threads. Nobody closes it: the process that has it is killed at the end. */
export async function openCorepool(threads: number): Promise<Ours> {
  const { Executors, tasksOf } = await corepool()
  return {
    pool: Executors.newFixedThreadPool(threads),
    work: tasksOf<Work>(new URL("tasks/work.js", import.meta.url)),
    transfers: tasksOf<Transfers>(new URL("tasks/corepool-transfer.js", import.meta.url)),
  }
}
