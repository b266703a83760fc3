/** Starts the servers that test files need, once for all of them, and says where they are. */
import { filesOf } from "../test-kinds.ts"
import { startPostgres } from "./postgres.ts"

/** A test file that uses this one needs PostgreSQL. */
const POSTGRES = "test/support/postgres.ts"

export interface TestServers {
  /** For the processes that run the tests. */
  readonly env: Readonly<Record<string, string>>
  stop(): Promise<void>
}

export async function startServers(root: string, tests: readonly string[]): Promise<TestServers> {
  const env: Record<string, string> = {}
  const isNeeded = tests.some((test) => filesOf(root, test).has(POSTGRES))
  if (!isNeeded || (process.env["COREPOOL_TEST_POSTGRES_URL"] ?? "") !== "") return { env, stop: async () => {} }
  const server = await startPostgres()
  env["COREPOOL_TEST_POSTGRES_URL"] = server.url
  return { env, stop: () => server.stop() }
}
