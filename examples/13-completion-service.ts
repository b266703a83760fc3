/**
 * Results in the order in which they come.
 *
 * `Promise.all` gives all results at the end, in the order of the questions. A completion service hands out each one as
 * soon as it is there, failures included, so that a page can show what it has.
 */
import { ExecutorCompletionService, Executors, Thread, virtualThreads } from "corepool"

async function ask(shop: string, ms: number): Promise<string> {
  await Thread.sleep(ms)
  if (shop === "corner") throw new Error("corner is closed")
  return `${shop} has it`
}

await using pool = Executors.newFixedThreadPool(4, virtualThreads())
const answers = new ExecutorCompletionService<string>(pool)

const shops = { slow: 500, quick: 5, corner: 250 }
for (const [shop, ms] of Object.entries(shops)) answers.submit(ask, shop, ms)

for (let left = Object.keys(shops).length; left > 0; left--) {
  // Settled, as an entry of Promise.allSettled is, with its future beside it.
  const answer = await answers.take()
  console.log(answer.status === "fulfilled" ? answer.value : `failed: ${String(answer.reason)}`)
}

// `poll()` does not wait, `poll(ms)` waits that long at most.
console.log(answers.poll())
console.log(await answers.poll(5))

// Output:
// quick has it
// failed: Error: corner is closed
// slow has it
// undefined
// undefined
