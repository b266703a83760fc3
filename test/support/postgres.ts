/**
 * PostgreSQL for tests.
 *
 *     const { url, fresh } = await testPostgres()
 *     postgres(url, { schema: fresh() })
 *
 * `npm test` starts one server for all test files that use this one and gives its URL in COREPOOL_TEST_POSTGRES_URL. A test file that is run by itself
 * starts its own, which ends with it. Test files share the server, so a test uses a schema of its own; one that
 * kills its server starts one by `startPostgres`.
 */
import { randomBytes } from "node:crypto"
import { startPostgres } from "../../tools/servers/postgres.ts"

export { type PostgresOptions, startPostgres } from "../../tools/servers/postgres.ts"
export type { RunningServer as PostgresServer } from "../../tools/servers/keeper-process.ts"

export interface TestPostgres {
  readonly url: string
  /** The name of a schema that is not there yet. All of them begin with `corepool_test_`. */
  readonly fresh: () => string
}

let own: Promise<string> | undefined

/** The server of this test run. */
export async function testPostgres(): Promise<TestPostgres> {
  const given = process.env["COREPOOL_TEST_POSTGRES_URL"]
  own ??= given === undefined || given === "" ? startPostgres().then((server) => server.url) : Promise.resolve(given)
  const url = await own
  return { url, fresh: () => `corepool_test_${randomBytes(6).toString("hex")}` }
}
