/** What the program in the pictures of the monitor does. */
import { type ReentrantLock, RecursiveTask, task, Thread } from "corepool"

function compute(ms: number): number {
  const end = performance.now() + ms
  let sum = 0
  while (performance.now() < end) sum += Math.sqrt(sum + 1)
  return sum
}

export const resizeImage = task(import.meta.url, function resizeImage(ms: number): number {
  return compute(ms)
})

export const parseCsv = task(import.meta.url, function parseCsv(ms: number): number {
  return compute(ms)
})

export const hashFile = task(import.meta.url, function hashFile(ms: number, fails: boolean): number {
  const sum = compute(ms)
  if (fails) throw new Error("no such file")
  return sum
})

export const updateIndex = task(import.meta.url, function updateIndex(lock: ReentrantLock, ms: number): void {
  lock.lockSync()
  try {
    Thread.sleepSync(ms)
  } finally {
    lock.unlock()
  }
})

export const crash = task(import.meta.url, function crash(): never {
  compute(60)
  process.exit(1)
})

export class SumOfSquares extends RecursiveTask<number> {
  static {
    task(import.meta.url, this)
  }

  readonly from: number
  readonly to: number

  constructor(from: number, to: number) {
    super()
    this.from = from
    this.to = to
  }

  override compute(): number {
    if (this.to - this.from <= 8) return compute((this.to - this.from) * 2)
    const middle = (this.from + this.to) >>> 1
    const left = new SumOfSquares(this.from, middle)
    left.fork()
    const right = new SumOfSquares(middle, this.to).compute()
    return left.join() + right
  }
}
