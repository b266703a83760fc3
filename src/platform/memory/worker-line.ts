/** Where the line of a worker is, and the values of two of its words: see shared-worker.ts. */
import { LINE } from "../../memory/layout.ts"
import { BASE } from "./layout.ts"

/** Values of STATUS. */
export const FREE = 0
export const REQUESTED = 1
export const STARTING = 2
export const RUNNING = 3
export const RESERVED = 4
export const ENDING = 5
export const TEARDOWN = 6

/** Values of PHASE. */
export const POOL = 0
export const HALT = -1
export const LEAVING = -2

/** Where the line of the worker with this number begins. */
export function entryOf(number: number): number {
  return BASE.WORKER_TABLE + number * LINE
}
