/**
 * Worker threads that work on the same numbers, in step: a rod of metal whose ends are kept hot and cold.
 *
 * In each step every point becomes the mean of its neighbours. Each thread computes a part of the rod, and nobody may begin
 * the next step before all have finished this one: they meet at a CyclicBarrier. A CountDownLatch tells the main thread
 * that all of them are through. This file is both, the main program and what the workers run.
 */
import { AtomicInteger, CountDownLatch, CyclicBarrier, type Shared } from "corepool"
import { isMainThread, Worker, workerData } from "node:worker_threads"

const POINTS = 60
const STEPS = 2000
const THREADS = 3

interface Job {
  readonly barrier: Shared
  readonly finished: Shared
  /** The rod now, and the rod after the step; they change roles. */
  readonly rods: readonly [Float64Array, Float64Array]
  readonly steps: Shared
  readonly thread: number
}

if (isMainThread) await main()
else work(workerData as Job)

async function main(): Promise<void> {
  const rods = [sharedRod(), sharedRod()] as const
  const steps = new AtomicInteger()
  const barrier = new CyclicBarrier(THREADS, () => undefined) // the action of this thread, which never comes last
  const finished = new CountDownLatch(THREADS)
  for (let thread = 0; thread < THREADS; thread++) {
    // A barrier or a latch can be posted like any other value, and is the same one there.
    const job: Job = { barrier, finished, rods, steps, thread }
    const worker = new Worker(new URL(import.meta.url), { workerData: job })
    worker.on("error", (error) => console.log(`thread ${thread} failed: ${error.message}`))
  }

  console.log(`in time: ${await finished.await(60_000)}`)
  const [rod] = rods
  console.log(`${steps.get()} steps: ${[0, 15, 30, 45, 59].map((point) => rod[point]?.toFixed(1)).join(" ")}`)
  console.log(`as one thread would have computed it: ${alone().every((value, point) => value === rod[point])}`)
}

function work({ rods, thread, ...shared }: Job): void {
  const steps = AtomicInteger.from(shared.steps)
  // The action belongs to a thread, so each brings its own. The last one to arrive runs it, before anybody goes on.
  const barrier = CyclicBarrier.from(shared.barrier, () => steps.incrementAndGet())
  const finished = CountDownLatch.from(shared.finished)
  const share = POINTS / THREADS
  for (let step = 0; step < STEPS; step++) {
    const [from, to] = step % 2 === 0 ? rods : [rods[1], rods[0]]
    compute(from, to, thread * share, (thread + 1) * share)
    barrier.awaitSync() // this thread has nothing else to do, so it may as well block
  }
  finished.countDown()
}

function compute(from: Float64Array, to: Float64Array, begin: number, end: number): void {
  for (let point = Math.max(begin, 1); point < Math.min(end, POINTS - 1); point++) {
    to[point] = ((from[point - 1] as number) + (from[point + 1] as number)) / 2
  }
}

function alone(): Float64Array {
  const rods = [sharedRod(), sharedRod()] as const
  for (let step = 0; step < STEPS; step++)
    compute(rods[step % 2 === 0 ? 0 : 1], rods[step % 2 === 0 ? 1 : 0], 0, POINTS)
  return rods[0]
}

function sharedRod(): Float64Array {
  const rod = new Float64Array(new SharedArrayBuffer(POINTS * 8))
  rod[0] = 100
  return rod
}

// Output:
// in time: true
// 2000 steps: 100.0 71.9 45.4 21.2 0.0
// as one thread would have computed it: true
