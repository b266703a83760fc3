/** The rivals of platform pools behind one small interface, each set up as its documentation says it is fastest. */
import { fileURLToPath } from "node:url"
import { installed } from "./tasks/packages.ts"

type Work = typeof import("./tasks/work.ts")

/** The functions that all of them can run: those with one argument. */
export type TaskName = Exclude<keyof Work, "add" | "nothing" | "clock">

export interface RivalPool {
  run<K extends TaskName>(
    task: K,
    data: Parameters<Work[K]>[0],
    transfer?: readonly ArrayBuffer[],
  ): Promise<ReturnType<Work[K]>>
}

export interface Rival {
  readonly name: string
  /** A pool of so many threads. Nobody closes it: the process that has it is killed at the end. */
  open(threads: number): Promise<RivalPool>
}

function moduleOf(name: string): string {
  return new URL(`tasks/${name}.js`, import.meta.url).href
}

// What they give back is `any` to their own compilers; here it is never, which stands for every type just as well.

interface Piscina {
  run(
    data: unknown,
    options: { name: string; filename?: string; transferList?: readonly ArrayBuffer[] },
  ): Promise<never>
}

/** piscina and tinypool, which comes from it, are used alike. */
function byFile(pool: Piscina, transferring: string): RivalPool {
  const filename = moduleOf(transferring)
  return {
    run: (name, data, transferList) =>
      transferList === undefined ? pool.run(data, { name }) : pool.run(data, { name, filename, transferList }),
  }
}

function piscina(concurrentTasksPerWorker: number): Rival {
  return {
    name: `piscina, ${concurrentTasksPerWorker} per thread`,
    async open(threads) {
      const { default: Piscina } = await installed<{ default: new (options: object) => Piscina }>("piscina")
      const pool = new Piscina({
        filename: moduleOf("work"),
        minThreads: threads,
        maxThreads: threads,
        concurrentTasksPerWorker,
        recordTiming: false,
      })
      return byFile(pool, "piscina-transfer")
    },
  }
}

export const piscina1: Rival = piscina(1)
export const piscina64: Rival = piscina(64)

export const tinypool: Rival = {
  name: "tinypool",
  async open(threads) {
    const { Tinypool } = await installed<{ Tinypool: new (options: object) => Piscina }>("tinypool")
    const pool = new Tinypool({ filename: moduleOf("work"), minThreads: threads, maxThreads: threads })
    return byFile(pool, "tinypool-transfer")
  },
}

interface Workerpool {
  pool(
    script: string,
    options: object,
  ): {
    exec(name: string, args: readonly unknown[], options?: { transfer: readonly ArrayBuffer[] }): Promise<never>
  }
}

export const workerpool: Rival = {
  name: "workerpool",
  async open(threads) {
    const { default: library } = await installed<{ default: Workerpool }>("workerpool")
    const pool = library.pool(fileURLToPath(moduleOf("workerpool-worker")), {
      workerType: "thread",
      minWorkers: threads,
      maxWorkers: threads,
    })
    return {
      run: (name, data, transfer) => pool.exec(name, [data], transfer === undefined ? undefined : { transfer }),
    }
  },
}

interface Poolifier {
  readonly FixedThreadPool: new (
    threads: number,
    file: string,
  ) => {
    execute(data: unknown, name: string, signal: undefined, transfer?: readonly ArrayBuffer[]): Promise<never>
  }
}

/** Without its own queue, as it comes: tasks are posted at once, in turn to each thread, and wait there. */
export const poolifier: Rival = {
  name: "poolifier",
  async open(threads) {
    const { FixedThreadPool } = await installed<Poolifier>("poolifier")
    const pool = new FixedThreadPool(threads, fileURLToPath(moduleOf("poolifier-worker")))
    return { run: (task, data, transfer) => pool.execute(data, task, undefined, transfer) }
  },
}

/** What a task that all of them can run is measured against. */
export const allRivals: readonly Rival[] = [piscina1, piscina64, tinypool, workerpool, poolifier]
