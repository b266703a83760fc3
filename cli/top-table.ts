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
  "p99",
  "RUN p50",
  "p99",
]
/** Columns of texts; the others are numbers, which stand to the right. */
const TEXTS = 3
const WIDEST_NAME = 32

/** `before` is the frame before, for what happened between the two. */
export function topTable(frame: Frame, before: Frame | undefined, width = 120): string {
  const { pid, name: title, runtime, memory, processors } = frame.program
  const head = `${clean(title)}  pid ${pid}  ${runtime}  ${processors} processors  ${Math.round(memory / 2 ** 20)} MB  ${new Date(frame.time).toTimeString().slice(0, 8)}`
  const rows = [COLUMNS, ...frame.pools.map((pool) => row(pool, frame, before))]
  const widths = COLUMNS.map((_, at) => Math.max(...rows.map((cells) => (cells[at] ?? "").length)))
  const table = rows.map((cells) =>
    cells
      .map((cell, at) => (at < TEXTS ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join("  ")
      .trimEnd(),
  )
  const schedules = frame.schedules.slice(0, 10).map(({ name, pool, next }) => {
    const due = next === undefined ? "unknown" : `in ${time(Math.max(0, next - frame.time))}`
    return `  ${clean(name === "" ? "(no name)" : name)}  ${due}  ${clean(pool)}`
  })
  const locks = frame.locks.map(
    ({ name, holder, waitingCount }) => `  ${clean(name)}  ${clean(holder)}  ${waitingCount} waiting`,
  )
  const lines = [
    head,
    "",
    ...(frame.pools.length === 0 ? ["There are no pools."] : table),
    ...(schedules.length === 0 ? [] : ["", "Next runs", ...schedules]),
    ...(locks.length === 0 ? [] : ["", "Locks", ...locks]),
  ]
  return lines.map((line) => line.slice(0, Math.max(20, width))).join("\n")
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
  return ms < 1000 ? `${ms.toFixed(1)}ms` : `${(ms / 1000).toFixed(1)}s`
}

function count(value: number): string {
  if (value >= 1e6) return `${(value / 1e6).toFixed(1)}M`
  return value >= 10_000 ? `${(value / 1000).toFixed(1)}k` : String(Math.round(value))
}
