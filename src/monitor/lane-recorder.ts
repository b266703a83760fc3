import type { PoolEvent, PoolInfo, ThreadInfo } from "./event-source.ts"
import { type Block, type LaneFrame, type LaneLine, type Mark, OUTCOMES } from "./wire.ts"

/** More blocks than that are not sent in a frame: the page draws all that it has sixty times a second. */
const MOST_BLOCKS = 2000
/** The width of the blocks that stand for many tasks, in ms. */
const GRAIN = 4
/** How many submitted tasks are remembered until they begin. */
const MOST_SUBMITTED = 100_000
const MOST_MARKS = 500

interface Lane {
  readonly line: LaneLine
  running: { readonly task: number; readonly name: number; readonly time: number; readonly wait: number } | undefined
}

/**
 * Makes lanes of events: a lane for each thread, with a block for each task from its beginning to its end.
 *
 * There may be more tasks in a frame than a page can draw. Then a block stands for all tasks of a lane that began
 * within four milliseconds, has the name of the function that took longest, and says how many tasks it stands for.
 */
export class LaneRecorder {
  readonly #lanes = new Map<ThreadInfo, Lane>()
  readonly #names = new Map<string, number>()
  readonly #submitted = new Map<PoolInfo, Map<number, number>>()
  #submittedCount = 0
  #newLanes: LaneLine[] = []
  #newNames: string[] = []
  #blocks: Block[] = []
  #marks: Mark[] = []
  #tasks = 0
  #lastLane = 0

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
    const lane = this.#laneOf(pool, thread)
    switch (kind) {
      case "began": {
        const submitted = this.#takeSubmission(pool, task)
        const wait = submitted === undefined ? -1 : Math.max(0, time - submitted)
        lane.running = { task, name: this.#nameOf(name), time, wait }
        break
      }
      case "ended":
        this.#end(lane, time, OUTCOMES.indexOf(outcome ?? "unknown"))
        break
      case "exited": {
        const died = outcome === "failed"
        if (lane.running !== undefined) this.#end(lane, time, OUTCOMES.indexOf("died"))
        this.#mark([lane.line.id, died ? "died" : "exited", time])
        this.#lanes.delete(thread)
        break
      }
      case "started":
        this.#mark([lane.line.id, "started", time])
        break
      case "stole":
        this.#mark([lane.line.id, "stole", time])
        break
      default:
    }
  }

  #end(lane: Lane, time: number, outcome: number): void {
    const { running } = lane
    if (running === undefined) return // it began before the monitor listened
    lane.running = undefined
    const { task, name, time: start, wait } = running
    this.#blocks.push([lane.line.id, name, start, Math.max(0, time - start), wait, task, outcome, 1])
    this.#tasks++
  }

  #mark(mark: Mark): void {
    if (this.#marks.length < MOST_MARKS) this.#marks.push(mark)
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

  #laneOf(pool: PoolInfo, thread: ThreadInfo): Lane {
    const known = this.#lanes.get(thread)
    if (known !== undefined) return known
    const line = { id: ++this.#lastLane, pool: pool.name, thread: thread.name }
    const lane: Lane = { line, running: undefined }
    this.#lanes.set(thread, lane)
    this.#newLanes.push(line)
    return lane
  }

  #nameOf(name: string): number {
    const known = this.#names.get(name)
    if (known !== undefined) return known
    const number = this.#names.size
    this.#names.set(name, number)
    this.#newNames.push(name)
    return number
  }

  /** What has happened since the last call. */
  frame(dropped: number): LaneFrame {
    const isSampled = this.#blocks.length > MOST_BLOCKS
    const open = [...this.#lanes.values()].flatMap(({ line, running }) =>
      running === undefined ? [] : [[line.id, running.name, running.time, running.task] as const],
    )
    const frame: LaneFrame = {
      isLive: true,
      lanes: this.#newLanes,
      names: this.#newNames,
      blocks: isSampled ? joined(this.#blocks) : this.#blocks,
      open,
      marks: this.#marks,
      isSampled,
      tasks: this.#tasks,
      dropped,
    }
    this.#newLanes = []
    this.#newNames = []
    this.#blocks = []
    this.#marks = []
    this.#tasks = 0
    return frame
  }
}

interface Joined {
  readonly lane: number
  readonly start: number
  end: number
  busy: number
  count: number
  /** The block that took longest. */
  longest: Block
  /** The worst outcome: a failure must not vanish among successes. */
  outcome: number
}

/** One block for all that began in the same lane within {@link GRAIN} ms. Longer ones stay as they are. */
function joined(blocks: readonly Block[]): Block[] {
  const cells = new Map<string, Joined>()
  const kept: Block[] = []
  for (const block of blocks) {
    const [lane, , start, duration, , , outcome] = block
    if (duration >= GRAIN) {
      kept.push(block)
      continue
    }
    const key = `${lane} ${Math.floor(start / GRAIN)}`
    const cell = cells.get(key)
    if (cell === undefined) {
      cells.set(key, { lane, start, end: start + duration, busy: duration, count: 1, longest: block, outcome })
    } else {
      cell.end = Math.max(cell.end, start + duration)
      cell.busy += duration
      cell.count++
      cell.outcome = Math.max(cell.outcome, outcome)
      if (duration > cell.longest[3]) cell.longest = block
    }
  }
  for (const { lane, start, end, count, longest, outcome } of cells.values()) {
    kept.push([lane, longest[1], start, end - start, longest[4], longest[5], outcome, count])
  }
  return kept.sort((a, b) => a[2] - b[2])
}

/** The lanes of a process that has no events to tell. */
export const NO_LANES: LaneFrame = {
  isLive: false,
  lanes: [],
  names: [],
  blocks: [],
  open: [],
  marks: [],
  isSampled: false,
  tasks: 0,
  dropped: 0,
}
