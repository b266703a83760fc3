/**
 * The engine on Redis, or on Valkey.
 *
 *     const engine = redis("rediss://:secret@redis.example.com:6379/0")
 *     const engine = redis({ host: "redis.example.com", password, tls: {}, prefix: "work" })
 *
 * A Redis that evicts keys when its memory is full loses jobs: it must have `maxmemory-policy noeviction`. Otherwise
 * there is a warning.
 */
import type { Timeout } from "#host/runtime/clock"
import { warn } from "#host/runtime/warnings"
import { typeError } from "../../../checks.ts"
import type { Engine, EngineQueue } from "../../job/engine.ts"
import { BullQueue } from "../bull-queue.ts"
import { bullFor, type RedisClient, type RedisClientClass, redisClientClass } from "../bull-types.ts"
import { toQueueName } from "../names.ts"
import { RedisStore } from "./redis-store.ts"
import { ServerClock } from "../server-clock.ts"
import { PATIENCE, requirePatience, Steady } from "../steady.ts"
import { requireUrl, secretsOf, type UrlForm, whereOf } from "../where.ts"

/**
 * Where the server is. Fields that are not named here are passed on to ioredis: `host`, `port`, `username`, `password`,
 * `tls`, `db` and others.
 */
export interface RedisOptions {
  /** `redis://user:password@host:port/db`; `rediss:` with TLS. */
  readonly url?: string
  /** The beginning of all keys; default `bull`. */
  readonly prefix?: string
  /** For how long an operation is tried while the server is away, in ms; default 30,000. Then it is rejected. */
  readonly patience?: number
  /** Any option of ioredis. */
  readonly [option: string]: unknown
}

const URLS: UrlForm = { protocols: ["redis:", "rediss:"], example: "redis://user@host:6379/0" }

/** The engine on Redis 6.2 or newer, or Valkey. It needs the packages bullmq and ioredis. */
export function redis(options: string | RedisOptions): Engine {
  return new RedisEngine(typeof options === "string" ? { url: options } : options)
}

const warned = new Set<string>()

class RedisEngine implements Engine {
  readonly #url: string | undefined
  readonly #config: Readonly<Record<string, unknown>>
  readonly #prefix: string
  readonly #where: string
  readonly #secrets: readonly string[]
  readonly #patience: number

  constructor(options: RedisOptions) {
    const { url, prefix = "bull", patience = PATIENCE, ...rest } = checked(options)
    this.#where = whereOf("Redis", url, rest, "db", 6379)
    this.#patience = patience
    this.#secrets = secretsOf(url, rest)
    this.#url = url
    this.#prefix = prefix
    this.#config = rest
  }

  async open(name: string, role: "executor" | "node"): Promise<EngineQueue> {
    const bull = bullFor("redis()")
    const steady = new Steady(this.#where, this.#secrets, this.#patience)
    const heard: { by?: BullQueue } = {}
    const connect = (): Promise<RedisClient> => this.#connect((error) => heard.by?.error(error))
    const client = await steady.run(connect)
    const clock = new ServerClock(() => store.time())
    const now = (): number => clock.now()
    const queue = toQueueName(name)
    const isExecutor = role === "executor"
    const store = new RedisStore({ bull, client, queue, prefix: this.#prefix, isExecutor, now, connect })
    const opened = new BullQueue(store, clock, steady)
    heard.by = opened
    try {
      await steady.run(() => clock.measure())
      await steady.alive(() => this.#checkMemory(client))
    } catch (error) {
      await opened.close()
      throw steady.clean(error)
    }
    clock.keepUp()
    return opened
  }

  toString(): string {
    return `${this.#where}, prefix ${this.#prefix}`
  }

  /** A connected client, which reconnects by itself. Commands that cannot be sent fail at once. */
  async #connect(onError: (error: unknown) => void): Promise<RedisClient> {
    const settings = {
      connectTimeout: 10_000,
      keepAlive: 10_000,
      ...this.#config,
      socketTimeout: 10_000, // for a server that does not answer at all; the longest waiting command takes two seconds
      lazyConnect: true,
      maxRetriesPerRequest: 0,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      retryStrategy: (attempt: number) => Math.min(20 * 2 ** attempt, 500),
    }
    const Redis = clientClass()
    const client = this.#url === undefined ? new Redis(settings) : new Redis(this.#url, settings)
    client.on("error", onError)
    letProgramsEnd(client)
    try {
      await client.connect()
      return client
    } catch (error) {
      client.disconnect()
      throw error
    }
  }

  /** A server that does not tell its policy, as some hosted ones, is trusted. */
  async #checkMemory(client: RedisClient): Promise<void> {
    const info = String(await client.call("INFO", "memory").catch(() => ""))
    const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? "noeviction"
    if (policy === "noeviction" || warned.has(this.#where)) return
    warned.add(this.#where)
    warn(
      `${this.#where} throws keys away when its memory is full (maxmemory-policy ${policy}), and jobs with them: set maxmemory-policy to noeviction`,
      "COREPOOL_REDIS_EVICTION",
    )
  }
}

/**
 * Makes the connection keep no program alive. ioredis has a timer for a server that does not answer, which runs as long
 * as a command waits: it is unref'd when ioredis sets it.
 */
function letProgramsEnd(client: RedisClient): void {
  client.on("connect", () => client.stream?.unref()) // also after it has reconnected
  let timer: Timeout | undefined
  Object.defineProperty(client, "socketTimeoutTimer", {
    configurable: true,
    get: () => timer,
    set(given: Timeout | undefined) {
      timer = given
      timer?.unref()
    },
  })
}

/**
 * ioredis' client writes each command to its socket separately. This one writes all commands of one turn together: a
 * write costs more than a command.
 */
function clientClass(): RedisClientClass {
  return class extends redisClientClass("redis()") {
    override sendCommand(command: unknown, stream?: unknown): unknown {
      const socket = this.stream
      if (socket?.writableCorked === 0) {
        socket.cork()
        void Promise.resolve().then(() => socket.uncork()) // after all flows that send in this turn
      }
      return super.sendCommand(command, stream)
    }
  }
}

function checked(options: RedisOptions): RedisOptions {
  const given: unknown = options
  if (typeof given !== "object" || given === null) throw typeError("options", "a URL or an object", options)
  const { url, prefix } = options
  for (const [name, value] of Object.entries({ url, prefix })) {
    if (value !== undefined && typeof value !== "string") throw typeError(name, "a string", value)
  }
  if (url !== undefined) requireUrl("url", url, URLS)
  requirePatience(options.patience)
  return options
}
