/**
 * A fixed pool: two threads share a list of downloads.
 *
 * Four tasks are submitted at once. Two run, two wait in the pool's queue until a thread is free, so one slow
 * download does not hold up the others. The threads are virtual: asynchronous flows on the event loop, which cost
 * next to nothing.
 */
import { Executors, Thread, virtualThreads } from "corepool"

/** Stands for any asynchronous work: a request, a query, a file. */
async function download(file: string, ms: number): Promise<number> {
  await Thread.sleep(ms)
  console.log(`${Thread.currentThread().name} has ${file}`)
  return file.length * 1000
}

// `await using` closes the pool at the end of the block: it takes no new tasks and waits for those it has.
await using pool = Executors.newFixedThreadPool(2, virtualThreads({ name: "io" }))

// A task is any function, with its arguments behind it. What comes back is a future, which can be awaited.
const film = pool.submit(download, "film.mp4", 400)
const others = ["one.txt", "two.txt", "three.txt"].map((file) => pool.submit(download, file, 20))

console.log(`${pool.activeCount} running, ${pool.queue.size} waiting`)

let bytes = await film
for (const future of others) bytes += await future
console.log(`${bytes} bytes, never more than ${pool.largestPoolSize} threads`)

// Output:
// 2 running, 2 waiting
// io-2 has one.txt
// io-2 has two.txt
// io-2 has three.txt
// io-1 has film.mp4
// 31000 bytes, never more than 2 threads
