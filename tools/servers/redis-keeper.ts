/** The program of a process that keeps a Redis server (keeper.ts). */
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort, keep, type KeeperAnswer, type Kept, ServerProcess } from "./keeper.ts"
import type { RedisOptions } from "./redis.ts"

/** How often another free port is tried, if a process takes the one that was found before the server does. */
const PORT_TRIES = 20
/** Redis and Valkey say the same. */
const READY = /Ready to accept connections/

class RedisKeeper implements Kept {
  readonly #order: RedisOptions & { readonly program: string }
  readonly #folder = mkdtempSync(join(tmpdir(), "corepool-redis-"))
  /** It keeps other users of this machine out. */
  readonly #password = randomBytes(12).toString("hex")
  #port = 0
  readonly #server = new ServerProcess()

  constructor(order: RedisOptions & { readonly program: string }) {
    this.#order = order
  }

  async start(): Promise<KeeperAnswer> {
    for (let tries = 1; ; tries++) {
      this.#port = this.#order.port ?? (await freePort())
      const failure = await this.#launch()
      if (failure === undefined) return this.#place()
      const isTaken = /Address already in use/.test(failure)
      if (!isTaken || this.#order.port !== undefined || tries === PORT_TRIES) throw new Error(failure)
    }
  }

  async kill(): Promise<KeeperAnswer> {
    await this.#server.end("SIGKILL")
    return {}
  }

  async restart(): Promise<KeeperAnswer> {
    await this.#server.end("SIGTERM")
    const failure = await this.#launch()
    if (failure !== undefined) throw new Error(failure)
    return this.#place()
  }

  async stop(isOrderly: boolean): Promise<KeeperAnswer> {
    await this.#server.end(isOrderly ? "SIGTERM" : "SIGKILL")
    rmSync(this.#folder, { recursive: true, force: true })
    return {}
  }

  async #launch(): Promise<string | undefined> {
    const settings = {
      port: String(this.#port),
      bind: "127.0.0.1",
      dir: this.#folder,
      save: "",
      appendonly: this.#order.keepsData === true ? "yes" : "no",
      appendfsync: "always", // by default a server that is killed may lose what it has confirmed, if the disk is busy
      "maxmemory-policy": "noeviction",
      requirepass: this.#password,
    }
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])
    const server = spawn(this.#order.program, args, { cwd: this.#folder, stdio: ["ignore", "pipe", "pipe"] })
    return await this.#server.launch(server, this.#order.program, READY)
  }

  #place(): KeeperAnswer {
    const pid = this.#server.pid
    return { url: `redis://:${this.#password}@127.0.0.1:${this.#port}`, ...(pid === undefined ? {} : { pid }) }
  }
}

keep((order) => new RedisKeeper(order as RedisOptions & { readonly program: string }))
