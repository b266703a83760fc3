/** Tasks that are begun in the midst of others, and go on after these. */
import { type ExecutorService, task } from "corepool"
import { words } from "../../support/shared-words.ts"

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Goes through the gate without blocking its thread; then counts. */
export const passLater = task(import.meta.url, async function passLater(gate: number, count: number): Promise<void> {
  Atomics.add(words, gate, 1)
  while (Atomics.load(words, gate + 1) === 0) await turn()
  Atomics.add(words, count, 1)
})

/** Begins that in the midst of itself, as the pool has no idle thread, and does not wait for it. */
export const leaveBeside = task(
  import.meta.url,
  async function leaveBeside(pool: ExecutorService, gate: number, count: number): Promise<void> {
    void pool.submit(passLater, gate, count).get()
    while (Atomics.load(words, gate) === 0) await turn()
  },
)

/** The same, and then ends its thread by an error, as it is a command. */
export const leaveBesideAndThrow = task(
  import.meta.url,
  async function leaveBesideAndThrow(pool: ExecutorService, gate: number, count: number): Promise<void> {
    await leaveBeside(pool, gate, count)
    throw new Error("of the command")
  },
)

/** Lets {@link goOnWhenLet} go on, once that has begun in this thread. */
const held: { letGoOn?: () => void } = {}

/** Goes on when it is let, and is over so many microtasks later; calls the pool then, if there is one. */
const goOnWhenLet = task(
  import.meta.url,
  async function goOnWhenLet(steps: number, pool: ExecutorService | undefined): Promise<void> {
    await new Promise<void>((resolve) => (held.letGoOn = resolve))
    for (let i = 0; i < steps; i++) await Promise.resolve()
    if (pool !== undefined) await pool.submit(nothing).get()
  },
)

const nothing = task(import.meta.url, function nothing(): void {})

async function begin(pool: ExecutorService, steps: number, isToCall: boolean): Promise<void> {
  void Promise.allSettled([pool.submit(goOnWhenLet, steps, isToCall ? pool : undefined).get()])
  while (held.letGoOn === undefined) await turn()
}

/** Begins that in the midst of itself, lets it go on, and stops the pool at once. */
export const stopBeside = task(
  import.meta.url,
  async function stopBeside(pool: ExecutorService, steps: number): Promise<void> {
    await begin(pool, steps, false)
    held.letGoOn?.()
    pool.shutdownNow()
  },
)

/** The same, but ends its thread by an error, as it is a command. */
export const throwBeside = task(
  import.meta.url,
  async function throwBeside(pool: ExecutorService, steps: number, isToCall: boolean): Promise<void> {
    await begin(pool, steps, isToCall)
    held.letGoOn?.()
    throw new Error("of the command")
  },
)
