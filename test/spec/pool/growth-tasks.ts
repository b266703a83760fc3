/** What the threads of growth.test.ts run. */
import { CyclicBarrier, task, type ThreadPoolExecutor } from "corepool"
import { note } from "../../support/shared-words.ts"
import { pass } from "../platform/tasks.ts"

export const noteDown = task(import.meta.url, function noteDown(index: number, base: number, id: number): number {
  return note(index, base, id)
})

/** Meets the other parties: so many threads run at the same time. */
export const meet = task(import.meta.url, function meet(barrier: CyclicBarrier): number {
  return barrier.awaitSync()
})

/** Submits tasks that need a thread each, and awaits them. */
export const meetInside = task(import.meta.url, async function meetInside(pool: ThreadPoolExecutor, parties: number) {
  const barrier = new CyclicBarrier(parties)
  await Promise.all(Array.from({ length: parties }, () => pool.submit(meet, barrier)))
  return pool.growth
})

/** Submits tasks that go through the gate; how many there were. */
export const submitMany = task(
  import.meta.url,
  async function submitMany(pool: ThreadPoolExecutor, gate: number, count: number): Promise<number> {
    const done = await Promise.all(Array.from({ length: count }, () => pool.submit(pass, gate)))
    return done.length
  },
)

export const resizeIt = task(import.meta.url, function resizeIt(pool: ThreadPoolExecutor, maximum: number): void {
  pool.maximumPoolSize = maximum
})
