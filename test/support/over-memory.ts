import type { SharedMemory } from "#src/memory/shared/shared-memory.js"

/** A synchronizer in this memory; the declarations that tests see leave that constructor out, as internal. */
export function overMemory<T>(type: new (memory: never) => T, memory: SharedMemory): T {
  return new type(memory as never)
}
