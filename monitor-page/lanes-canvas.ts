/**
 * Draws the lanes. It runs sixty times a second, so it looks at each block once, draws none that would lie within a
 * pixel that is drawn already, and changes the colour as seldom as possible.
 */
import type { Block } from "#src/monitor/wire.js"
import { firstAfter, type Lane, type Model } from "./model.ts"

export const LANE_HEIGHT = 26
export const AXIS_HEIGHT = 22
const GUTTER = 3

export interface View {
  /** The width of the view, in ms. */
  readonly span: number
  /** The time at its right edge, in ms since 1970. */
  readonly end: number
  readonly lanes: readonly Lane[]
  /** Functions that do not match are pale. */
  readonly matches: (name: string) => boolean
  readonly selected: Block | undefined
  readonly focusedLane: number
}

interface Colours {
  readonly text: string
  readonly faint: string
  readonly line: string
  readonly lane: string
  readonly bad: string
  readonly mark: string
  readonly focus: string
  readonly tasks: readonly string[]
}

/** As many as a reader can tell apart. */
export const PALETTE_SIZE = 8

export function paletteIndex(name: string): number {
  let hash = 7
  for (let i = 0; i < name.length; i++) hash = (Math.imul(hash, 31) + name.charCodeAt(i)) | 0
  return Math.abs(hash) % PALETTE_SIZE
}

export class LanesCanvas {
  readonly #canvas: HTMLCanvasElement
  readonly #context: CanvasRenderingContext2D
  #colours: Colours
  /** Of each name of the model, by its number. */
  readonly #indices: number[] = []

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas
    const context = canvas.getContext("2d", { alpha: false })
    if (context === null) throw new Error("This browser has no canvas")
    this.#context = context
    this.#colours = coloursOf(canvas)
  }

  /** Light and dark have changed. */
  recolour(): void {
    this.#colours = coloursOf(this.#canvas)
  }

  draw(model: Model, view: View): void {
    const { clientWidth: width } = this.#canvas
    const height = AXIS_HEIGHT + Math.max(1, view.lanes.length) * LANE_HEIGHT
    const ratio = window.devicePixelRatio
    if (this.#canvas.width !== Math.round(width * ratio) || this.#canvas.height !== Math.round(height * ratio)) {
      this.#canvas.width = Math.round(width * ratio)
      this.#canvas.height = Math.round(height * ratio)
      this.#canvas.style.height = `${height}px`
    }
    const context = this.#context
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    context.fillStyle = this.#colours.lane
    context.fillRect(0, 0, width, height)
    this.#drawAxis(view, width, height)
    for (const [row, lane] of view.lanes.entries()) this.#drawLane(model, view, lane, row, width)
  }

  #drawAxis({ span, end }: View, width: number, height: number): void {
    const context = this.#context
    const step = stepOf((span / width) * 110)
    context.font = "11px system-ui, sans-serif"
    context.textBaseline = "middle"
    const start = end - span
    for (let time = Math.ceil(start / step) * step; time < end; time += step) {
      const x = Math.round(((time - start) / span) * width)
      context.fillStyle = this.#colours.line
      context.fillRect(x, 0, 1, height)
      context.fillStyle = this.#colours.faint
      context.fillText(clock(time, step), x + 4, AXIS_HEIGHT / 2)
    }
  }

  #drawLane(model: Model, view: View, lane: Lane, row: number, width: number): void {
    const context = this.#context
    const { span, end, matches, selected } = view
    const start = end - span
    const scale = width / span
    const top = AXIS_HEIGHT + row * LANE_HEIGHT
    const height = LANE_HEIGHT - GUTTER
    context.fillStyle = this.#colours.line
    context.fillRect(0, top + LANE_HEIGHT - 1, width, 1)
    const { blocks } = lane
    let drawn = -1
    let colour = ""
    const paint = (name: number, from: number, to: number, bad: boolean): void => {
      const left = Math.max(0, (from - start) * scale)
      const right = Math.min(width, Math.max((to - start) * scale, left + 1))
      // Of blocks within one pixel the first is drawn; a failure always is.
      if (right <= drawn + 0.5 && !bad) return
      const wanted = this.#colourOf(model, name, matches)
      if (wanted !== colour) context.fillStyle = colour = wanted
      context.fillRect(left, top + 1, Math.max(right - left - (right - left > 3 ? 1 : 0), 1), height)
      if (bad) {
        context.fillStyle = colour = this.#colours.bad
        context.fillRect(left, top + height - 4, Math.max(right - left, 2), 5)
      }
      drawn = right
    }
    for (let at = firstAfter(blocks, (block) => block[2] + block[3], start); at < blocks.length; at++) {
      const block = blocks[at] as Block
      if (block[2] > end) break
      paint(block[1], block[2], block[2] + block[3], block[6] === 2 || block[6] === 4)
    }
    if (lane.open !== undefined && lane.open[2] < end) paint(lane.open[1], lane.open[2], end, false)
    this.#labels(model, view, lane, top, height, scale, width)
    this.#marks(lane, start, end, top, height, scale)
    if (lane.ended < end) {
      context.fillStyle = this.#colours.line
      const left = Math.max(0, (lane.ended - start) * scale)
      context.fillRect(left, top + LANE_HEIGHT / 2 - 1, width - left, 2)
    }
    if (selected !== undefined && selected[0] === lane.line.id) {
      context.strokeStyle = this.#colours.focus
      context.lineWidth = 2
      context.strokeRect((selected[2] - start) * scale - 1, top, Math.max(selected[3] * scale, 3) + 2, height + 2)
    }
    if (view.focusedLane === row) {
      context.fillStyle = this.#colours.focus
      context.fillRect(0, top, 3, LANE_HEIGHT - 1)
    }
  }

  /** Names, where they fit into their blocks. */
  #labels(model: Model, view: View, lane: Lane, top: number, height: number, scale: number, width: number): void {
    const context = this.#context
    const start = view.end - view.span
    const wide = 44 / scale
    context.font = "11px system-ui, sans-serif"
    context.textBaseline = "middle"
    const write = (name: string, from: number, to: number): void => {
      const left = Math.max(0, (from - start) * scale) + 5
      const room = Math.min(width, (to - start) * scale) - left - 4
      const letters = Math.floor(room / 6)
      if (letters < 4) return
      context.fillStyle = "#fff"
      context.fillText(name.length > letters ? `${name.slice(0, letters - 1)}…` : name, left, top + 1 + height / 2)
    }
    const { blocks, open } = lane
    for (let at = firstAfter(blocks, (block) => block[2] + block[3], start); at < blocks.length; at++) {
      const [, name, from, duration, , , , count] = blocks[at] as Block
      if (from > view.end) break
      if (duration < wide) continue
      const title = model.names[name] ?? ""
      write(count > 1 ? `${title} × ${count}` : title, from, from + duration)
    }
    if (open !== undefined && view.end - open[2] > wide) write(model.names[open[1]] ?? "", open[2], view.end)
  }

  #marks(lane: Lane, start: number, end: number, top: number, height: number, scale: number): void {
    const context = this.#context
    for (const [, kind, time] of lane.marks) {
      if (time < start || time > end) continue
      const x = (time - start) * scale
      if (kind === "stole") {
        context.fillStyle = this.#colours.mark
        context.beginPath()
        context.moveTo(x, top + 1)
        context.lineTo(x + 4, top + 8)
        context.lineTo(x - 4, top + 8)
        context.fill()
      } else if (kind === "died") {
        context.strokeStyle = this.#colours.bad
        context.lineWidth = 3
        context.beginPath()
        for (const slope of [-1, 1]) {
          context.moveTo(x - 6, top + height / 2 - 6 * slope)
          context.lineTo(x + 6, top + height / 2 + 6 * slope)
        }
        context.stroke()
      } else {
        context.fillStyle = this.#colours.faint
        context.fillRect(x, top, 2, height)
      }
    }
  }

  #colourOf(model: Model, name: number, matches: (name: string) => boolean): string {
    const title = model.names[name] ?? ""
    if (!matches(title)) return this.#colours.line
    const index = (this.#indices[name] ??= paletteIndex(title))
    return this.#colours.tasks[index] ?? this.#colours.text
  }
}

function coloursOf(element: Element): Colours {
  const style = getComputedStyle(element)
  const read = (name: string): string => style.getPropertyValue(name).trim()
  return {
    text: read("--text"),
    faint: read("--faint"),
    line: read("--line"),
    lane: read("--lane"),
    bad: read("--bad"),
    mark: read("--mark"),
    focus: read("--focus"),
    tasks: Array.from({ length: PALETTE_SIZE }, (_, at) => read(`--task-${at}`)),
  }
}

const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000]

/** The distance of two lines, in ms: a round number. */
function stepOf(least: number): number {
  return STEPS.find((step) => step >= least) ?? 300_000
}

function two(n: number): string {
  return String(n).padStart(2, "0")
}

export function clock(time: number, step: number): string {
  const date = new Date(time)
  const text = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
  return step >= 1000 ? text : `${text}.${String(Math.floor(date.getMilliseconds())).padStart(3, "0")}`
}
