/** A Redis or Valkey server of one's own, for tests and benchmarks, if its program is installed: there is no package on npm that brings it. */
import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"
import { KeeperProcess, RunningServer } from "./keeper-process.ts"

export interface RedisOptions {
  /** Default: a free one. */
  readonly port?: number
  /** Whether what was written is there after a restart; default false. */
  readonly keepsData?: boolean
}

const PROGRAMS = ["redis-server", "valkey-server"]

/** The program of a server, found on the PATH; undefined if there is none. */
export function redisProgram(path = process.env["PATH"] ?? ""): string | undefined {
  for (const name of PROGRAMS) {
    for (const folder of path.split(delimiter)) {
      if (folder !== "" && existsSync(join(folder, name))) return join(folder, name)
    }
  }
  return undefined
}

export async function startRedis(options: RedisOptions = {}): Promise<RunningServer> {
  const program = redisProgram()
  if (program === undefined) throw new Error(`There is no Redis: none of ${PROGRAMS.join(" and ")} is on the PATH`)
  const keeper = new KeeperProcess("redis-keeper.js", { ...options, program })
  return new RunningServer(keeper, await keeper.answer())
}
