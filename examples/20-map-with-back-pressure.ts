/**
 * A function over a stream, a few items at a time, no faster than the consumer.
 *
 * `map` reads its source only as far as its window allows. So the source may be endless, and leaving the loop ends everything:
 * what is under way is cancelled, and the source is told.
 */
import { Executors, Thread, virtualThreads } from "corepool"

let read = 0

function* pages(): Generator<number> {
  try {
    for (;;) yield ++read
  } finally {
    console.log("source closed")
  }
}

async function crawl(page: number): Promise<string> {
  await Thread.sleep(page % 2 === 0 ? 1 : 5) // results come in the order of the items all the same
  return `page ${page}`
}

await using pool = Executors.newFixedThreadPool(3, virtualThreads())

for await (const result of pool.map(crawl, pages(), { window: 4 })) {
  console.log(result)
  await Thread.sleep(5) // a slow consumer
  if (result === "page 5") break
}
console.log(`read ahead by at most 4: ${read <= 5 + 4}`)

// The first error ends the iteration.
try {
  for await (const length of pool.map((text: string | undefined) => text?.length ?? crash(), ["a", "bb", undefined])) {
    console.log(length)
  }
} catch (error) {
  console.log(error instanceof Error ? error.message : error)
}

function crash(): never {
  throw new Error("no text")
}

// Output:
// page 1
// page 2
// page 3
// page 4
// page 5
// source closed
// read ahead by at most 4: true
// 1
// 2
// no text
