/** The process of contention.ts: prints the counts of a burst, of the submitting thread and of all workers, as JSON. */
import { CountDownLatch, Executors } from "corepool"
import { type Counts, counts } from "./counting-atomics.ts"
import { add, countsHere } from "./tasks/counts.ts"

const REHEARSALS = 3

async function burst(threads: number, tasks: number): Promise<{ submitter: Counts[]; workers: Counts[][] }> {
  await using pool = Executors.newFixedThreadPool(threads)
  const ofWorkers = async (): Promise<Counts[]> => {
    const all = new CountDownLatch(threads)
    return Promise.all(Array.from({ length: threads }, () => pool.submit(countsHere, all)))
  }
  const run = async (): Promise<void> => {
    const futures = Array.from({ length: tasks }, (_, i) => pool.submit(add, i, 1))
    for (const future of futures) await future
  }
  for (let i = 0; i < REHEARSALS; i++) await run()
  const workersBefore = await ofWorkers()
  const before = structuredClone(counts)
  await run()
  const after = structuredClone(counts)
  return { submitter: [before, after], workers: [workersBefore, await ofWorkers()] }
}

const [threads, tasks] = process.argv.slice(2).map(Number)
if (threads !== undefined && tasks !== undefined) console.log(JSON.stringify(await burst(threads, tasks)))
