/** Loops that end when they are told to, and one that does not. */
import { InterruptedError, task, Thread } from "corepool"

/** Computes until it is interrupted. To ask costs nanoseconds, so a loop may ask in every round. */
export const search = task(import.meta.url, function search(): number {
  let best = 0
  for (let x = 1; !Thread.interrupted(); x = (x * 48271) % 2147483647) best = Math.max(best, x)
  console.log(`${Thread.currentThread().name}: told to stop, and tidying up`)
  return best
})

/** Blocks: every wait of corepool ends when its thread is interrupted. */
export const rest = task(import.meta.url, function rest(): void {
  try {
    Thread.sleepSync(60_000)
  } catch (error) {
    if (error instanceof InterruptedError) console.log(`${Thread.currentThread().name}: woken up`)
    throw error
  }
})

/** Hears nothing. */
export const spin = task(import.meta.url, function spin(): never {
  for (;;);
})

export const whoAmI = task(import.meta.url, function whoAmI(): string {
  return Thread.currentThread().name
})
