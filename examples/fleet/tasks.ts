/** The tasks of the fleet: the same module on every machine. What travels are its names and the arguments. */
import { task } from "corepool"
import { currentJob } from "corepool/distributed"

export interface Page {
  readonly number: number
  /** The node that has rendered it. */
  readonly by: string
  /** How many nodes have died while they had it. */
  readonly deaths: number
}

/** Computes for a while, as rendering a page does. */
export const render = task(import.meta.url, function render(number: number): Page {
  const end = performance.now() + 250
  while (performance.now() < end);
  return { number, by: process.env["NODE_NAME"] ?? "?", deaths: currentJob()?.deaths ?? 0 }
})
