/** What the threads of threads.test.ts and deaths.test.ts do. */
import {
  ArrayBlockingQueue,
  DelayQueue,
  LinkedBlockingDeque,
  LinkedBlockingQueue,
  LinkedTransferQueue,
  PriorityBlockingQueue,
  SynchronousQueue,
} from "corepool"
import type { Shared } from "#src/memory/shared/shared-memory.js"
import { threadContext } from "#src/memory/thread/this-thread.js"
import type { Voice } from "../../support/workers.ts"

const CLASSES = {
  ArrayBlockingQueue,
  DelayQueue,
  LinkedBlockingDeque,
  LinkedBlockingQueue,
  LinkedTransferQueue,
  PriorityBlockingQueue,
  SynchronousQueue,
}

export type ClassName = keyof typeof CLASSES

/** Calls one method after the other: each a name and arguments. Tells what they gave, or the name of what they threw. */
export async function call(this: Voice, type: ClassName, shared: Shared, calls: readonly (readonly unknown[])[]) {
  const opened = CLASSES[type] as unknown as { from(sent: Shared): Record<string, (...args: unknown[]) => unknown> }
  const queue = opened.from(shared)
  this.say(threadContext().token)
  const results: unknown[] = []
  for (const [name, ...args] of calls) {
    try {
      results.push(await queue[name as string]?.(...args))
    } catch (error) {
      results.push((error as Error).name)
    }
  }
  return results
}

/** Puts values that are hard to copy, and takes what comes back. */
export async function echo(this: Voice, shared: Shared, back: Shared): Promise<void> {
  const [queue, answers] = [LinkedBlockingQueue.from<unknown>(shared), LinkedBlockingQueue.from<unknown>(back)]
  for await (const value of queue) answers.putSync(value)
}

/** Adds an element, and ends its thread after so many comparisons. */
export function dieComparing(this: Voice, shared: Shared, comparisons: number): void {
  let left = comparisons
  const queue = PriorityBlockingQueue.from<number>(shared, (a, b) => (left-- === 0 ? process.exit() : a - b))
  queue.add(-1)
}
