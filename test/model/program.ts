/**
 * The library's threads in a model: a space, and in it a few threads that have entered it. A body begins by becoming one
 * of them.
 *
 *     setup: () => { const program = new Program("a", "b"); return { program, lock: program.words(64, "lock") } },
 *     threads: { a: ({ program, lock }) => { const mutex = new ReentrantLock(program.memory("a", lock)) … } },
 *     kill: "a",
 *     onKill: ({ program }, name) => program.bury(name),
 */
import { sharedWords } from "#atomics"
import { ThreadContext } from "#src/memory/thread/thread-context.js"
import { mainFlow } from "#src/memory/flow/flow.js"
import { SharedMemory } from "#src/memory/shared/shared-memory.js"
import { ThreadRegistry, SPACE, THREAD } from "#src/memory/thread/thread-registry.js"
import { become } from "#src/memory/thread/this-thread.js"
import { drive, type Steps } from "#src/memory/flow/waiting.js"
import { name, type Self } from "./explore.ts"

/** Wait nodes for every thread. */
const CHUNKS = 4

export class Program {
  readonly registry: ThreadRegistry = ThreadRegistry.small(CHUNKS)
  readonly #tokens = new Map<string, number>()

  constructor(...names: string[]) {
    const fields: Record<string, number> = { ...SPACE }
    for (const thread of names) {
      const token = this.registry.enter(0, -1)
      this.#tokens.set(thread, token)
      Object.assign(fields, fieldsAt(this.registry.entryOf(token), THREAD, thread))
    }
    name(this.registry.words, "space", fields)
  }

  /** Words of a shared object. For the set-up. */
  words(count: number, label: string, fields: Readonly<Record<string, number>> = {}): Int32Array {
    const words = sharedWords(count)
    name(words, label, fields)
    return words
  }

  token(thread: string): number {
    const token = this.#tokens.get(thread)
    if (token === undefined) throw new Error(`No thread is called ${thread}`)
    return token
  }

  /** Becomes the thread: what the body calls from now on is called by it. */
  enter(thread: string): ThreadContext {
    // It does not spin before it sleeps: looking twice shows nothing that looking once does not.
    const threadContext = new ThreadContext(this.registry, this.token(thread), 0)
    become(threadContext)
    return threadContext
  }

  /** Becomes the thread, and opens an object in its name. */
  memory(thread: string, words: Int32Array): SharedMemory {
    // As if nobody else knew of it: otherwise a wait would keep the process of the test alive.
    return new SharedMemory(this.enter(thread), words, false)
  }

  reap(thread: string): void {
    this.registry.reap(this.token(thread))
  }
}

/** Runs the steps awaiting. The thread has not finished before they have. */
export function awaited<T>(self: Self, steps: Steps<T>, then: (value: T) => void = () => undefined): void {
  let done = false
  self.until(() => done)
  const resolve = (value: T): void => {
    then(value)
    done = true
  }
  const reject = (error: unknown): never => {
    throw error
  }
  drive(steps, { resolve, reject }, mainFlow, Infinity)
}

function fieldsAt(base: number, layout: Readonly<Record<string, number>>, label: string): Record<string, number> {
  return Object.fromEntries(Object.entries(layout).map(([field, offset]) => [`${label}.${field}`, base + offset]))
}
