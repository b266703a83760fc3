import { runtime, type Timeout } from "#host/runtime/clock"
import { processFacts, residentBytes } from "#host/server/process-facts"
import type { ReentrantLock } from "../lock/reentrant-lock.ts"
import type { ReentrantReadWriteLock } from "../lock/reentrant-read-write-lock.ts"
import type { MeasuredPool } from "../prometheus/pool-facts.ts"
import type { Semaphore } from "../sync/semaphore.ts"
import { textOf } from "../user-values.ts"
import type { EventSource, Listening, PoolInfo } from "../events/event-source.ts"
import { infoOfPool } from "../pool/live-pools.ts"
import { cut } from "./brevity.ts"
import type { FleetWatch } from "./fleet-watch.ts"
import { LaneRecorder, NO_LANES } from "./lane-recorder.ts"
import { type Ids, Sampler } from "./sampler.ts"
import type { Frame, LockLine, ProgramLine } from "./wire.ts"

/** In ms: the time between two frames for a client. */
const INTERVAL = 250
/** How many waiting threads of a lock are named. */
const MOST_WAITING = 20

/** What all viewers of a monitor see. */
export interface Watched {
  pools(): readonly (readonly [name: string, pool: MeasuredPool])[]
  /** Whether the program has named the pools: then no other ones are shown. */
  readonly isChosen: boolean
  readonly fleets: FleetWatch
  readonly locks: Readonly<Record<string, ReentrantLock | ReentrantReadWriteLock | Semaphore>>
  readonly allowActions: boolean
  readonly ids: Ids
  readonly source: EventSource | undefined
}

/** A client that looks at the monitor. It gets the events as long as it looks, and not those before. */
export class Viewer {
  readonly #watched: Watched
  readonly #sampler: Sampler
  readonly #recorder: LaneRecorder
  #listening: Listening | undefined
  #timer: Timeout | undefined
  #dropped = 0
  /** What the program calls its pools. */
  readonly #names = new WeakMap<PoolInfo, string>()

  constructor(watched: Watched) {
    this.#watched = watched
    this.#sampler = new Sampler(watched.ids)
    this.#recorder = new LaneRecorder((info) => this.#names.get(info) ?? info.name)
  }

  /** Calls `tell` now, and then several times a second, except while the client is behind with its reading. */
  start(tell: (frame: Frame) => void, isBehind: () => boolean): void {
    const { source, isChosen } = this.#watched
    const chosen = this.#namedPools().filter((pool) => infoOfPool(pool) !== undefined)
    this.#listening = source?.listen(
      (events) => this.#recorder.add(events, runtime.wallTime() - source.now()),
      // Otherwise also those that will be made.
      ...(isChosen ? [chosen] : []),
    )
    tell(this.frame())
    this.#timer = runtime.startInterval(() => {
      if (isBehind()) this.#recorder.shed()
      else tell(this.frame())
    }, INTERVAL)
    this.#timer.unref()
  }

  stop(): void {
    runtime.stopTimeout(this.#timer)
    this.#listening?.stop()
    this.#listening = undefined
  }

  /** Notes the names of the pools, for their lanes. */
  #namedPools(): MeasuredPool[] {
    return this.#watched.pools().map(([name, pool]) => {
      const info = infoOfPool(pool)
      if (info !== undefined) this.#names.set(info, name)
      return pool
    })
  }

  frame(): Frame {
    const pools = this.#watched.pools()
    this.#namedPools()
    const schedules = pools.map(([name, pool]) => this.#sampler.schedules(name, pool))
    return {
      time: runtime.wallTime(),
      program: programLine(),
      pools: pools.map(([name, pool]) => this.#sampler.pool(name, pool)),
      schedules: schedules.flatMap(({ listed }) => listed),
      moreSchedules: schedules.reduce((sum, { more }) => sum + more, 0),
      locks: Object.entries(this.#watched.locks).map(([name, lock]) => lockLine(name, lock, this.#recorder)),
      fleets: this.#watched.fleets.lines(),
      lanes: this.#lanes(),
      allowActions: this.#watched.allowActions,
    }
  }

  #lanes(): Frame["lanes"] {
    const listening = this.#listening
    if (listening === undefined) return NO_LANES
    listening.drain()
    const { dropped } = listening
    const lost = dropped - this.#dropped
    this.#dropped = dropped
    return this.#recorder.frame(lost)
  }
}

function programLine(): ProgramLine {
  const { program: name, ...facts } = processFacts()
  return { name, ...facts, memory: residentBytes() }
}

/** The text of a lock says who holds it, in its brackets. Of a thread in another worker its number alone is known. */
function lockLine(
  name: string,
  lock: ReentrantLock | ReentrantReadWriteLock | Semaphore,
  threads: LaneRecorder,
): LockLine {
  const text = textOf(lock)
  const holder = /\[(.*)\]$/s.exec(text)?.[1] ?? text
  const waiting = lock.queuedThreads
  return {
    name: cut(name),
    holder: cut(holder),
    waiting: waiting
      .slice(0, MOST_WAITING)
      .map(({ id, isLocal }) =>
        isLocal ? (threads.nameOfVirtual(id) ?? `thread ${id}`) : `thread ${id} of another worker`,
      ),
    waitingCount: waiting.length,
  }
}
