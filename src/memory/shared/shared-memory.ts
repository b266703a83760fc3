import { sharedWords } from "#atomics"
import { alone, typeError } from "../../checks.ts"
import { FACTS, type Facts, INSPECT, type InspectArguments, inspected } from "../../inspection.ts"
import type { ThreadContext } from "../thread/thread-context.ts"
import { kindOf } from "./kinds.ts"
import { SHAREABLE } from "./shareables.ts"
import { noteShared } from "./shared-objects.ts"
import { threadContext, contextIn } from "../thread/this-thread.ts"
import type { Sharing } from "../wait/wait-node.ts"

/** What is sent to another thread in place of a shared object. Give it to the `from` of the object's class there. */
export interface Handle {
  /** The name of the class. */
  readonly corepool: string
  /** What all shared objects of the program have in common. */
  readonly space: SharedArrayBuffer
  /** The words of this object. */
  readonly memory: SharedArrayBuffer
  /** By which all threads know it, in thread dumps. */
  readonly number?: number
}

/** A handle, or what becomes of a shared object itself when it is posted. */
export type Shared =
  | Handle
  | {
      /** What the posted object consists of. */
      readonly handle: Handle
    }

/**
 * The memory of one shared object, and how the object gets to another thread.
 *
 * Each object has a buffer of its own rather than a piece of a common one: the runtime then frees it when the last
 * thread has dropped it, however that thread ended, and a number written into it can never come to mean another object.
 * It costs half a microsecond to make.
 */
export class SharedMemory implements Sharing {
  readonly threadContext: ThreadContext
  readonly words: Int32Array
  isShared: boolean
  /** What kind of object this is the memory of; 0 if it is of none that a thread dump names. */
  kind = 0
  /** By which all threads know the object; 0 as long as it is not shared. */
  number = 0

  constructor(thread: ThreadContext, words: Int32Array, isShared: boolean) {
    this.threadContext = thread
    this.words = words
    this.isShared = isShared
  }

  /** New memory, all 0. */
  static allocate(words: number): SharedMemory {
    return new SharedMemory(threadContext(), sharedWords(words), false)
  }

  /** The memory of an object of this class that another thread has sent. */
  static open(type: string, sent: Shared): SharedMemory {
    const handle = handleIn(sent)
    if (handle?.corepool !== type) throw typeError("handle", `the handle of a ${type}`, describe(sent, handle))
    const memory = new SharedMemory(contextIn(handle.space), new Int32Array(handle.memory), true)
    memory.kind = kindOf(type)
    memory.number = handle.number ?? 0
    return memory
  }

  handleAs(type: string): Handle {
    if (!this.isShared) {
      this.isShared = true
      this.number = this.threadContext.registry.nextNumber()
      this.threadContext.reviewKeepAlive()
    }
    return {
      corepool: type,
      space: this.threadContext.registry.buffer,
      memory: this.words.buffer as SharedArrayBuffer,
      number: this.number,
    }
  }
}

function handleIn(sent: unknown): Handle | undefined {
  if (typeof sent !== "object" || sent === null) return undefined
  if ("corepool" in sent && "memory" in sent && "space" in sent) return sent as Handle
  return "handle" in sent && sent.handle !== sent ? handleIn(sent.handle) : undefined
}

function describe(sent: unknown, handle: Handle | undefined): unknown {
  return handle === undefined ? sent : `the handle of a ${handle.corepool}`
}

/**
 * The base of everything that threads share. Post it to a worker, alone or inside of something else, and give what
 * arrives to `from`:
 *
 *     worker.postMessage({ lock })                                                        // here
 *     parentPort.on("message", (message) => { const lock = ReentrantLock.from(message.lock) … })   // there
 */
export abstract class Shareable {
  /** What a clone of this object consists of; see {@link Handle}. */
  declare readonly handle: Handle
  readonly #type: string
  readonly #memory: SharedMemory

  /** @internal */
  protected constructor(type: string, memory: SharedMemory) {
    this.#type = type
    this.#memory = memory
    if (memory.kind === 0) memory.kind = kindOf(type)
    Object.defineProperty(this, "handle", handleProperty)
  }

  /** @internal */
  get [SHAREABLE](): true {
    return true
  }

  /** @internal */
  [INSPECT](...by: InspectArguments): string {
    return inspected(this, by)
  }

  /** @internal */
  get [FACTS](): Facts {
    return {}
  }

  /** @internal */
  static handleOf(object: Shareable): Handle {
    const isNew = !object.#memory.isShared
    const handle = object.#memory.handleAs(object.#type)
    if (isNew) noteShared(object.#memory.number, object)
    return handle
  }

  /** @internal The memory of the object, if it is one of these; for thread dumps. */
  static memoryOf(object: unknown): SharedMemory | undefined {
    return typeof object === "object" && object !== null && #memory in object ? object.#memory : undefined
  }
}

/**
 * A clone takes along what an object owns, not what its class has. Read at the moment of cloning, so that we know of
 * it.
 */
const handleProperty: PropertyDescriptor & ThisType<Shareable> = /* @__PURE__ */ alone({
  enumerable: true,
  get() {
    return Shareable.handleOf(this)
  },
})
