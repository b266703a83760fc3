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
