/**
 * Loads corepool, and only where it is asked for: on Node 20 its AsyncLocalStorage makes every promise of the process
 * slower from the first thread on, so a process that measures a rival must never see it.
 *
 * It is loaded as a user does, by its name. For the compiler this folder is another package, with a package.json of
 * its own, in which that name means nothing; so the types come from the source and the name is one the compiler does
 * not read.
 */
import type * as Corepool from "../src/index.ts"

export type FutureTask<T> = Corepool.FutureTask<T>
export type Runnable = Corepool.Runnable
export type ThreadPoolExecutor = Corepool.ThreadPoolExecutor

const NAME: string = "corepool"

export function corepool(): Promise<typeof Corepool> {
  return import(NAME) as Promise<typeof Corepool>
}
