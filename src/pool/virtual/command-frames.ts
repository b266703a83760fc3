import { frameForTask, NO_STORES } from "../../memory/flow/flow.ts"
import { ChunkedList } from "../../queue/local/chunked-list.ts"
import type { Frame } from "#host/runtime/context"

/**
 * The asynchronous contexts of the commands that wait in the queue of a pool. A future keeps its context itself. A
 * command is an object of the program, which the queue, the handler and the hooks get as it was given to `execute`: its
 * context is kept beside it.
 *
 * A program may execute one function many times, in a context each time. Commands that are the same object leave the
 * queue in the order in which they came, so their contexts form a list. A command that the program takes out of the
 * queue by hand leaves its context here until it is executed again.
 */
export class CommandFrames {
  readonly #frames = new WeakMap<object, Frame | ChunkedList<Frame>>()
  /** Whether a command ever had stores. Until then there is nothing to remember. */
  #isUsed = false

  /** The command is about to be queued. */
  note(command: object): void {
    const frame = frameForTask()
    if (frame === NO_STORES && !this.#isUsed) return
    this.#isUsed = true
    const waiting = this.#frames.get(command)
    if (waiting === undefined) this.#frames.set(command, frame)
    else if (waiting instanceof ChunkedList) waiting.push(frame)
    else {
      const list = new ChunkedList<Frame>()
      list.push(waiting)
      list.push(frame)
      this.#frames.set(command, list)
    }
  }

  /** The command begins. */
  take(command: object): Frame {
    if (!this.#isUsed) return NO_STORES
    const waiting = this.#frames.get(command)
    if (waiting instanceof ChunkedList && waiting.size > 1) return waiting.shift() as Frame
    this.#frames.delete(command)
    return (waiting instanceof ChunkedList ? waiting.first : waiting) ?? NO_STORES
  }

  /** The command that was noted last will not begin. */
  forgetNewest(command: object): void {
    const waiting = this.#frames.get(command)
    if (waiting instanceof ChunkedList) waiting.pop()
    else this.#frames.delete(command)
  }
}
