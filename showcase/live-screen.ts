/**
 * The tour on a terminal: a lane per thread, time running to the right, redrawn while the stage runs.
 *
 *     io-1  Mercury ━━━━━━✓ Mars ━━━━━━━━━━━━━━✓
 *     io-2  Venus ━━━━━━━━━━━━━━━━━✓ Saturn ━━━
 *
 * What is said goes above the lanes: they are wiped, the line is written, and they are drawn again below it. A lane
 * never fills the last column, where some terminals would break the line and spoil the count of lines to go back.
 *
 * Colours come from `styleText`, which leaves them out where NO_COLOR asks for that.
 */
import { clearScreenDown, cursorTo, moveCursor } from "node:readline"
import type { WriteStream } from "node:tty"
import { styleText } from "node:util"
import type { Activity, Ending, Screen } from "./screen.ts"

interface Span {
  readonly what: string
  readonly from: number
  to: number | undefined
  ending: Ending | undefined
}

const FRAME = 50
const FINEST = 12 // ms a column
const MARKS = { done: "✓", failed: "!", interrupted: "✗" } as const

export class LiveScreen implements Screen {
  readonly #out: WriteStream
  readonly #lanes = new Map<string, Span[]>()
  #began = 0
  #linesDrawn = 0
  #frames: NodeJS.Timeout | undefined

  constructor(out: WriteStream) {
    this.#out = out
  }

  open(title: string, about: string, file: string): void {
    this.#out.write(`${styleText("bold", title)}  ${styleText("dim", file)}\n${about}\n`)
    this.#lanes.clear()
    this.#linesDrawn = 0
    this.#began = performance.now()
    this.#frames = setInterval(() => this.#draw(), FRAME)
  }

  say(text: string): void {
    this.#wipe()
    this.#out.write(`  ${styleText("cyan", text)}\n`)
    this.#draw()
  }

  begin(thread: string, what: string): Activity {
    const span: Span = { what, from: this.#now(), to: undefined, ending: undefined }
    const lane = this.#lanes.get(thread)
    if (lane === undefined) this.#lanes.set(thread, [span])
    else lane.push(span)
    return {
      end: (how) => {
        span.to = this.#now()
        span.ending = how
      },
    }
  }

  close(): void {
    clearInterval(this.#frames)
    this.#draw()
    this.#out.write("\n")
  }

  #now(): number {
    return performance.now() - this.#began
  }

  #wipe(): void {
    moveCursor(this.#out, 0, -this.#linesDrawn)
    cursorTo(this.#out, 0)
    clearScreenDown(this.#out)
    this.#linesDrawn = 0
  }

  #draw(): void {
    this.#wipe()
    const names = Math.max(0, ...[...this.#lanes.keys()].map((name) => name.length))
    const room = this.#out.columns - names - 5
    if (room < 10) return // nothing to be seen in so narrow a window
    const now = this.#now()
    const scale = Math.max(FINEST, now / room)
    for (const [name, spans] of this.#lanes) {
      this.#out.write(`  ${name.padEnd(names)}  ${drawLane(spans, now, scale, room)}\n`)
      this.#linesDrawn++
    }
  }
}

function drawLane(spans: readonly Span[], now: number, scale: number, room: number): string {
  let text = ""
  let column = 0
  for (const span of spans) {
    // At least one blank between two spans, and always room for the mark at the end.
    const from = Math.max(Math.round(span.from / scale), column === 0 ? 0 : column + 1)
    const to = Math.min(Math.max(Math.round((span.to ?? now) / scale), from + 1), room)
    if (from >= to) break
    text += " ".repeat(from - column) + drawSpan(span, to - from)
    column = to
  }
  return text
}

function drawSpan({ what, ending }: Span, width: number): string {
  const mark = ending === undefined ? "" : MARKS[ending]
  const body = `${what} `.padEnd(width, "━").slice(0, width - mark.length)
  switch (ending) {
    case undefined:
      return styleText("yellow", body)
    case "done":
      return body + styleText("green", mark)
    case "failed":
    case "interrupted":
      return styleText("dim", body) + styleText("red", mark)
  }
}
