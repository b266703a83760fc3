/**
 * The stream of frames. It is read by `fetch`, not by EventSource, which could send the token only in an address. The
 * token comes with the address of the page, behind `#`, and leaves the address bar at once.
 */
import type { Action, Frame } from "#src/monitor/wire.js"

const KEY = "corepool token"

export type Status = "connecting" | "live" | "lost" | "refused"

export function takeToken(): string {
  const given = new URLSearchParams(location.hash.slice(1)).get("token")
  if (given !== null) {
    history.replaceState(null, "", location.pathname)
    sessionStorage.setItem(KEY, given)
    return given
  }
  return sessionStorage.getItem(KEY) ?? ""
}

export async function follow(
  token: string,
  heard: (frame: Frame) => void,
  status: (now: Status) => void,
): Promise<void> {
  for (let delay = 500; ; delay = Math.min(delay * 2, 10_000)) {
    try {
      const response = await fetch("stream", { headers: { Authorization: `Bearer ${token}` }, cache: "no-store" })
      if (response.status === 401 || response.status === 403) {
        status("refused")
        return
      }
      if (response.ok && response.body !== null) {
        status("live")
        delay = 500
        await read(response.body, heard)
      }
    } catch {
      // The process has ended, or has not begun again: the next try tells.
    }
    status("lost")
    await new Promise((resolve) => setTimeout(resolve, delay))
  }
}

async function read(body: ReadableStream<Uint8Array>, heard: (frame: Frame) => void): Promise<void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ""
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    text += decoder.decode(value, { stream: true })
    let end: number
    while ((end = text.indexOf("\n\n")) >= 0) {
      const event = text.slice(0, end)
      text = text.slice(end + 2)
      if (event.startsWith("data: ")) heard(JSON.parse(event.slice("data: ".length)) as Frame)
    }
  }
}

/** What went wrong; undefined if nothing did. */
export async function request(token: string, action: Action): Promise<string | undefined> {
  const response = await fetch("action", {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify(action),
  })
  if (response.headers.get("content-type") !== "application/json") return await response.text()
  const { problem } = (await response.json()) as { problem: string | null }
  return problem ?? undefined
}
