/** The catalogue of nodes in processes of their own. What they report tells the test that they are there. */
import { task, Thread } from "corepool"
import { currentJob } from "#src/distributed/node/job-in-thread.js"
import { existsSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"

export const pid = task(import.meta.url, function pid(): number {
  return process.pid
})

/** Reports its process and waits until there is such a file. */
export const waitFor = task(import.meta.url, async function waitFor(file: string): Promise<{
  pid: number
  deaths: number
}> {
  Thread.currentThread().reportProgress(process.pid)
  while (!existsSync(file)) await pause(5)
  return { pid: process.pid, deaths: currentJob()?.deaths ?? -1 }
})

/** Reports its process, and never ends. */
export const spin = task(import.meta.url, function spin(): never {
  Thread.currentThread().reportProgress(process.pid)
  for (;;);
})

/** Reports its process and keeps its thread busy for so many milliseconds. */
export const busy = task(import.meta.url, function busy(ms: number): number {
  Thread.currentThread().reportProgress(process.pid)
  const end = performance.now() + ms
  while (performance.now() < end);
  return process.pid
})
