/** What the page has recorded, as files: a trace for Perfetto, and the page itself with all that it shows. */
import { OUTCOMES } from "#src/monitor/wire.js"
import type { Model } from "./model.ts"

interface TraceEvent {
  readonly ph: "X" | "M" | "i" | "C"
  readonly pid: number
  readonly tid: number
  readonly name: string
  readonly ts?: number
  readonly dur?: number
  readonly s?: "t"
  readonly cat?: string
  readonly args?: Readonly<Record<string, string | number>>
}

/** The format of Chrome's traces: times in µs. */
export function traceOf(model: Model): { readonly traceEvents: TraceEvent[]; readonly displayTimeUnit: "ms" } {
  const pid = model.latest?.program.pid ?? 0
  const events: TraceEvent[] = [
    { ph: "M", pid, tid: 0, name: "process_name", args: { name: model.latest?.program.name ?? "" } },
  ]
  for (const { line, blocks, marks } of model.lanes.values()) {
    const tid = line.id
    events.push({ ph: "M", pid, tid, name: "thread_name", args: { name: `${line.pool} ${line.thread}` } })
    for (const [, name, start, duration, wait, task, outcome, count] of blocks) {
      const args = { task, outcome: OUTCOMES[outcome] ?? "unknown", tasks: count, ...(wait < 0 ? {} : { wait }) }
      const title = model.names[name] ?? ""
      events.push({ ph: "X", pid, tid, name: title, cat: "task", ts: start * 1000, dur: duration * 1000, args })
    }
    for (const [, kind, time] of marks)
      events.push({ ph: "i", pid, tid, name: kind, cat: "thread", ts: time * 1000, s: "t" })
  }
  for (const samples of model.samples.values()) {
    for (const { time, pool } of samples) {
      const args = { queued: pool.queued, active: pool.active }
      events.push({ ph: "C", pid, tid: 0, name: pool.name, ts: time * 1000, args })
    }
  }
  return { traceEvents: events, displayTimeUnit: "ms" }
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
