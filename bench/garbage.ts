/**
 * `npm run bench -- garbage`: how many bytes the main thread allocates for a tiny task on platform threads, from its
 * submission until its result is read, by idiom. The lists of this program are included.
 */
import { Session } from "node:inspector/promises"
import { corepool } from "./corepool.ts"

const TASKS = 20_000
const ROUNDS = 3
const REHEARSALS = 8
/** In bytes. */
const INTERVAL = 512

const add = (a: number, b: number): number => a + b
const increment = (a: number): number => a + 1

interface ProfileNode {
  readonly selfSize: number
  readonly children: readonly ProfileNode[]
}

function sizeOf({ selfSize, children }: ProfileNode): number {
  return children.reduce((total, child) => total + sizeOf(child), selfSize)
}

async function bytesPerTask(run: () => Promise<unknown>): Promise<number> {
  for (let i = 0; i < REHEARSALS; i++) await run()
  const session = new Session()
  session.connect()
  await session.post("HeapProfiler.startSampling", {
    samplingInterval: INTERVAL,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  })
  for (let i = 0; i < ROUNDS; i++) await run()
  const { profile } = await session.post("HeapProfiler.stopSampling")
  session.disconnect()
  return sizeOf(profile.head) / ROUNDS / TASKS
}

export async function runGarbage(): Promise<void> {
  const { bind, Executors } = await corepool()
  await using pool = Executors.newFixedThreadPool(2)
  const numbers = Array.from({ length: TASKS }, (_, i) => i)
  const idioms: Readonly<Record<string, () => Promise<unknown>>> = {
    "submit, then getSync": async () => {
      for (const future of numbers.map((i) => pool.submit(add, i, 1))) future.getSync()
    },
    "submit, then await each": async () => {
      for (const future of numbers.map((i) => pool.submit(add, i, 1))) await future
    },
    "submit and Promise.all": () => Promise.all(numbers.map((i) => pool.submit(add, i, 1))),
    "invokeAll of bind": () => pool.invokeAll(numbers.map((i) => bind(add, i, 1))),
    map: async () => {
      for await (const _ of pool.map(increment, numbers));
    },
  }
  const bytes: Record<string, number> = {}
  for (const [name, run] of Object.entries(idioms)) {
    bytes[name] = Math.round(await bytesPerTask(run))
    console.log(`${name.padEnd(28)}${bytes[name]} bytes per task`)
  }
  console.log(JSON.stringify({ garbage: bytes }))
}
