/** What `corepool top` shows, as lines of text. */
import type { Frame, PoolLine } from "#src/monitor/wire.js"

const COLUMNS = [
  "POOL",
  "KIND",
  "STATE",
  "THREADS",
  "ACTIVE",
  "QUEUED",
  "DONE",
  "TASKS/S",
  "WAIT p50",
  "WAIT p99",
  "RUN p50",
  "RUN p99",
]
/** Columns of texts; the others are numbers, which stand to the right. */
const TEXTS = 3
const WIDEST_NAME = 32
const NARROWEST_NAME = 8
/** What a narrow terminal does without, in this order. */
const DISPENSABLE = [1, 8, 10, 3, 2, 9, 11, 6]
const GAP = "  "

/**
 * `before` is the frame before, for what happened between the two. If the terminal has fewer columns than the table,
 * some of the numbers are left out, and names are cut.
 */
export function topTable(frame: Frame, before: Frame | undefined, width = Infinity): string {
  const { pid, name: title, runtime, memory, processors } = frame.program
  const head = `${clean(title)}  pid ${pid}  ${runtime}  ${processors} processors  ${Math.round(memory / 2 ** 20)} MB  ${new Date(frame.time).toTimeString().slice(0, 8)}`
  const table = tableOf([COLUMNS, ...frame.pools.map((pool) => row(pool, frame, before))], width)
  const schedules = frame.schedules.slice(0, 10).map(({ name, pool, next }) => {
    const due = next === undefined ? "unknown" : `in ${time(Math.max(0, next - frame.time))}`
    return `  ${clean(name === "" ? "(no name)" : name)}  ${due}  ${clean(pool)}`
  })
  const fleets = frame.fleets.flatMap(({ name, nodes, moreNodes, counts, problem }) => [
    "",
    `Nodes of ${clean(name)}: ${nodes.length + moreNodes}${counts === undefined ? "" : `, ${count(counts.waiting)} waiting, ${count(counts.active)} active`}${problem === undefined ? "" : `, ${clean(problem)}`}`,
    ...nodes
      .slice(0, 10)
      .map((node) => `  ${clean(node.name)}  ${clean(node.host)}  ${node.running} of ${node.concurrency} running`),
  ])
  const locks = frame.locks.map(
    ({ name, holder, waitingCount }) => `  ${clean(name)}  ${clean(holder)}  ${waitingCount} waiting`,
  )
  const lines = [
    head,
    "",
    ...(frame.pools.length === 0 ? ["There are no pools."] : table),
    ...fleets,
    ...(schedules.length === 0 ? [] : ["", "Next runs", ...schedules]),
    ...(locks.length === 0 ? [] : ["", "Locks", ...locks]),
  ]
  return lines.map((line) => line.slice(0, width)).join("\n")
}

function tableOf(rows: readonly (readonly string[])[], width: number): string[] {
  const widths = COLUMNS.map((_, at) => Math.max(...rows.map((cells) => (cells[at] ?? "").length)))
  const shown = new Set(COLUMNS.keys())
  const surplus = (): number =>
    [...shown].reduce((sum, at) => sum + (widths[at] ?? 0) + GAP.length, -GAP.length) - width
  // Names are cut before numbers are left out, and again if that was not enough.
  const cutNames = (): void => {
    widths[0] = Math.max(NARROWEST_NAME, (widths[0] ?? 0) - Math.max(0, surplus()))
  }
  const widestName = widths[0] ?? 0
  cutNames()
  for (const at of DISPENSABLE) {
    if (surplus() <= 0) break
    shown.delete(at)
    widths[0] = widestName
    cutNames()
  }
  return rows.map((cells) =>
    [...shown]
      .map((at) => {
        const cell = (cells[at] ?? "").slice(0, widths[at])
        return at < TEXTS ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)
      })
      .join(GAP)
      .trimEnd(),
  )
}

function row(pool: PoolLine, frame: Frame, before: Frame | undefined): string[] {
  const earlier = before?.pools.find(({ id }) => id === pool.id)
  const seconds = before === undefined ? 0 : (frame.time - before.time) / 1000
  const rate = earlier === undefined || seconds <= 0 ? "–" : count((pool.completed - earlier.completed) / seconds)
  return [
    clean(pool.name).slice(0, WIDEST_NAME),
    pool.kind,
    pool.state,
    `${pool.threads}/${pool.maximum ?? pool.core}`,
    String(pool.active),
    count(pool.queued),
    pool.kind === "fork/join" ? "–" : count(pool.completed),
    rate,
    ...[pool.wait?.p50, pool.wait?.p99, pool.run?.p50, pool.run?.p99].map((ms) => (ms === undefined ? "–" : time(ms))),
  ]
}

/** A name could hold sequences that change the terminal. */
function clean(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what is removed
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, "?")
}

function time(ms: number): string {
  if (ms < 1) return `${(ms * 1000).toFixed(0)}µs`
  if (ms < 1000) return `${ms.toFixed(1)}ms`
  return ms < 600_000 ? `${(ms / 1000).toFixed(1)}s` : `${Math.round(ms / 60_000)}min`
}

function count(value: number): string {
  if (value >= 1e6) return `${(value / 1e6).toFixed(1)}M`
  return value >= 10_000 ? `${(value / 1000).toFixed(1)}k` : String(Math.round(value))
}
