/**
 * Passing data to platform threads: shared, moved and copied.
 *
 * Two threads count the letters of a text. The counts lie in memory that all of them share, so nobody has to bring anything
 * back. Then a large buffer goes to a thread and returns, and is never copied on the way.
 */
import { AtomicInteger, Executors } from "corepool"

await using pool = Executors.newFixedThreadPool(2)

// Shared: the same memory, and the same object, in all threads.
const counts = new Int32Array(new SharedArrayBuffer(26 * 4))
const words = new AtomicInteger(0)

function countLetters(line: string, into: Int32Array, counter: AtomicInteger): void {
  for (const letter of line.toLowerCase()) {
    const index = letter.charCodeAt(0) - 97
    if (index >= 0 && index < 26) Atomics.add(into, index, 1)
  }
  counter.addAndGet(line.split(" ").length)
}

const lines = ["the quick brown fox", "jumps over", "the lazy dog"]
await Promise.all(lines.map((line) => pool.submit(countLetters, line, counts, words)))
console.log(
  `${words.get()} words, ${counts[4]} times e, ${counts.filter((count) => count > 0).length} different letters`,
)

// Moved: it is in one thread at a time. What a task returns is moved if the task says so.
async function invert(pixels: Uint8Array): Promise<Uint8Array> {
  const { transfer } = await import("corepool")
  return transfer(pixels.map((value) => 255 - value))
}

const image = new Uint8Array(1_000_000)
const future = pool.with({ transfer: [image.buffer] }).submit(invert, image)
console.log(`${image.length} bytes are left here`)
const inverted = await future
console.log(`${inverted.length} bytes have come back, the first is ${inverted[0]}`)

// Copied: whatever else is data. What is not, is refused before anything happens.
try {
  pool.submit((options: object) => options, { retries: 3, onError: () => undefined })
} catch (error) {
  console.log(String(error))
}

// Output:
// 9 words, 3 times e, 26 different letters
// 0 bytes are left here
// 1000000 bytes have come back, the first is 255
// NotSerializableError: Function onError in `args[0].onError` cannot be copied
