/**
 * The threads of one test; at the end of the test none of them is left.
 *
 *     await using threads = new Threads()
 *     const { thread, outcome } = threads.call(() => task.get())
 *
 * At the end those that still live are interrupted and waited for. An error that ended a thread and was not taken
 * with `takeUncaught()` fails the test.
 */
import { type Runnable, Thread, type ThreadFactory, virtualThreads } from "corepool"
import assert from "node:assert/strict"
import { eventually } from "../../support/harness.ts"

/** A thread that makes one call, and the result of the call. */
export interface Call<T> {
  readonly thread: Thread
  /** Handled already: it may reject before the test looks at it. */
  readonly outcome: Promise<T>
}

export class Threads implements AsyncDisposable {
  readonly #threads: Thread[] = []
  #uncaught: { readonly thread: Thread; readonly error: unknown }[] = []

  readonly factory: ThreadFactory = virtualThreads({
    uncaughtException: (thread, error) => this.#uncaught.push({ thread, error }),
  })

  /** A thread that is not started yet. */
  create(target: Runnable): Thread {
    const thread = create(this.factory, target)
    this.#threads.push(thread)
    return thread
  }

  start(target: Runnable): Thread {
    const thread = this.create(target)
    thread.start()
    return thread
  }

  /** Makes the call on a thread of its own. `interrupted` raises the thread's flag before the call. */
  call<T>(body: () => T | PromiseLike<T>, { interrupted = false } = {}): Call<T> {
    let deliver: { resolve(value: T): void; reject(reason: unknown): void } | undefined
    const outcome = new Promise<T>((resolve, reject) => (deliver = { resolve, reject }))
    outcome.catch(() => undefined)
    const thread = this.create(async () => {
      try {
        deliver?.resolve(await body())
      } catch (error) {
        deliver?.reject(error)
      }
    })
    if (interrupted) thread.interrupt()
    thread.start()
    return { thread, outcome }
  }

  /** The errors that ended threads since the last call, in order. */
  takeUncaught(): { readonly thread: Thread; readonly error: unknown }[] {
    const taken = this.#uncaught
    this.#uncaught = []
    return taken
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const thread of this.#threads) thread.interrupt()
    await eventually(() => this.#threads.every((thread) => !thread.isAlive))
    assert.deepEqual(this.takeUncaught(), [], "errors ended threads and the test did not expect them")
  }
}

/** Unlike `newThread` itself this gives a thread for sure. */
export function create(factory: ThreadFactory, target: Runnable): Thread {
  const thread = factory.newThread(target as () => unknown)
  assert.ok(thread instanceof Thread)
  return thread
}
