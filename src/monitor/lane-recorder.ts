import type { PoolEvent, PoolInfo, ThreadInfo } from "../events/event-source.ts"
import { cut, rounded } from "./brevity.ts"
import { joined } from "./joined-blocks.ts"
import {
  type Block,
  type LaneFrame,
  type LaneLine,
  type Mark,
  type OpenBlock,
  type OpenWait,
  OUTCOMES,
  type Wait,
} from "./wire.ts"

/** How many threads have lanes at a time. */
const MOST_LANES = 256
/** How many submitted tasks are remembered until they begin. */
const MOST_SUBMITTED = 100_000
const MOST_MARKS = 500
const MOST_WAITS = 1000
/** How many names of functions are sent; all further functions share one name. */
const MOST_NAMES = 5000
const OTHERS = "(one of many other functions)"
/** If more threads of a pool have ended, a new thread gets the lane of one of them. */
const MOST_ENDED = 4

interface Run {
  readonly task: number
  readonly name: number
  readonly time: number
  readonly wait: number
  readonly depth: number
}

interface Lane {
  readonly line: LaneLine
  readonly isVirtual: boolean
  /** The runs that have not ended, in the order of their beginnings. */
  readonly runs: Run[]
  readonly waits: { readonly what: string; readonly time: number }[]
}

/**
 * Makes lanes of events: a lane for each thread, with a block for each task from its beginning to its end, and with the
 * waits inside of tasks. A thread may run a task inside of another one; then the block of the inner one has a depth.
 */
export class LaneRecorder {
  readonly #lanes = new Map<ThreadInfo, Lane>()
  readonly #names = new Map<string, number>()
  readonly #submitted = new Map<PoolInfo, Map<number, number>>()
  readonly #titleOf: (pool: PoolInfo) => string
  #submittedCount = 0
  #newLanes: LaneLine[] = []
  #newNames: string[] = []
  #blocks: Block[] = []
  #waits: Wait[] = []
  #marks: Mark[] = []
  /** The lanes of threads that have ended, which new threads of their pools can have. */
  readonly #ended = new WeakMap<PoolInfo, number[]>()
  readonly #hidden = new Set<ThreadInfo>()
  #tasks = 0
  /** How many blocks were not sent. */
  #shed = 0
  #lastLane = 0

  /** `titleOf` names a pool. */
  constructor(titleOf: (pool: PoolInfo) => string = ({ name }) => name) {
    this.#titleOf = titleOf
  }

  /** `shift` is what makes times since 1970 of the times of events. */
  add(events: readonly PoolEvent[], shift: number): void {
    for (const event of events) this.#add(event, event.time + shift)
  }

  #add({ kind, pool, thread, task, name, outcome }: PoolEvent, time: number): void {
    if (kind === "submitted") {
      this.#noteSubmission(pool, task, time)
      return
    }
    if (kind === "rejected") this.#takeSubmission(pool, task)
    if (thread === undefined) return
    const lane = kind === "exited" ? this.#lanes.get(thread) : this.#laneOf(pool, thread)
    if (lane === undefined) {
      if (kind === "began") this.#takeSubmission(pool, task)
      else if (kind === "ended") this.#tasks++
      else if (kind === "exited") this.#hidden.delete(thread)
      return
    }
    switch (kind) {
      case "began":
        this.#begin(lane, pool, task, name, time)
        break
      case "ended": {
        const run = lane.runs.findLastIndex((candidate) => candidate.task === task)
        this.#end(lane, run, time, OUTCOMES.indexOf(outcome ?? "unknown"))
        break
      }
      case "blocked":
        lane.waits.push({ what: name, time })
        break
      case "unblocked": {
        const wait = lane.waits.findLastIndex(({ what }) => what === name)
        this.#endWait(lane, wait, time)
        break
      }
      case "exited":
        this.#exit(lane, time, outcome === "failed")
        this.#lanes.delete(thread)
        if (outcome !== "failed") this.#noteEnded(pool, lane.line.id)
        break
      case "started":
      case "stole":
        this.#mark([lane.line.id, kind, time])
        break
      default: // `idle`: what is between blocks
    }
  }

  #begin(lane: Lane, pool: PoolInfo, task: number, name: string, time: number): void {
    const submitted = this.#takeSubmission(pool, task)
    const wait = submitted === undefined ? -1 : Math.max(0, time - submitted)
    let depth = 0
    while (lane.runs.some((run) => run.depth === depth)) depth++
    lane.runs.push({ task, name: this.#nameOf(cut(name)), time, wait, depth })
  }

  #end(lane: Lane, at: number, time: number, outcome: number): void {
    const [run] = at < 0 ? [] : lane.runs.splice(at, 1)
    if (run === undefined) return // it began before the monitor listened
    const { task, name, time: start, wait, depth } = run
    const duration = rounded(Math.max(0, time - start))
    this.#blocks.push([lane.line.id, name, start, duration, rounded(wait), task, outcome, 1, depth, duration])
    this.#tasks++
  }

  #endWait(lane: Lane, at: number, time: number): void {
    const [wait] = at < 0 ? [] : lane.waits.splice(at, 1)
    if (wait === undefined) return // it began before the monitor listened
    this.#waits.push([lane.line.id, cut(wait.what), wait.time, rounded(Math.max(0, time - wait.time))])
  }

  /** What a thread has not ended has died with it. */
  #exit(lane: Lane, time: number, died: boolean): void {
    while (lane.waits.length > 0) this.#endWait(lane, lane.waits.length - 1, time)
    while (lane.runs.length > 0) this.#end(lane, lane.runs.length - 1, time, OUTCOMES.indexOf("died"))
    this.#mark([lane.line.id, died ? "died" : "exited", time])
  }

  #mark(mark: Mark): void {
    // The ends of threads are always sent: without them the page would show the threads for ever.
    if (this.#marks.length < MOST_MARKS || mark[1] === "died" || mark[1] === "exited") this.#marks.push(mark)
  }

  #noteSubmission(pool: PoolInfo, task: number, time: number): void {
    if (this.#submittedCount >= MOST_SUBMITTED) {
      this.#submitted.clear() // the waiting times of these tasks are unknown
      this.#submittedCount = 0
    }
    const tasks = this.#submitted.get(pool) ?? new Map<number, number>()
    this.#submitted.set(pool, tasks)
    if (!tasks.has(task)) this.#submittedCount++
    tasks.set(task, time)
  }

  #takeSubmission(pool: PoolInfo, task: number): number | undefined {
    const tasks = this.#submitted.get(pool)
    const time = tasks?.get(task)
    if (tasks?.delete(task) === true) this.#submittedCount--
    if (tasks?.size === 0) this.#submitted.delete(pool)
    return time
  }

  #laneOf(pool: PoolInfo, thread: ThreadInfo): Lane | undefined {
    const known = this.#lanes.get(thread)
    if (known !== undefined) return known
    if (this.#lanes.size >= MOST_LANES) {
      this.#hidden.add(thread)
      return undefined
    }
    this.#hidden.delete(thread)
    const ended = this.#ended.get(pool) ?? []
    const id = ended.length > MOST_ENDED ? (ended.shift() as number) : ++this.#lastLane
    const line = { id, pool: cut(this.#titleOf(pool)), thread: cut(thread.name) }
    const lane: Lane = { line, isVirtual: pool.isVirtual, runs: [], waits: [] }
    this.#lanes.set(thread, lane)
    this.#newLanes.push(line)
    return lane
  }

  /** The name of a virtual thread, if it has a lane. */
  nameOfVirtual(id: number): string | undefined {
    for (const [thread, { isVirtual, line }] of this.#lanes) if (isVirtual && thread.id === id) return line.thread
    return undefined
  }

  #noteEnded(pool: PoolInfo, lane: number): void {
    const ended = this.#ended.get(pool)
    if (ended === undefined) this.#ended.set(pool, [lane])
    else ended.push(lane)
  }

  #nameOf(name: string): number {
    const known = this.#names.get(name)
    if (known !== undefined) return known
    if (this.#names.size >= MOST_NAMES && name !== OTHERS) return this.#nameOf(OTHERS)
    const number = this.#names.size
    this.#names.set(name, number)
    this.#newNames.push(name)
    return number
  }

  /**
   * Forgets the tasks that have not been sent, for a client that does not read. What later frames rely on is kept: the
   * names, the lanes, and which threads have ended.
   */
  shed(): void {
    this.#shed += this.#blocks.length
    this.#blocks = []
    this.#waits = []
    this.#marks = this.#marks.filter(([, kind]) => kind === "exited" || kind === "died")
    this.#newLanes = [...new Map(this.#newLanes.map((line) => [line.id, line])).values()]
  }

  /** What has happened since the last call. */
  frame(dropped: number): LaneFrame {
    const open: OpenBlock[] = []
    const openWaits: OpenWait[] = []
    for (const { line, runs, waits } of this.#lanes.values()) {
      for (const { name, time, task, depth } of runs) open.push([line.id, name, time, task, depth])
      for (const { what, time } of waits) openWaits.push([line.id, cut(what), time])
    }
    const { blocks, grain } = joined(this.#blocks)
    const frame: LaneFrame = {
      isLive: true,
      lanes: this.#newLanes,
      names: this.#newNames,
      ...{ blocks, grain, open, openWaits },
      waits: longest(this.#waits),
      marks: this.#marks,
      tasks: this.#tasks,
      dropped: dropped + this.#shed,
      moreThreads: this.#hidden.size,
    }
    this.#newLanes = []
    this.#newNames = []
    this.#blocks = []
    this.#waits = []
    this.#marks = []
    this.#tasks = 0
    this.#shed = 0
    return frame
  }
}

/** Those that can be seen best, in their order. */
function longest(waits: Wait[]): Wait[] {
  if (waits.length <= MOST_WAITS) return waits
  const least = waits.map((wait) => wait[3]).sort((a, b) => b - a)[MOST_WAITS - 1] as number
  return waits.filter((wait) => wait[3] >= least).slice(0, MOST_WAITS)
}

/** The lanes of a process that has no events to tell. */
export const NO_LANES: LaneFrame = {
  isLive: false,
  lanes: [],
  names: [],
  blocks: [],
  open: [],
  waits: [],
  openWaits: [],
  marks: [],
  grain: 0,
  tasks: 0,
  dropped: 0,
  moreThreads: 0,
}
