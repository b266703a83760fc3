/** What the stand-in of the facade has to know: whose call it is, and about which memory. */
import type { Memory } from "./memory.ts"
import type { ModelThread } from "./thread.ts"

export const context: {
  /** The memory of the model that is being explored. */
  memory: Memory | undefined
  /** The thread whose code is being run; undefined during set-up, checks and whatever is not the model's. */
  thread: ModelThread | undefined
} = { memory: undefined, thread: undefined }
