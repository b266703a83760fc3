import { type Handle, type Shared, SharedMemory } from "../memory/shared/shared-memory.ts"
import type { ThreadContext } from "../memory/thread/thread-context.ts"

interface TierHandle extends Handle {
  readonly parent?: TierHandle
}

/**
 * The memory of a phaser, which refers to that of the phaser above it: a thread that receives a child gets its parents
 * too.
 */
export class TierMemory extends SharedMemory {
  readonly parent: TierMemory | undefined

  private constructor(thread: ThreadContext, words: Int32Array, isShared: boolean, parent: TierMemory | undefined) {
    super(thread, words, isShared)
    this.parent = parent
  }

  static of(memory: SharedMemory, parent: TierMemory | undefined): TierMemory {
    return new TierMemory(memory.threadContext, memory.words, memory.isShared, parent)
  }

  static openTier(type: string, sent: Shared): TierMemory {
    const memory = SharedMemory.open(type, sent) // first: it refuses anything that is no handle
    const { parent } = handleIn(sent)
    return TierMemory.of(memory, parent && TierMemory.openTier(type, parent))
  }

  override handleAs(type: string): TierHandle {
    const handle = super.handleAs(type)
    return this.parent === undefined ? handle : { ...handle, parent: this.parent.handleAs(type) }
  }
}

function handleIn(sent: Shared): TierHandle {
  return "handle" in sent ? handleIn(sent.handle) : sent
}
