/** What the page has heard so far, and what it shows of it. */
import type { Block, Frame, LaneLine, Mark, OpenBlock, OpenWait, PoolLine, Wait } from "#src/monitor/wire.js"

/** For how long the page remembers, in ms. */
export const KEPT = 5 * 60_000
/** Of a lane; the oldest go first. */
const MOST_BLOCKS = 20_000
const MOST_MARKS = 4000
/** Of all pools together. */
const MOST_SAMPLES = 120_000
/** How many frames the page remembers what they have changed. */
const MOST_CHANGES = 64

export interface Lane {
  readonly line: LaneLine
  /** In the order of their ends. */
  blocks: Block[]
  waits: Wait[]
  marks: Mark[]
  open: OpenBlock[]
  openWaits: OpenWait[]
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
  /** When blocks that stand for many tasks last came, and how wide they were. */
  sampled: { readonly time: number; readonly grain: number } = { time: 0, grain: 0 }
  dropped = 0
  tasks = 0
  /** Grows with each frame. */
  revision = 0
  /** For each of the last frames, the time since which it has changed the lanes. */
  readonly #changes: number[] = []

  add(frame: Frame): void {
    this.latest = frame
    const { time, lanes } = frame
    this.#addSamples(frame)
    for (const name of lanes.names) this.names.push(name)
    for (const line of lanes.lanes) {
      const lane = this.lanes.get(line.id)
      this.lanes.set(line.id, lane === undefined ? newLane(line) : { ...lane, line, ended: Infinity })
    }
    for (const lane of this.lanes.values()) {
      if (lane.open.length > 0) lane.open = []
      if (lane.openWaits.length > 0) lane.openWaits = []
    }
    for (const open of lanes.open) this.lanes.get(open[0])?.open.push(open)
    for (const open of lanes.openWaits) this.lanes.get(open[0])?.openWaits.push(open)
    let since = time
    for (const block of lanes.blocks) {
      this.lanes.get(block[0])?.blocks.push(block)
      if (block[2] < since) since = block[2]
    }
    for (const wait of lanes.waits) {
      this.lanes.get(wait[0])?.waits.push(wait)
      since = Math.min(since, wait[2])
    }
    for (const mark of lanes.marks) {
      const lane = this.lanes.get(mark[0])
      lane?.marks.push(mark)
      since = Math.min(since, mark[2])
      if (lane !== undefined && (mark[1] === "exited" || mark[1] === "died")) lane.ended = mark[2]
    }
    if (lanes.grain > 0) this.sampled = { time, grain: lanes.grain }
    this.dropped += lanes.dropped
    this.tasks += lanes.tasks
    this.revision++
    this.#changes.push(since)
    if (this.#changes.length > MOST_CHANGES) this.#changes.shift()
    this.#forget(time - KEPT)
  }

  #addSamples({ time, pools }: Frame): void {
    const most = Math.max(40, Math.floor(MOST_SAMPLES / Math.max(1, pools.length)))
    for (const pool of pools) {
      let samples = this.samples.get(pool.id)
      if (samples === undefined) this.samples.set(pool.id, (samples = []))
      const before = samples.at(-1)
      const seconds = before === undefined ? 0 : (time - before.time) / 1000
      const throughput = seconds > 0 ? (pool.completed - (before?.pool.completed ?? 0)) / seconds : 0
      samples.push({ time, pool, throughput })
      const old = firstAfter(samples, (sample) => sample.time, time - KEPT)
      const surplus = Math.max(old, samples.length - most)
      if (surplus > 0) samples.splice(0, surplus)
    }
  }

  /** The time from which on the lanes look different than at this revision; Infinity if they do not. */
  changedSince(revision: number): number {
    const frames = this.revision - revision
    if (frames > this.#changes.length) return -Infinity
    return frames === 0 ? Infinity : Math.min(...this.#changes.slice(-frames))
  }

  #forget(before: number): void {
    for (const [id, lane] of this.lanes) {
      if (lane.ended < before) this.lanes.delete(id)
      lane.blocks = withoutOld(lane.blocks, (block) => block[2] + block[3], before, MOST_BLOCKS)
      lane.waits = withoutOld(lane.waits, (wait) => wait[2] + wait[3], before, MOST_BLOCKS)
      lane.marks = withoutOld(lane.marks, (mark) => mark[2], before, MOST_MARKS)
    }
    for (const [id, samples] of this.samples) if ((samples.at(-1)?.time ?? 0) < before) this.samples.delete(id)
  }

  /** Of threads that have lived since that time: those of one pool together, in the order of their numbers. */
  lanesSince(time: number): Lane[] {
    const pools = new Map<string, number>()
    for (const { name } of this.latest?.pools ?? []) pools.set(name, pools.size)
    const lanes = [...this.lanes.values()].filter(({ ended }) => ended >= time)
    for (const { line } of lanes) if (!pools.has(line.pool)) pools.set(line.pool, pools.size)
    return lanes.sort(
      ({ line: a }, { line: b }) =>
        (pools.get(a.pool) ?? 0) - (pools.get(b.pool) ?? 0) || byNumber.compare(a.thread, b.thread) || a.id - b.id,
    )
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
      sampled: this.sampled,
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
    model.sampled = saved.sampled
    model.dropped = saved.dropped
    model.tasks = saved.tasks
    return model
  }
}

const byNumber = new Intl.Collator("en", { numeric: true })

function newLane(line: LaneLine): Lane {
  return { line, blocks: [], waits: [], marks: [], open: [], openWaits: [], ended: Infinity }
}

/** Without the items that ended before the limit, and without the oldest of too many. Seldom, because it copies. */
function withoutOld<T>(items: T[], endOf: (item: T) => number, limit: number, most: number): T[] {
  const surplus = Math.max(items.length - most, firstAfter(items, endOf, limit))
  return surplus > 1000 ? items.slice(surplus) : items
}

export interface Saved {
  readonly latest: Frame | undefined
  readonly names: readonly string[]
  readonly lanes: readonly Lane[]
  readonly samples: readonly (readonly [number, PoolSample[]])[]
  readonly sampled: Model["sampled"]
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
