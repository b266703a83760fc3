/** Starts the servers that test files need, once for all of them, and says where they are. */
import { filesOf } from "../test-kinds.ts"
import type { RunningServer } from "./keeper-process.ts"
import { startPostgres } from "./postgres.ts"
import { redisProgram, startRedis } from "./redis.ts"

/** A test file that uses this one needs PostgreSQL. */
const POSTGRES = "test/support/postgres.ts"
/** A test file that uses this one runs on Redis, too, where there is one. */
const REDIS = "test/support/redis.ts"

export interface TestServers {
  /** For the processes that run the tests. */
  readonly env: Readonly<Record<string, string>>
  /** What is not tested because a server is missing: lines to print at the end. */
  readonly missing: readonly string[]
  stop(): Promise<void>
}

export async function startServers(root: string, tests: readonly string[]): Promise<TestServers> {
  const env: Record<string, string> = {}
  const servers: RunningServer[] = []
  const missing: string[] = []
  if (!isGiven("COREPOOL_TEST_POSTGRES_URL") && tests.some((test) => filesOf(root, test).has(POSTGRES))) {
    const server = await startPostgres()
    servers.push(server)
    env["COREPOOL_TEST_POSTGRES_URL"] = server.url
  }
  const onRedis = testsOnRedis(root, tests)
  if (!isGiven("COREPOOL_REDIS_URL") && onRedis.length > 0) {
    if (redisProgram() === undefined) {
      missing.push(
        `NOT RUN: the tests on Redis, of ${onRedis.length} test file${onRedis.length === 1 ? "" : "s"}. ` +
          "Install redis-server or valkey-server, or set COREPOOL_REDIS_URL; `npm run test:redis` runs them alone.",
      )
    } else {
      const server = await startRedis()
      servers.push(server)
      env["COREPOOL_REDIS_URL"] = server.url
    }
  }
  const stop = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.stop()))
  }
  return { env, missing, stop }
}

/** Those that run on Redis. */
export function testsOnRedis(root: string, tests: readonly string[]): string[] {
  return tests.filter((test) => filesOf(root, test).has(REDIS))
}

function isGiven(name: string): boolean {
  return (process.env[name] ?? "") !== ""
}
