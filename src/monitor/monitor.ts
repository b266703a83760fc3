import {
  requireBoolean,
  requireInteger,
  requireIterable,
  requireOptions,
  requireString,
  rangeError,
  typeError,
} from "../checks.ts"
import { runtime } from "#host/runtime/clock"
import {
  type HttpRequest,
  type HttpResponse,
  type HttpServer,
  newToken,
  type OwnFile,
  serve,
  writeOwnFile,
} from "#host/server/http"
import { monitorPage } from "#host/server/monitor-page"
import { processFacts } from "#host/server/process-facts"
import { warn } from "#host/runtime/warnings"
import { ReentrantLock } from "../lock/reentrant-lock.ts"
import { ReentrantReadWriteLock } from "../lock/reentrant-read-write-lock.ts"
import type { DistributedExecutor } from "../distributed/distributed-executor.ts"
import type { Fleet } from "../executor/fleet-records.ts"
import { titleOfFleet } from "../executor/live-fleets.ts"
import { type MeasuredPool, namedPools } from "../prometheus/pool-facts.ts"
import { Semaphore } from "../sync/semaphore.ts"
import { textOf } from "../user-values.ts"
import { act } from "./actions.ts"
import type { EventSource } from "../events/event-source.ts"
import { eventSource } from "../events/listening.ts"
import { FleetWatch } from "./fleet-watch.ts"
import { Guard, inUrl, SAFE_HEADERS } from "./guard.ts"
import { Ids } from "./sampler.ts"
import { Viewer, type Watched } from "./viewer.ts"

/** What {@link startMonitor} shows, and to whom. */
export interface MonitorOptions {
  /** The port; 0, the default, lets the system choose a free one. */
  readonly port?: number
  /**
   * The address to listen on; default `127.0.0.1`, which only programs of this machine can reach. With another address
   * the page and the token travel unencrypted.
   */
  readonly host?: string
  /** What a client has to know; default a random text. At least 16 characters. */
  readonly token?: string
  /**
   * The pools and distributed executors to show, or an object whose keys are their names; default all of this thread,
   * also future ones.
   */
  readonly pools?: Iterable<MonitoredPool> | Readonly<Record<string, MonitoredPool>>
  /** The locks and semaphores to show, by their names. There is no list of all locks, so the default is none. */
  readonly locks?: Readonly<Record<string, MonitoredLock>>
  /** Whether the page has buttons that resize, pause and shut down pools, and cancel tasks; default false. */
  readonly allowActions?: boolean
}

/** A pool that {@link startMonitor} can show. */
export type MonitoredPool = MeasuredPool | DistributedExecutor

/** A lock that {@link startMonitor} can show. */
export type MonitoredLock = ReentrantLock | ReentrantReadWriteLock | Semaphore

/** A page that shows what pools do, while it is open. */
export interface Monitor extends AsyncDisposable {
  /** The address of the page, with the token. The token is behind `#`, which browsers do not send. */
  readonly url: string
  /** What clients send in the header `Authorization`, behind `Bearer`. */
  readonly token: string
  /** Where it listens. */
  readonly port: number
  /** Ends the page and all connections to it. */
  close(): Promise<void>
}

const SHORTEST_TOKEN = 16
const LARGEST_ACTION = 1000
/** How many clients can look at the same time: each of them costs the program some work. */
const MOST_VIEWERS = 32
const PLAIN = { ...SAFE_HEADERS, "Content-Type": "text/plain; charset=utf-8" }
const JSON_TYPE = { ...SAFE_HEADERS, "Content-Type": "application/json" }

/**
 * Starts a server, on this machine alone, whose page shows what the pools of this thread do: threads and their tasks,
 * queues, waiting and running times, schedules and locks.
 *
 * A client needs the token, which is part of `url`. The page never shows arguments, results or errors of tasks. Without
 * a client the monitor measures nothing, and it does not keep the process alive.
 *
 * @throws TypeError or RangeError for wrong options; rejects if the address cannot be listened on.
 *
 * @example
 * ```ts
 * import { startMonitor } from "corepool/monitor"
 *
 * await using monitor = await startMonitor()
 * console.log(monitor.url.startsWith("http://127.0.0.1:")) // => true
 * ```
 */
export async function startMonitor(options: MonitorOptions = {}): Promise<Monitor> {
  return await startMonitorOn(eventSource, options)
}

/** With events from a source of the caller's own. */
export async function startMonitorOn(source: EventSource | undefined, options: MonitorOptions): Promise<Monitor> {
  const given = requireOptions("options", options, {
    port: true,
    host: true,
    token: true,
    pools: true,
    locks: true,
    allowActions: true,
  })
  const { host = "127.0.0.1", token = newToken(), port = 0, allowActions = false, pools, locks = {} } = given
  requireInteger("port", port, 0)
  if (port > 65_535) throw rangeError("port", "an integer ≤ 65535", port)
  requireString("host", host)
  if (requireString("token", token).length < SHORTEST_TOKEN || !/^[\w.~+/=-]+$/.test(token)) {
    // Not shown: it may be nearly a secret.
    throw rangeError("token", "at least 16 letters, digits or characters of `-._~+/=`", `${token.length} characters`)
  }
  requireBoolean("allowActions", allowActions)
  const chosen = pools === undefined ? undefined : chosenOf(pools)
  for (const lock of Object.values(locks)) requireLock(lock)
  const watched: Watched = {
    pools: () => chosen?.pools ?? namedPools(),
    isChosen: chosen !== undefined,
    fleets: new FleetWatch(chosen?.fleets),
    ...{ locks, allowActions, ids: new Ids(), source },
  }
  return await MonitorServer.start(host, port, token, watched)
}

interface Chosen {
  readonly pools: (readonly [name: string, pool: MeasuredPool])[]
  readonly fleets: (readonly [name: string, fleet: Fleet])[]
}

/** The pools and the distributed executors, with their names. Throws if one of them is neither. */
function chosenOf(given: NonNullable<MonitorOptions["pools"]>): Chosen {
  if (typeof given !== "object" || given === null) throw typeError("pools", "pools, or an object of them", given)
  const hasNames = !(Symbol.iterator in given)
  const entries = hasNames
    ? Object.entries(given)
    : [...requireIterable("pools", given)].map((pool) => ["", pool] as const)
  const fleets = entries.flatMap(([name, pool]) => {
    const title = typeof pool === "object" && pool !== null ? titleOfFleet(pool) : undefined
    return title === undefined ? [] : [[hasNames ? name : title.name, pool as Fleet] as const]
  })
  const isFleet = new Set<unknown>(fleets.map(([, fleet]) => fleet))
  const pools = entries.filter(([, pool]) => !isFleet.has(pool)) as (readonly [string, MeasuredPool])[]
  return { fleets, pools: namedPools(hasNames ? Object.fromEntries(pools) : pools.map(([, pool]) => pool)) }
}

function requireLock(lock: unknown): void {
  if (lock instanceof ReentrantLock || lock instanceof ReentrantReadWriteLock || lock instanceof Semaphore) return
  throw typeError("locks", "an object of locks and semaphores", lock)
}

class MonitorServer implements Monitor {
  readonly token: string
  readonly #guard: Guard
  readonly #host: string
  readonly #watched: Watched
  readonly #viewers = new Set<Viewer>()
  #server: HttpServer | undefined
  #file: OwnFile | undefined

  private constructor(host: string, token: string, watched: Watched) {
    this.#host = host
    this.token = token
    this.#guard = new Guard(host, token)
    this.#watched = watched
  }

  static async start(host: string, port: number, token: string, watched: Watched): Promise<Monitor> {
    const monitor = new MonitorServer(host, token, watched)
    monitor.#server = await serve(host, port, (request, response) => monitor.#answer(request, response))
    monitor.#announce()
    return monitor
  }

  get port(): number {
    return this.#server?.port ?? 0
  }

  get #address(): string {
    const host = this.#host === "0.0.0.0" ? "127.0.0.1" : this.#host === "::" ? "::1" : this.#host
    return `http://${inUrl(host)}:${this.port}/`
  }

  get url(): string {
    return `${this.#address}#token=${this.token}`
  }

  /** Writes down for `corepool top` and `corepool monitor` where this monitor is. */
  #announce(): void {
    const { pid, program } = processFacts()
    const facts = { pid, program, address: this.#address, token: this.token, since: runtime.wallTime() }
    try {
      this.#file = writeOwnFile(`${pid}-${this.port}.json`, JSON.stringify(facts))
    } catch (error) {
      warn(`corepool top will not find the monitor of this process: ${textOf(error)}`, "COREPOOL_MONITOR")
    }
  }

  async close(): Promise<void> {
    this.#file?.remove()
    for (const viewer of this.#viewers) viewer.stop()
    const server = this.#server
    this.#server = undefined
    await server?.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  // ------------------------------------------------------------------ requests

  async #answer(request: HttpRequest, response: HttpResponse): Promise<void> {
    const { method, target } = request
    const route = `${method} ${target}`
    const isPage = route === "GET /" || route === "HEAD /"
    const refusal = this.#guard.refusalOf(request, this.port, !isPage)
    if (refusal !== undefined) {
      response.send(refusal.status, PLAIN, `${refusal.reason}\n`)
    } else if (isPage) {
      const { html, policy } = monitorPage()
      const headers = { ...SAFE_HEADERS, "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy }
      response.send(200, headers, html)
    } else if (route === "GET /snapshot") {
      const viewer = new Viewer(this.#watched)
      response.send(200, JSON_TYPE, JSON.stringify(viewer.frame()))
      viewer.stop()
    } else if (route === "GET /stream") {
      this.#stream(response)
    } else if (route === "POST /action") {
      await this.#act(request, response)
    } else {
      response.send(404, PLAIN, "There is nothing here\n")
    }
  }

  #stream(response: HttpResponse): void {
    if (this.#viewers.size >= MOST_VIEWERS) {
      response.send(503, PLAIN, `This monitor has ${MOST_VIEWERS} viewers already\n`)
      return
    }
    const viewer = new Viewer(this.#watched)
    const stream = response.stream({ ...SAFE_HEADERS, "Content-Type": "text/event-stream" })
    this.#viewers.add(viewer)
    stream.onClose(() => {
      viewer.stop()
      this.#viewers.delete(viewer)
    })
    // A client that does not read gets nothing more until it does: frames are not piled up for it.
    viewer.start(
      (frame) => stream.write(`data: ${JSON.stringify(frame)}\n\n`),
      () => stream.isBehind,
    )
  }

  async #act(request: HttpRequest, response: HttpResponse): Promise<void> {
    if (!this.#watched.allowActions) {
      response.send(403, PLAIN, "This monitor was started without allowActions\n")
      return
    }
    if (request.header("content-type") !== "application/json") {
      response.send(415, PLAIN, "Expected application/json\n")
      return
    }
    const text = await request.text(LARGEST_ACTION)
    let problem: string | undefined
    try {
      problem = act(JSON.parse(text ?? ""), this.#watched)
    } catch (error) {
      problem = textOf(error)
    }
    response.send(problem === undefined ? 200 : 400, JSON_TYPE, JSON.stringify({ problem: problem ?? null }))
  }
}
