/** The thread of a poolifier pool: its tasks are registered by name. It cannot hand a result over, only copy it. */
import { installed } from "./packages.ts"
import { addPair, bump, compute, hold, leave, relabel, stamp, touch } from "./work.ts"

interface Poolifier {
  readonly ThreadWorker: new (tasks: Record<string, (data: never) => unknown>) => object
}

const { ThreadWorker } = await installed<Poolifier>("poolifier")

export default new ThreadWorker({ addPair, bump, compute, hold, leave, relabel, stamp, touch })
