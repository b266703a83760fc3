/** What the page has recorded, as files: a trace for Perfetto, and the page itself with all that it shows. */
import { OUTCOMES } from "#src/monitor/wire.js"
import { type ChromeTrace, laneName, OWN_LANE, TraceWriter } from "#src/trace/trace-writer.js"
import type { Model } from "./model.ts"

/** In Chrome's format, as `corepool/trace` writes it. */
export function traceOf(model: Model): ChromeTrace {
  const { program, time: now } = model.latest ?? { program: { pid: 0, name: "" }, time: 0 }
  const lanes = [...model.lanes.values()]
  const samples = [...model.samples.values()].flat()
  const times = [
    ...lanes.flatMap(({ blocks, marks }) => [blocks[0]?.[2], marks[0]?.[2]]),
    ...samples.map((it) => it.time),
  ]
  const origin = times.reduce<number>((least, time = now) => Math.min(least, time), now)
  const writer = new TraceWriter(program.pid, program.name, origin)
  writer.lane(OWN_LANE, "pools")
  for (const { line, blocks, waits, marks, open } of lanes) {
    const lane = line.id
    writer.lane(lane, laneName(line.pool, line.thread))
    const slice = (name: number, time: number, end: number, args: Record<string, string | number>): void =>
      writer.slice("task", model.names[name] ?? "", { lane, time }, end, { pool: line.pool, ...args })
    for (const [, name, start, duration, wait, task, outcome, count] of blocks) {
      const args = { task, outcome: OUTCOMES[outcome] ?? "unknown", tasks: count, ...(wait < 0 ? {} : { wait }) }
      slice(name, start, start + duration, args)
    }
    for (const [, name, start, task] of open) slice(name, start, now, { task, outcome: "running" })
    for (const [, what, time, duration] of waits) {
      writer.slice("wait", what, { lane, time }, time + duration, { pool: line.pool })
    }
    for (const [, kind, time] of marks) writer.instant("thread", kind, { lane, time })
  }
  for (const { time, pool } of samples) {
    writer.count(`${pool.name} queue`, time, { queued: pool.queued })
    writer.count(`${pool.name} threads`, time, { active: pool.active })
  }
  return writer.trace(origin, model.dropped)
}

/** The page with its data inside: no text in it can end the element that holds it. */
export async function pageOf(model: Model): Promise<string> {
  const response = await fetch("./")
  const html = await response.text()
  const policy = (response.headers.get("content-security-policy") ?? "").replace(/; frame-ancestors [^;]*/, "")
  const data = JSON.stringify(model.save()).replaceAll("<", "\\u003c")
  return html.replace(
    "<head>",
    () =>
      `<head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><script type="application/json" id="recorded">${data}</script>`,
  )
}

export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 1000)
}
