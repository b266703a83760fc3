/**
 * A producer and its consumers, with a bounded queue between them.
 *
 * `put` waits while the queue is full, so a fast producer cannot run ahead. `close()` says that nothing more will come: what is
 * inside is still taken, and then every `for await` over the queue ends.
 */
import { ArrayBlockingQueue, Executors, Thread } from "corepool"

const CAPACITY = 3
const orders = new ArrayBlockingQueue<number>(CAPACITY)
let fullest = 0

async function produce(count: number): Promise<void> {
  for (let order = 1; order <= count; order++) {
    await orders.put(order)
    fullest = Math.max(fullest, orders.size)
  }
  orders.close()
}

async function consume(): Promise<number[]> {
  const served: number[] = []
  for await (const order of orders) {
    await Thread.sleep(2)
    served.push(order)
  }
  return served
}

// A virtual thread each: the natural home of what mostly waits.
await using executor = Executors.newVirtualThreadPerTaskExecutor()
const consumers = [executor.submit(consume), executor.submit(consume)]
executor.execute(produce, 20)

const [first, second] = await Promise.all(consumers)
const all = [...(first ?? []), ...(second ?? [])].sort((a, b) => a - b)
console.log(`served: ${all.join(" ")}`)
console.log(`nobody idle: ${first?.length !== 0 && second?.length !== 0}`)
console.log(`never more than ${fullest} waiting: ${fullest <= CAPACITY}`)

// Besides waiting, a queue can be asked to try now: nothing here throws or blocks.
const box = new ArrayBlockingQueue<string>(1)
console.log(box.offer("first"), box.offer("second"), box.poll(), box.poll())
// Or for so long, in ms.
console.log(await box.poll(5))

// Output:
// served: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20
// nobody idle: true
// never more than 3 waiting: true
// true false first undefined
// undefined
