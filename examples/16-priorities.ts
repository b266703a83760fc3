/**
 * Priorities: who waits is not first come, first served, but the most important first.
 *
 * `with(options)` gives a view of the same pool whose tasks carry the options. A higher priority runs first, equal ones in the
 * order in which they came. Tasks that already run are not disturbed.
 */
import { Executors, PriorityBlockingQueue, type Runnable, ThreadPoolExecutor, virtualThreads } from "corepool"

await using clinic = new ThreadPoolExecutor({
  corePoolSize: 1,
  maximumPoolSize: 1,
  workQueue: new PriorityBlockingQueue<Runnable>(),
  threadFactory: virtualThreads(),
})
const urgent = clinic.with({ priority: 10 })
const normal = clinic.with({ priority: 0 })

const treat = (patient: string): void => console.log(`treated: ${patient}`)

// The first one finds the doctor free; the others wait.
normal.submit(treat, "a cough")
normal.submit(treat, "a check-up")
normal.submit(treat, "a headache")
urgent.submit(treat, "a broken leg")
clinic.with({ priority: 99 }).submit(treat, "a heart attack")
await clinic.close()

// A pool whose queue knows no order says so at once, instead of ignoring the wish.
await using plain = Executors.newFixedThreadPool(1, virtualThreads())
try {
  plain.with({ priority: 1 })
} catch (error) {
  console.log(error instanceof Error ? error.name : error)
}

// The queue alone, with an order of one's own: shortest first.
const words = new PriorityBlockingQueue<string>((a, b) => a.length - b.length)
words.addAll(["pear", "fig", "banana", "kiwi"])
console.log(words.poll(), words.poll(), words.poll(), words.poll())

// Output:
// treated: a cough
// treated: a heart attack
// treated: a broken leg
// treated: a check-up
// treated: a headache
// UnsupportedOperationError
// fig pear kiwi banana
