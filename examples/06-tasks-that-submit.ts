/**
 * A task that submits to its own pool, and waits for it.
 *
 * A pool given to a task as an argument arrives as the same pool. Its tasks may submit to it, and wait, as deep as they like: a
 * thread that waits for a task which nobody has begun runs that task itself, so even a pool of one thread does not wait for
 * itself.
 */
import { Executors } from "corepool"
import { mergeSort } from "./support/sorting.ts"

function someNumbers(count: number): Float64Array {
  let seed = 1
  return Float64Array.from({ length: count }, () => (seed = (seed * 48271) % 2147483647))
}

for (const threads of [1, 2]) {
  const pool = Executors.newFixedThreadPool(threads)
  const sorted = await pool.submit(mergeSort, someNumbers(50_000), pool)
  await pool.close()
  const inOrder = sorted.every((number, i) => i === 0 || number >= (sorted[i - 1] as number))
  console.log(`${threads}: ${sorted.length} numbers, in order: ${inOrder}, ${pool.completedTaskCount} tasks`)
}

// Output:
// 1: 50000 numbers, in order: true, 32 tasks
// 2: 50000 numbers, in order: true, 32 tasks
