/** A catalogue that uses nothing but what is published. */
import { task, Thread } from "corepool"
import { type CurrentJob, currentJob } from "corepool/distributed"
import { isMainThread } from "node:worker_threads"

interface Seen {
  readonly isMainThread: boolean
  readonly job: CurrentJob | undefined
  readonly given: string
}

export const look = task(import.meta.url, function look(given: string): Seen {
  Thread.currentThread().reportProgress({ given })
  return { isMainThread, job: currentJob(), given }
})

export const boil = task(import.meta.url, function boil(): never {
  throw new RangeError("too hot")
})

export const spin = task(import.meta.url, function spin(): never {
  Thread.currentThread().reportProgress("begun")
  for (;;);
})
