/** The first message to a worker, from the thread that starts it. */
import { perThread } from "../../../per-thread.ts"

export interface StartData {
  readonly workerData: unknown
  /** The number of the worker, and the name of the Web Lock that it holds as long as it exists. */
  readonly id: number
  readonly life: string
  readonly environment: ReadonlyMap<unknown, unknown>
}

/** What a worker tells that thread. */
export type Told =
  /** It has its lock, and begins. */
  | { readonly corepool: "begun" }
  /** It ends with this exit code. */
  | { readonly corepool: "exit"; readonly code: number }
  /** It ends because of this error. */
  | { readonly corepool: "error"; readonly error: unknown }

interface Start {
  data: StartData | undefined
  readonly calls: ((data: StartData) => void)[]
}

/** A bundler may put corepool into the worker and into the modules of its tasks: all copies learn of the start. */
const start = perThread<Start>("start", () => ({ data: undefined, calls: [] }))

/** Calls the function when this thread has learned what it is: at once, or later, or never in a page. */
export function onStart(call: (data: StartData) => void): void {
  if (start.data === undefined) start.calls.push(call)
  else call(start.data)
}

/** Called by the boot of a worker, before its program begins. */
export function setStartData(data: StartData): void {
  start.data = data
  for (const call of start.calls) call(data)
}
