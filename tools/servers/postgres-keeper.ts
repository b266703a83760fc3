/** The program of a process that keeps a PostgreSQL server (keeper.ts). It makes the data first. */
import { type ChildProcess, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { collect, ended, freePort, keep, type KeeperAnswer, type Kept, ServerProcess } from "./keeper.ts"
import type { PostgresOptions } from "./postgres.ts"
import { installedFolder, isOpenToAll, runnableFolder, serverUser } from "./postgres-files.ts"

/** Losing nothing when a process is killed does not need the disk: only a machine that loses its power would. */
const SETTINGS = {
  fsync: "off",
  full_page_writes: "off",
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "300",
  shared_buffers: "64MB",
  wal_level: "minimal",
  max_wal_senders: "0",
  jit: "off",
}

/** The password lies beside the data, for a later server on the same data. */
const PASSWORD = "corepool-password"
/** How often another free port is tried, if a process takes the one that was found before the server does. */
const PORT_TRIES = 20

class PostgresKeeper implements Kept {
  readonly #order: PostgresOptions
  readonly #uid = serverUser()
  readonly #temporary: string
  readonly #data: string
  readonly #bin: string
  #port = 0
  readonly #server = new ServerProcess()

  constructor(order: PostgresOptions) {
    const installed = installedFolder()
    this.#order = order
    this.#temporary = mkdtempSync(join(temporaryFolder(), "corepool-postgres-"))
    this.#give(this.#temporary)
    try {
      this.#bin = join(runnableFolder(installed, join(this.#temporary, "native")), "bin")
    } catch (error) {
      this.#clean()
      throw error
    }
    this.#data = order.dataDir ?? join(this.#temporary, "data")
  }

  async start(): Promise<KeeperAnswer> {
    await this.#initialize()
    for (let tries = 1; ; tries++) {
      this.#port = this.#order.port ?? (await freePort())
      const failure = await this.#launch()
      if (failure === undefined) return this.#place()
      const isTaken = /could not (create any TCP|bind)/.test(failure)
      if (!isTaken || this.#order.port !== undefined || tries === PORT_TRIES) throw new Error(failure)
    }
  }

  /** The children of the postmaster notice that it is gone, and end. */
  async kill(): Promise<KeeperAnswer> {
    await this.#server.end("SIGKILL")
    return {}
  }

  async restart(): Promise<KeeperAnswer> {
    await this.#server.end("SIGINT")
    for (;;) {
      const failure = await this.#launch()
      if (failure === undefined) return this.#place()
      // The children of a postmaster that was killed are about to end: until then it refuses to start beside them.
      if (!/pre-existing shared memory block|could not (create any TCP|bind)/.test(failure)) throw new Error(failure)
    }
  }

  async stop(isOrderly: boolean): Promise<KeeperAnswer> {
    await this.#server.end(isOrderly ? "SIGINT" : "SIGQUIT")
    this.#clean()
    return {}
  }

  async #initialize(): Promise<void> {
    mkdirSync(this.#data, { recursive: true })
    if (readdirSync(this.#data).length > 0) return
    this.#give(this.#data)
    const password = join(this.#temporary, "password")
    writeFileSync(password, randomBytes(12).toString("hex"), { mode: 0o600 })
    this.#give(password)
    // One round of hashing: the password keeps other users of this machine out, and connecting stays cheap.
    const form = ["--locale=C", "-E", "UTF8", "-c", "scram_iterations=1", "--no-sync", "--no-instructions"]
    const login = ["-U", "postgres", "-A", "scram-sha-256", `--pwfile=${password}`]
    const initdb = this.#spawn("initdb", ["-D", this.#data, ...login, ...form])
    const said = collect(initdb)
    const [code] = (await ended(initdb)) as [number | null]
    if (code !== 0) throw new Error(`initdb: ${said()}`)
    writeFileSync(join(this.#data, PASSWORD), readFileSync(password), { mode: 0o600 })
  }

  /** Starts the server. Is fulfilled with nothing when it accepts connections, with what it said if it ended instead. */
  async #launch(): Promise<string | undefined> {
    const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ["-c", `${name}=${value}`])
    const server = this.#spawn("postgres", ["-D", this.#data, "-p", String(this.#port), ...settings])
    return await this.#server.launch(server, "postgres", /ready to accept connections/)
  }

  #place(): KeeperAnswer {
    const password = readFileSync(join(this.#data, PASSWORD), "utf8")
    const pid = this.#server.pid
    return {
      url: `postgres://postgres:${password}@127.0.0.1:${this.#port}/postgres`,
      ...(pid === undefined ? {} : { pid }),
    }
  }

  #spawn(program: string, args: readonly string[]): ChildProcess {
    const user = this.#uid === undefined ? {} : { uid: this.#uid, gid: this.#uid }
    const env = { ...process.env, LC_ALL: "C" }
    return spawn(join(this.#bin, program), args, {
      ...user,
      env,
      cwd: this.#temporary,
      stdio: ["ignore", "pipe", "pipe"],
    })
  }

  #give(path: string): void {
    if (this.#uid !== undefined) chownSync(path, this.#uid, this.#uid)
  }

  #clean(): void {
    rmSync(this.#temporary, { recursive: true, force: true, maxRetries: 5 })
  }
}

function temporaryFolder(): string {
  const usual = tmpdir()
  return serverUser() === undefined || !existsSync("/tmp") || isOpenToAll(usual) ? usual : "/tmp"
}

keep((order) => new PostgresKeeper(order))
