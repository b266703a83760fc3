import { fastq, type FastqCallback } from "corepool/compat"
import assert from "node:assert/strict"
import test from "node:test"
import { rejectionOf } from "../../support/harness.ts"

/** A worker that keeps the callbacks. */
function held() {
  const begun: number[] = []
  const done: FastqCallback<number>[] = []
  const worker = (job: number, callback: FastqCallback<number>): void => {
    begun.push(job)
    done.push(callback)
  }
  return { begun, done, worker }
}

test("[CT6] [CT7] [CT8] jobs begin at once or wait, and the queue tells of its states", () => {
  const { begun, done, worker } = held()
  const queue = fastq(worker, 1)
  const told: string[] = []
  queue.saturated = () => told.push("saturated")
  queue.empty = () => told.push("empty")
  queue.drain = () => told.push("drain")
  const results: unknown[] = []
  queue.push(1, (error, result) => results.push([error, result]))
  queue.push(3)
  queue.unshift(2)
  assert.deepEqual(begun, [1])
  assert.deepEqual([queue.length(), queue.running(), queue.idle(), queue.getQueue()], [2, 1, false, [2, 3]])
  for (let n = 0; n < 3; n++) done[n]?.(null, n)
  assert.deepEqual(begun, [1, 2, 3])
  assert.deepEqual(results, [[null, 0]])
  assert.deepEqual(told, ["saturated", "empty", "drain"])
  assert.equal(queue.idle(), true)
  const context = { name: "context" }
  fastq(
    context,
    function (this: typeof context, _job: unknown, callback) {
      assert.equal(this, context)
      callback(null)
    },
    1,
  ).push(1)
  assert.throws(() => fastq(worker, 0), /concurrency must be equal to or greater than 1/)
})

test("[CT8] pause, resume, concurrency, kill and abort", () => {
  const { begun, done, worker } = held()
  const queue = fastq(worker, 1)
  queue.pause()
  const errors: string[] = []
  queue.error((error, job) => errors.push(`${error?.message} ${job}`))
  for (const job of [1, 2, 3, 4]) queue.push(job)
  assert.deepEqual([begun.length, queue.paused], [0, true])
  queue.resume()
  assert.deepEqual(begun, [1])
  queue.concurrency = 2
  assert.deepEqual(begun, [1, 2])
  queue.abort()
  assert.deepEqual(errors, ["abort 3", "abort 4"])
  let drained = 0
  queue.drain = () => drained++
  queue.push(5)
  queue.killAndDrain()
  assert.deepEqual([drained, queue.length()], [1, 0])
  queue.kill()
  done[0]?.(null)
  done[1]?.(null)
  assert.deepEqual([drained, queue.idle()], [1, true])
})

test("[CT9] promises of results, which need not be handled, and drained()", async () => {
  const queue = fastq.promise(async (job: number) => {
    if (job < 0) throw new Error("negative")
    return job * 2
  }, 1)
  void queue.push(-1)
  const results = [queue.push(1), queue.unshift(2)]
  await queue.drained()
  assert.deepEqual(await Promise.all(results), [2, 4])
  assert.equal(((await rejectionOf(queue.push(-2))) as Error).message, "negative")
  await queue.drained()
})

test("[CT10] workers that call back at once do not overflow the stack", () => {
  let count = 0
  const queue = fastq((_job: number, done) => {
    count++
    done(null)
  }, 1)
  queue.pause()
  for (let n = 0; n < 100_000; n++) queue.push(n)
  queue.resume()
  assert.equal(count, 100_000)
})
