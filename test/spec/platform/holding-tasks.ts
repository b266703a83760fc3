/** What the threads of holding.test.ts run: tasks that hold something and do not stop, and those that want it next. */
import { type Lock, type ReentrantLock, type ReentrantReadWriteLock, type Shared, task } from "corepool"
import { words } from "../../support/shared-words.ts"

/** For each test: how often the holder has worked, whether it is to stop, and who is there. */
export const WORDS = { WORK: 0, STOP: 1, HOLDS: 2, WAITS: 3, SIZE: 4 } as const

/** Works inside of what it holds, deaf to interrupts. */
function work(at: number): void {
  Atomics.store(words, at + WORDS.HOLDS, 1)
  while (Atomics.load(words, at + WORDS.STOP) === 0) Atomics.add(words, at + WORDS.WORK, 1)
}

export const hold = task(import.meta.url, function hold(lock: Lock, at: number): void {
  lock.lockSync()
  work(at)
})

/** As all that it is sent: the lock, of which it takes a part. */
export const holdPart = task(
  import.meta.url,
  function holdPart(lock: ReentrantReadWriteLock, at: number, part: "readLock" | "writeLock"): void {
    lock[part].lockSync()
    work(at)
  },
)

export const holdByGuard = task(import.meta.url, async function holdByGuard(lock: Lock, at: number): Promise<void> {
  using _guard = await lock.lock()
  work(at)
})

/** Signals, and goes on. */
export const signal = task(import.meta.url, function signal(lock: ReentrantLock, at: number, condition: Shared): void {
  lock.lockSync()
  lock.conditionFrom(condition).signalAll()
  work(at)
})

/** Ends its thread while it holds the lock, and works on when it is told of the end. */
export const exit = task(import.meta.url, function exit(lock: Lock, at: number): void {
  lock.lockSync()
  process.on("exit", () => {
    for (let i = 0; i < 10_000; i++) Atomics.add(words, at + WORDS.WORK, 1)
  })
  Atomics.store(words, at + WORDS.HOLDS, 1)
  process.exit(0)
})

/** The same, later, when all that a task does at first is over. */
export const exitLater = task(import.meta.url, async function exitLater(lock: Lock, at: number): Promise<void> {
  process.on("exit", () => {
    for (let i = 0; i < 10_000; i++) Atomics.add(words, at + WORDS.WORK, 1)
  })
  await new Promise((resolve) => setTimeout(resolve, 1))
  lock.lockSync()
  Atomics.store(words, at + WORDS.HOLDS, 1)
  process.exit(0)
})

/** How often the former holder has worked while this one held the lock. */
export const follow = task(import.meta.url, function follow(lock: Lock, at: number): number {
  Atomics.store(words, at + WORDS.WAITS, 1)
  lock.lockSync()
  const before = Atomics.load(words, at + WORDS.WORK)
  for (let i = 0; i < 100; i++) Atomics.wait(words, at + WORDS.STOP, Atomics.load(words, at + WORDS.STOP), 0.1)
  const after = Atomics.load(words, at + WORDS.WORK)
  lock.unlock()
  return after - before
})

/** Lets the holder go on for a while, and then tells it to stop. */
export const stopLater = task(import.meta.url, function stopLater(at: number): void {
  const before = Atomics.load(words, at + WORDS.WORK)
  while (Atomics.load(words, at + WORDS.WORK) - before < 100_000) continue
  Atomics.store(words, at + WORDS.STOP, 1)
})
