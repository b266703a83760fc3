/** A PostgreSQL server of one's own, from npm, ready in a second or two: for tests, the fleet example and benchmarks. */
import { KeeperProcess, RunningServer } from "./keeper-process.ts"

export interface PostgresOptions {
  /** Where the data lie; what is there is used, and stays. Default: a folder of its own, removed at the end. */
  readonly dataDir?: string
  /** Default: a free one. */
  readonly port?: number
}

/** Starts a server. Rejects with what is missing, if the platform has no such programs. */
export async function startPostgres(options: PostgresOptions = {}): Promise<RunningServer> {
  const keeper = new KeeperProcess("postgres-keeper.js", options)
  return new RunningServer(keeper, await keeper.answer())
}
