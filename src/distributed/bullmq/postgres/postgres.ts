/**
 * The engine on PostgreSQL.
 *
 *     const engine = postgres("postgres://fleet:secret@db.example.com/work")
 *     const engine = postgres({ host: "db.example.com", database: "work", user: "fleet", password, schema: "jobs" })
 *
 * The tables are BullMQ's, in a schema of their own. They are made, and updated, only when the program says so: by
 * `migrate: true`, or by `migrate(engine)` in a step of its own, with a role that may do that.
 */
import { rangeError, typeError } from "../../../checks.ts"
import { IllegalStateError } from "../../../errors.ts"
import type { Engine, EngineQueue } from "../../job/engine.ts"
import { BullQueue } from "../bull-queue.ts"
import { type Bull, bullFor, type PgClient, type PgConnection, requirePg } from "../bull-types.ts"
import { toQueueName } from "../names.ts"
import { PostgresStore } from "./postgres-store.ts"
import { ServerClock } from "../server-clock.ts"
import { PATIENCE, requirePatience, Steady } from "../steady.ts"
import { requireUrl, secretsOf, type UrlForm, whereOf } from "../where.ts"

/**
 * Where the server is. Fields that are not named here are passed on to `pg.Pool`: `host`, `user`, `password`, `ssl`,
 * `max` and others.
 */
export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url?: string
  /** The same, as pg calls it. */
  readonly connectionString?: string
  /** The schema of BullMQ's tables; default `bullmq`. */
  readonly schema?: string
  /** Whether the tables may be made or updated when a queue is opened; default false. */
  readonly migrate?: boolean
  /** For how long an operation is tried while the server is away, in ms; default 30,000. Then it is rejected. */
  readonly patience?: number
  /** Any option of `pg.Pool`. */
  readonly [option: string]: unknown
}

const URLS: UrlForm = {
  protocols: ["postgres:", "postgresql:"],
  example: "postgres://user@host:5432/database",
}

/** The engine on PostgreSQL 13 or newer. It needs the packages bullmq and pg. */
export function postgres(options: string | PostgresOptions): Engine {
  return new PostgresEngine(typeof options === "string" ? { url: options } : options)
}

/** Makes BullMQ's tables, or updates them. Any number of processes may call it at the same time. */
export async function migrate(engine: Engine): Promise<void> {
  if (!(engine instanceof PostgresEngine)) {
    throw typeError("engine", "one that postgres() has given: others have no tables", engine)
  }
  await engine.migrate()
}

class PostgresEngine implements Engine {
  readonly #config: Readonly<Record<string, unknown>>
  readonly #limits: object
  readonly #migrates: boolean
  readonly #schema: string
  readonly #where: string
  readonly #secrets: readonly string[]
  readonly #patience: number

  constructor(options: PostgresOptions) {
    const {
      url,
      connectionString = url,
      schema = "bullmq",
      migrate: migrates = false,
      patience = PATIENCE,
      ...rest
    } = checked(options)
    this.#where = whereOf("PostgreSQL", connectionString, rest, "database", 5432)
    this.#patience = patience
    this.#secrets = secretsOf(connectionString, rest)
    this.#schema = schema
    this.#migrates = migrates
    const defaults = { connectionTimeoutMillis: 10_000, keepAlive: true, allowExitOnIdle: true }
    this.#config = { ...defaults, ...rest, ...(connectionString === undefined ? {} : { connectionString }), schema }
    this.#limits = limitsOf(rest)
  }

  async open(name: string, role: "executor" | "node"): Promise<EngineQueue> {
    const bull = load()
    const steady = new Steady(this.#where, this.#secrets, this.#patience)
    if (this.#migrates) await this.migrate()
    const connection = await steady.run(() => this.#connect(bull, this.#limits))
    const clock = new ServerClock(() => store.time())
    const queue = toQueueName(name)
    const context = { bull, connection, queue, isExecutor: role === "executor", now: () => clock.now() }
    const store = new PostgresStore(context)
    const opened = new BullQueue(store, clock, steady)
    connection.on("error", (error: unknown) => opened.error(error))
    try {
      await steady.run(() => clock.measure())
    } catch (error) {
      await opened.close()
      throw error
    }
    clock.keepUp()
    return opened
  }

  async migrate(): Promise<void> {
    const bull = load()
    const steady = new Steady(this.#where, this.#secrets, this.#patience)
    // Without limits of time: a large table takes long, and so may another process that is making the tables.
    const connection = await steady.run(() => this.#connect(bull, { migrate: true }))
    await connection.close()
  }

  toString(): string {
    return `${this.#where}, schema ${this.#schema}`
  }

  /** Tries once: a connection that was not ready the first time never is. */
  async #connect(bull: Bull, more: object): Promise<PgConnection> {
    const connection = new bull.PostgresConnection({ migrate: false, ...this.#config, ...more })
    // A client that is lost while BullMQ uses it reports that twice: by the operation, and by an event, which would end
    // the process if there were no listener.
    connection.pool.on("connect", (client: PgClient) => client.on("error", () => undefined))
    try {
      await connection.waitUntilReady()
      return connection
    } catch (error) {
      await connection.close()
      if ((error as Error).name !== "SchemaMigrationRequiredError") throw error
      throw new IllegalStateError(
        `${this.#where} has no tables of BullMQ in schema ${this.#schema}: make them once, by \`await migrate(engine)\`, or let them be made by \`postgres({ …, migrate: true })\``,
      )
    }
  }
}

/**
 * For how long the client waits for an answer, and the server works at it, in ms. A server that does not answer at all
 * counts as a lost connection; and a try needs a limit before it can be repeated.
 *
 * The server has to give up first. A statement that waits for a lock goes on when the client has gone: each try would
 * leave one behind that waits, and the more of them there are the longer each takes.
 */
function limitsOf(given: Readonly<Record<string, unknown>>): object {
  const { query_timeout: wait = 20_000, statement_timeout: work = typeof wait === "number" ? wait * 0.75 : 0 } = given
  return { query_timeout: wait, statement_timeout: work }
}

function load(): Bull {
  requirePg("postgres()")
  return bullFor("postgres()")
}

function checked(options: PostgresOptions): PostgresOptions {
  const given: unknown = options
  if (typeof given !== "object" || given === null) throw typeError("options", "a URL or an object", options)
  const { url, connectionString, schema, migrate: migrates } = options
  for (const [name, value] of Object.entries({ url, connectionString, schema })) {
    if (value !== undefined && typeof value !== "string") throw typeError(name, "a string", value)
  }
  if (url !== undefined) requireUrl("url", url, URLS)
  if (connectionString !== undefined) requireUrl("connectionString", connectionString, URLS)
  if (migrates !== undefined && typeof migrates !== "boolean") throw typeError("migrate", "a boolean", migrates)
  if (schema !== undefined && !/^[A-Za-z_][A-Za-z0-9_$]{0,62}$/.test(schema)) {
    throw rangeError("schema", "a name of letters, digits and underscores", schema)
  }
  requirePatience(options.patience)
  return options
}
