/**
 * Redis for tests, where there is one: COREPOOL_REDIS_URL names a server, or `redis-server` or `valkey-server` is on the PATH.
 *
 *     await onRedis(({ url, fresh }) => {
 *       testQueueEngine({ name: "Redis", open: () => redis({ url, prefix: fresh() }) })
 *     })
 *
 * `npm test` starts one server for all test files that use this one. Where there is none, the tests are skipped, and the run says so at its end.
 * `npm run test:redis` runs these test files, and fails without a server.
 */
import { randomBytes } from "node:crypto"
import test from "node:test"
import { redisProgram, startRedis } from "../../tools/servers/redis.ts"

export { type RedisOptions, startRedis } from "../../tools/servers/redis.ts"

export interface TestRedis {
  readonly url: string
  /** A prefix for keys that no other test has. */
  readonly fresh: () => string
}

/** Why tests on Redis do not run here; false if they do. For the option `skip` of a test. */
export const withoutRedis: string | false =
  (process.env["COREPOOL_REDIS_URL"] ?? "") === "" && redisProgram() === undefined
    ? "there is no Redis here: neither redis-server nor valkey-server is on the PATH, and COREPOOL_REDIS_URL is not set"
    : false

let own: Promise<string> | undefined

/** The server of this test run. */
export async function testRedis(): Promise<TestRedis> {
  const given = process.env["COREPOOL_REDIS_URL"] ?? ""
  own ??= given === "" ? startRedis().then((server) => server.url) : Promise.resolve(given)
  const url = await own
  return { url, fresh: () => `corepool-test-${randomBytes(6).toString("hex")}` }
}

/** Runs `define`, which defines tests, if there is a server. If not, one test is skipped for all of them. */
export async function onRedis(define: (server: TestRedis) => unknown): Promise<void> {
  if (withoutRedis === false) await define(await testRedis())
  else test("[RP58] the tests of this file on Redis", { skip: withoutRedis }, () => undefined)
}
