/**
 * A bounded queue between worker threads: one finds candidates, two others test whether they are prime, and the main thread
 * adds up what they find.
 *
 * A queue that is posted to a thread is the same queue there; its elements are copies. The finder cannot run ahead, for
 * `putSync` blocks it while the queue is full. `close()` says that nothing more will come. This file is all of the
 * threads.
 */
import { ArrayBlockingQueue, CountDownLatch, LinkedBlockingQueue, type Shared } from "corepool"
import { isMainThread, Worker, workerData } from "node:worker_threads"

const LIMIT = 20_000
const TESTERS = 2
const CAPACITY = 64

interface Job {
  readonly role: "find" | "test"
  readonly candidates: Shared
  readonly found: Shared
  readonly testing: Shared
}

interface Finding {
  readonly primes: number
  readonly largest: number
}

if (isMainThread) await main()
else work(workerData as Job)

async function main(): Promise<void> {
  const candidates = new ArrayBlockingQueue<number>(CAPACITY)
  const found = new LinkedBlockingQueue<Finding>()
  const testing = new CountDownLatch(TESTERS)
  for (const role of ["find", ...Array.from({ length: TESTERS }, () => "test")] as const) {
    const job = { role, candidates, found, testing } as Job
    new Worker(new URL(import.meta.url), { workerData: job }).on("error", (error) => console.log(error.message))
  }

  let primes = 0
  let largest = 0
  // This thread has other things to do: it awaits, and its event loop goes on.
  for await (const finding of found) {
    primes += finding.primes
    largest = Math.max(largest, finding.largest)
  }
  console.log(`${primes} primes below ${LIMIT}, the largest is ${largest}`)
  console.log(`left over: ${candidates.size}, closed: ${candidates.isClosed}`)
}

function work(job: Job): void {
  const candidates = ArrayBlockingQueue.from<number>(job.candidates)
  if (job.role === "find") {
    candidates.putSync(2)
    for (let n = 3; n < LIMIT; n += 2) candidates.putSync(n) // blocks this thread while 64 are waiting
    candidates.close()
    return
  }

  const found = LinkedBlockingQueue.from<Finding>(job.found)
  const testing = CountDownLatch.from(job.testing)
  let primes = 0
  let largest = 0
  // Until the queue is closed and empty.
  for (let n = candidates.pollSync(Infinity); n !== undefined; n = candidates.pollSync(Infinity)) {
    if (!isPrime(n)) continue
    primes++
    largest = Math.max(largest, n)
  }
  found.putSync({ primes, largest })
  testing.countDown()
  if (testing.count === 0) found.close() // the last one out
}

function isPrime(n: number): boolean {
  for (let divisor = 2; divisor * divisor <= n; divisor++) if (n % divisor === 0) return false
  return true
}

// Output:
// 2262 primes below 20000, the largest is 19997
// left over: 0, closed: true
