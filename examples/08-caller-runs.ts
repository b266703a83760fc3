/**
 * Back-pressure: whoever submits faster than the pool can work has to do the work.
 *
 * One thread, and room for two more tasks. When there is no room, `CallerRunsPolicy` runs the task in the thread that submits it,
 * inside the call of `submit`. So the producer is slowed down to the pace of the pool, and memory does not grow.
 */
import { ArrayBlockingQueue, CallerRunsPolicy, Executors, platformThreads, ThreadPoolExecutor } from "corepool"
import { countPrimes } from "./support/primes.ts"

const ROOM = 2
/** The task that an idle thread is about to take may be seen in the queue, too, for a moment. */
const SEEN = ROOM + 1

await using pool = new ThreadPoolExecutor({
  corePoolSize: 1,
  maximumPoolSize: 1,
  workQueue: new ArrayBlockingQueue(ROOM),
  threadFactory: platformThreads(),
  handler: CallerRunsPolicy,
})

let primes = 0
let byCaller = 0
let fullest = 0
for (let n = 0; n < 200; n++) {
  const future = pool.submit(countPrimes, n * 500, (n + 1) * 500)
  if (future.isDone) byCaller++ // perhaps the thread was that fast, but usually it was done right here
  fullest = Math.max(fullest, pool.queue.size)
  void future.get().then((count) => (primes += count))
}
await pool.close()

console.log(`${primes} primes below 100000`)
console.log(`done by the caller: ${byCaller > 0}, by the thread: ${pool.completedTaskCount > 0}`)
console.log(`never more than ${ROOM} waiting, and one on its way to the thread: ${fullest <= SEEN}`)

// The other way to slow a producer down: `map` reads its source only as far as there is room, and nobody is refused.
await using workers = Executors.newFixedThreadPool(2)
let read = 0
function* ranges(): Generator<number> {
  for (; read < 1000; read++) yield read * 100
}
const inRange = (from: number): number => from / 100
for await (const n of workers.map(inRange, ranges(), { window: 4 })) {
  if (n === 10) break // what is under way is cancelled
}
console.log(`read no further than needed: ${read < 20}`)

// Output:
// 9592 primes below 100000
// done by the caller: true, by the thread: true
// never more than 2 waiting, and one on its way to the thread: true
// read no further than needed: true
