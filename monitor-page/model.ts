/** What the page has heard so far, and what it shows of it. */
import type { Block, Frame, LaneLine, Mark, OpenBlock, PoolLine } from "#src/monitor/wire.js"

/** For how long the page remembers, in ms. */
export const KEPT = 5 * 60_000
/** Blocks of a lane; the oldest go first. */
const MOST_BLOCKS = 60_000

export interface Lane {
  readonly line: LaneLine
  blocks: Block[]
  marks: Mark[]
  open: OpenBlock | undefined
  /** In ms since 1970; Infinity while its thread lives. */
  ended: number
}

export interface PoolSample {
  readonly time: number
  readonly pool: PoolLine
  /** Tasks that were completed per second, since the sample before. */
  readonly throughput: number
}

export class Model {
  readonly lanes = new Map<number, Lane>()
  readonly names: string[] = []
  readonly samples = new Map<number, PoolSample[]>()
  latest: Frame | undefined
  isSampled = false
  dropped = 0
  tasks = 0

  add(frame: Frame): void {
    this.latest = frame
    const { time, pools, lanes } = frame
    for (const pool of pools) {
      let samples = this.samples.get(pool.id)
      if (samples === undefined) this.samples.set(pool.id, (samples = []))
      const before = samples.at(-1)
      const seconds = before === undefined ? 0 : (time - before.time) / 1000
      const throughput = seconds > 0 ? (pool.completed - (before?.pool.completed ?? 0)) / seconds : 0
      samples.push({ time, pool, throughput })
      while ((samples[0]?.time ?? time) < time - KEPT) samples.shift()
    }
    this.names.push(...lanes.names)
    for (const line of lanes.lanes)
      this.lanes.set(line.id, { line, blocks: [], marks: [], open: undefined, ended: Infinity })
    for (const lane of this.lanes.values()) lane.open = undefined
    for (const open of lanes.open) {
      const lane = this.lanes.get(open[0])
      if (lane !== undefined) lane.open = open
    }
    for (const block of lanes.blocks) this.lanes.get(block[0])?.blocks.push(block)
    for (const mark of lanes.marks) {
      const lane = this.lanes.get(mark[0])
      lane?.marks.push(mark)
      if (lane !== undefined && (mark[1] === "exited" || mark[1] === "died")) lane.ended = mark[2]
    }
    this.isSampled = lanes.isSampled
    this.dropped += lanes.dropped
    this.tasks += lanes.tasks
    this.#forget(time - KEPT)
  }

  #forget(before: number): void {
    for (const [id, lane] of this.lanes) {
      if (lane.ended < before) this.lanes.delete(id)
      const surplus = Math.max(
        lane.blocks.length - MOST_BLOCKS,
        firstAfter(lane.blocks, (block) => block[2] + block[3], before),
      )
      // Seldom, because it copies the rest.
      if (surplus > 1000) lane.blocks = lane.blocks.slice(surplus)
      if ((lane.marks[0]?.[2] ?? before) < before) lane.marks = lane.marks.filter((mark) => mark[2] >= before)
    }
    for (const [id, samples] of this.samples) if ((samples.at(-1)?.time ?? 0) < before) this.samples.delete(id)
  }

  /** All that is known, for a file. */
  save(): Saved {
    return {
      latest: this.latest,
      names: this.names,
      lanes: [...this.lanes.values()].map((lane) =>
        Object.assign({}, lane, { ended: Number.isFinite(lane.ended) ? lane.ended : 0 }),
      ),
      samples: [...this.samples],
      isSampled: this.isSampled,
      dropped: this.dropped,
      tasks: this.tasks,
    }
  }

  static restore(saved: Saved): Model {
    const model = new Model()
    model.latest = saved.latest
    model.names.push(...saved.names)
    for (const lane of saved.lanes)
      model.lanes.set(lane.line.id, { ...lane, ended: lane.ended === 0 ? Infinity : lane.ended })
    for (const [id, samples] of saved.samples) model.samples.set(id, samples)
    model.isSampled = saved.isSampled
    model.dropped = saved.dropped
    model.tasks = saved.tasks
    return model
  }
}

export interface Saved {
  readonly latest: Frame | undefined
  readonly names: readonly string[]
  readonly lanes: readonly Lane[]
  readonly samples: readonly (readonly [number, PoolSample[]])[]
  readonly isSampled: boolean
  readonly dropped: number
  readonly tasks: number
}

/** The place of the first item whose key is at least `limit`, among items in the order of their keys. */
export function firstAfter<T>(items: readonly T[], key: (item: T) => number, limit: number): number {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (key(items[middle] as T) < limit) low = middle + 1
    else high = middle
  }
  return low
}
