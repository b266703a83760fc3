/** The tasks of the distributed benchmarks. */
import { Thread } from "corepool"
import { currentJob } from "corepool/distributed"

/** As good as nothing: what is measured is the way to the node and back. */
export function add(a: number, b: number): number {
  return a + b
}

/** Takes time, but not the processor's. */
export async function pause(ms: number): Promise<void> {
  await Thread.sleep(ms)
}

/** Waits until it is interrupted. */
export async function endless(): Promise<void> {
  await Thread.sleep(3_600_000)
}

/** Waits, unless a node has died with it: then it is done. */
export async function survive(): Promise<void> {
  if (currentJob()?.deaths === 0) await endless()
}
