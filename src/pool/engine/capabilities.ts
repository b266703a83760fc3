/** What the threads of a pool can do. */
export interface Capabilities {
  /** Which kind of threads they are. */
  readonly threads: "virtual" | "platform"
  /** Tasks run at the same time, on several processors. */
  readonly parallel: boolean
  /** Tasks may close over variables; otherwise they must be portable. */
  readonly closures: boolean
  /** `getSync()` can wait for a task that is not done. */
  readonly blocking: boolean
  /** A task that ignores an interrupt can be stopped by force. */
  readonly termination: boolean
}

/** Of virtual threads. */
export const VIRTUAL: Capabilities = /* @__PURE__ */ Object.freeze({
  threads: "virtual",
  parallel: false,
  closures: true,
  blocking: false,
  termination: false,
})

/** Of platform threads. */
export const PLATFORM: Capabilities = /* @__PURE__ */ Object.freeze({
  threads: "platform",
  parallel: true,
  closures: false,
  blocking: true,
  termination: true,
})
