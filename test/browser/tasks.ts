/** The module of tasks that the pages of the tests have, as a text: `/tasks.js`. */
export const TASKS = `
import { task, transfer, Thread, RecursiveTask, Executors } from "/corepool/index.js"
const self_ = (fn) => task(import.meta.url, fn)
export const add = self_(function add(a, b) { return a + b })
export const later = self_(async function later(a) { await null; return a })
export const fail = self_(function fail() { throw new RangeError("no") })
export const name = self_(function name() { return Thread.currentThread().name })
export const nameLater = self_(async function nameLater() { await null; return Thread.currentThread().name })
export const fill = self_(function fill(n) { return new Uint8Array(n).fill(7) })
export const sum = self_(function sum(bytes) { return bytes.reduce((a, b) => a + b, 0) })

/** Tells by the first word that it has begun. */
const begun = (words) => { Atomics.store(words, 0, 1); Atomics.notify(words, 0) }
export const spin = self_(function spin(words) { begun(words); for (;;) Atomics.add(words, 1, 1) })
export const lockAndSpin = self_(function lockAndSpin(lock, words) { lock.lockSync(); begun(words); for (;;) Atomics.add(words, 1, 1) })
export const block = self_(function block(queue, words) { begun(words); return queue.takeSync() })
export const lockAndBlock = self_(function lockAndBlock(lock, queue, words) { lock.lockSync(); begun(words); for (;;) try { queue.takeSync() } catch {} })
export const sleep = self_(function sleep(words) { begun(words); Thread.sleepSync(3_600_000) })

const never = () => new Promise(() => {})
export const close = self_(function close() { self.close(); return never() })
export const throwLater = self_(function throwLater() { setTimeout(() => { throw new Error("thrown later") }); return never() })
export const rejectLater = self_(function rejectLater() { Promise.reject(new Error("rejected")); return never() })
export const lockAndClose = self_(function lockAndClose(lock) { lock.lockSync(); self.close(); return never() })
export const lockAndThrow = self_(function lockAndThrow(lock) { lock.lockSync(); setTimeout(() => { throw new Error("thrown later") }); return never() })

export const take = self_(function take(queue) { return queue.takeSync() })
export const count = self_(function count(lock, words, times) {
  for (let i = 0; i < times; i++) {
    lock.lockSync()
    words[0] = words[0] + 1
    lock.unlock()
  }
})
export const churn = self_(function churn(queue, times) {
  let taken = 0
  for (let i = 0; i < times; i++) {
    queue.offer(i)
    if (queue.poll() !== undefined) taken++
  }
  return taken
})
export const waitFor = self_(function waitFor(pool, task, ...args) {
  try { return pool.submit(task === "fill" ? fill : task === "channel" ? channel : view, ...args).getSync()?.length } catch (error) { return error.name }
})
export const sendChannel = self_(function sendChannel(pool) {
  const { port1 } = new MessageChannel()
  const future = pool.with({ transfer: [port1] }).submit(keep, port1)
  try { return future.getSync() } catch (error) { return error.name }
})
export const keep = self_(function keep(port) { return typeof port })
export const channel = self_(function channel() { const { port1 } = new MessageChannel(); return transfer(port1, [port1]) })
export const view = self_(function view(shared) { return shared })
export class Halves extends RecursiveTask {
  static { task(import.meta.url, this) }
  constructor(bytes, lock) { super(); this.bytes = bytes; this.lock = lock }
  compute() {
    const { bytes, lock } = this
    if (bytes.length <= 20_000) return bytes.reduce((a, b) => a + b, 0)
    const middle = bytes.length >> 1
    const part = new Halves(bytes.slice(0, middle), lock).fork()
    return new Halves(bytes.slice(middle), lock).compute() + part.join()
  }
}
export const ownPool = self_(async function ownPool(size) {
  const pool = Executors.newFixedThreadPool(1)
  const seen = []
  try { pool.submit(fill, 1).getSync() } catch (error) { seen.push(error.name) }
  seen.push(await pool.submit(add, 1, 1), pool.submit(fill, size).getSync().length)
  await pool.close()
  return seen.join()
})
/** The second task is the first one of the second thread. */
export const twoThreads = self_(async function twoThreads() {
  const pool = Executors.newFixedThreadPool(2)
  const seen = [await pool.submit(add, 1, 1)]
  const second = pool.submit(add, 2, 2)
  try { seen.push(second.getSync()) } catch (error) { seen.push(error.name) }
  seen.push(await second, pool.submit(add, 3, 3).getSync())
  await pool.close()
  return seen.join()
})

export class Fib extends RecursiveTask {
  static { task(import.meta.url, this) }
  constructor(n) { super(); this.n = n }
  compute() {
    if (this.n < 10) return fib(this.n)
    const part = new Fib(this.n - 1).fork()
    return new Fib(this.n - 2).compute() + part.join()
  }
}
const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2))
`
