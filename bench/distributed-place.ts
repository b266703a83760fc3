/** Where the queue of a benchmark is, for both contenders. */
import { type Engine, postgres, redis } from "corepool/distributed"

export const CONCURRENCY = 50
/** How long a job stays that of a node without a sign of life, in ms: of the nodes that are killed, and of others. */
export const BRIEF_LOCK = 2000
export const LOCK = 15_000

export function engineOf(url: string): Engine {
  return url.startsWith("redis") ? redis(url) : postgres(url)
}

export function connectionOf(url: string): object {
  if (!url.startsWith("redis")) return { connectionString: url }
  const { hostname, port, password } = new URL(url)
  return { host: hostname, port: Number(port), password, maxRetriesPerRequest: null }
}
