/** A client of the monitor, by HTTP. */
import type { Monitor } from "corepool/monitor"
import { type IncomingHttpHeaders, request } from "node:http"

export interface Frame {
  readonly pools: readonly {
    readonly id: number
    readonly name: string
    readonly kind: string
    readonly state: string
    readonly core: number
    readonly threads: number
    readonly active: number
    readonly queued: number
    readonly completed: number
    readonly run?: { readonly count: number; readonly p50: number; readonly p95: number; readonly p99: number }
  }[]
  readonly schedules: readonly {
    readonly id: number
    readonly pool: string
    readonly name: string
    readonly isPeriodic: boolean
    readonly next?: number
  }[]
  readonly locks: readonly {
    readonly name: string
    readonly holder: string
    readonly waiting: readonly string[]
    readonly waitingCount: number
  }[]
  readonly fleets: readonly {
    readonly name: string
    readonly state: string
    readonly outstanding: number
    readonly counts?: { readonly active: number }
    readonly nodes: readonly { readonly name: string; readonly concurrency: number; readonly pid: number }[]
    readonly problem?: string
  }[]
  readonly lanes: {
    readonly lanes: readonly { readonly pool: string; readonly thread: string }[]
    readonly open: readonly (readonly [lane: number, name: number, start: number, task: number])[]
  }
}

type Place = Pick<Monitor, "port" | "token">

export async function snapshot({ port, token }: Place): Promise<Frame> {
  const response = await fetch(`http://127.0.0.1:${port}/snapshot`, { headers: { authorization: `Bearer ${token}` } })
  return (await response.json()) as Frame
}

export async function* frames({ port, token }: Place): AsyncGenerator<Frame> {
  const response = await fetch(`http://127.0.0.1:${port}/stream`, { headers: { authorization: `Bearer ${token}` } })
  if (response.body === null) throw new Error("no stream")
  const decoder = new TextDecoder()
  let text = ""
  for await (const chunk of response.body) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      yield JSON.parse(text.slice("data: ".length, end)) as Frame
      text = text.slice(end + 2)
    }
  }
  throw new Error("the stream has ended")
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A request whose headers are exactly these: `fetch` would not let a test choose Host and Origin. */
export async function ask(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = "GET",
  body = "",
): Promise<Answer> {
  return await new Promise((resolve, reject) => {
    const sent = request({ port, host: "127.0.0.1", path, method, headers }, (response) => {
      let text = ""
      response.setEncoding("utf8")
      response.on("data", (chunk: string) => (text += chunk))
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }))
    })
    sent.on("error", reject)
    sent.end(body)
  })
}
