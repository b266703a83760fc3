/** The line at the bottom of a terminal that shows how far a command is. It is drawn ten times a second, and never in a pipe. */
import { styleText } from "node:util"

export interface Counts {
  readonly done: number
  readonly failed: number
  /** Undefined while inputs are still read. */
  readonly total: number | undefined
}

const BAR = 30
const REFRESH = 100

export class ProgressLine {
  readonly #stream: NodeJS.WriteStream
  readonly #counts: () => Counts
  readonly #withBar: boolean
  readonly #begun = performance.now()
  readonly #timer: NodeJS.Timeout
  #isDrawn = false

  constructor(stream: NodeJS.WriteStream, counts: () => Counts, withBar: boolean) {
    this.#stream = stream
    this.#counts = counts
    this.#withBar = withBar
    this.#timer = setInterval(() => this.#draw(), REFRESH)
    this.#timer.unref()
  }

  /** Whether the stream is a terminal that can redraw a line. */
  static suits(stream: NodeJS.WriteStream): boolean {
    return stream.isTTY && process.env["TERM"] !== "dumb" && process.env["CI"] === undefined
  }

  /** Call it before other text is written to the terminal. */
  clear(): void {
    if (this.#isDrawn) this.#stream.write("\r\u001B[K")
    this.#isDrawn = false
  }

  /** Leaves the last state on the terminal. */
  end(): void {
    clearInterval(this.#timer)
    this.#draw()
    this.#stream.write("\n")
  }

  #draw(): void {
    const text = describe(this.#counts(), performance.now() - this.#begun, this.#withBar)
    const columns = this.#stream.columns || 80 // some terminals say 0
    this.#stream.write(`\r\u001B[K${text.length < columns ? text : text.slice(0, columns - 1)}`)
    this.#isDrawn = true
  }
}

/** What the line says after `elapsed` ms. */
export function describe({ done, failed, total }: Counts, elapsed: number, withBar: boolean): string {
  const parts: string[] = []
  if (total !== undefined && total > 0) {
    const share = Math.min(1, done / total)
    if (withBar) {
      const filled = Math.round(share * BAR)
      parts.push(`${String(Math.floor(share * 100)).padStart(3)}% [${"#".repeat(filled)}${"-".repeat(BAR - filled)}]`)
    }
    parts.push(`${done}/${total}`)
    if (done > 0 && done < total) parts.push(`ETA ${duration((elapsed / done) * (total - done))}`)
  } else {
    parts.push(`${done} done`)
  }
  if (failed > 0) parts.push(styleText("red", `${failed} failed`))
  if (elapsed > 0 && done > 0) parts.push(`${rate(done / (elapsed / 1000))}/s`)
  return parts.join("  ")
}

function rate(perSecond: number): string {
  return perSecond >= 100 ? String(Math.round(perSecond)) : perSecond.toFixed(1)
}

function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60 ? `${minutes}m${seconds % 60}s` : `${Math.floor(minutes / 60)}h${minutes % 60}m`
}
