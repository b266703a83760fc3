/** Draws the lanes: the time axis, the tasks that run now, and over them the tiles with all that has ended. */
import type { Block } from "#src/monitor/wire.js"
import { LANE_HEIGHT, LaneTiles } from "./lane-tiles.ts"
import type { Lane, Model } from "./model.ts"
import { type Colours, coloursOf, palette } from "./palette.ts"

export { LANE_HEIGHT } from "./lane-tiles.ts"
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
  /** The text of the filter. */
  readonly filter: string
  readonly selected: Block | undefined
  readonly focusedLane: number
}

export class LanesCanvas {
  readonly #canvas: HTMLCanvasElement
  readonly #context: CanvasRenderingContext2D
  readonly #tiles = new LaneTiles()
  #colours: Colours
  /** How often the colours have changed. */
  #appearance = 0

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
    this.#appearance++
  }

  draw(model: Model, view: View): void {
    const ratio = window.devicePixelRatio
    const { clientWidth } = this.#canvas
    const width = Math.round(clientWidth * ratio)
    const rows = Math.max(1, view.lanes.length)
    const height = Math.round((AXIS_HEIGHT + rows * LANE_HEIGHT) * ratio)
    if (width === 0) return
    if (this.#canvas.width !== width || this.#canvas.height !== height) {
      this.#canvas.width = width
      this.#canvas.height = height
      this.#canvas.style.height = `${AXIS_HEIGHT + rows * LANE_HEIGHT}px`
    }
    const context = this.#context
    const { lanes, span, end, matches, filter } = view
    const scale = width / span
    // A whole number of pixels, so that nothing trembles.
    const start = Math.round((end - span) * scale) / scale
    context.fillStyle = this.#colours.lane
    context.fillRect(0, 0, width, height)
    this.#drawAxis(view, start, scale, width, height, ratio)
    for (const [row, lane] of lanes.entries()) this.#drawOpen(model, view, lane, row, start, scale, width, ratio)
    const look = `${this.#appearance} ${filter}`
    const top = Math.round(AXIS_HEIGHT * ratio)
    this.#tiles.draw(context, model, { lanes, start, scale, ratio, width, matches, look }, this.#colours, top)
    for (const [row, lane] of lanes.entries()) this.#drawOver(view, lane, row, start, scale, width, ratio)
  }

  #drawAxis({ span, lanes }: View, start: number, scale: number, width: number, height: number, ratio: number): void {
    const context = this.#context
    const step = stepOf((span / width) * 110 * ratio)
    context.font = `${11 * ratio}px system-ui, sans-serif`
    context.textBaseline = "middle"
    for (let time = Math.ceil(start / step) * step; (time - start) * scale < width; time += step) {
      const x = Math.round((time - start) * scale)
      context.fillStyle = this.#colours.line
      context.fillRect(x, 0, 1, height)
      context.fillStyle = this.#colours.faint
      context.fillText(clock(time, step), x + 4 * ratio, (AXIS_HEIGHT / 2) * ratio)
    }
    for (const [row, { line }] of lanes.entries()) {
      // The threads of another pool begin with a stronger line.
      const isFirst = line.pool !== lanes[row - 1]?.line.pool
      context.fillStyle = isFirst && row > 0 ? this.#colours.faint : this.#colours.line
      context.fillRect(0, Math.round((AXIS_HEIGHT + row * LANE_HEIGHT - 2) * ratio), width, Math.ceil(ratio))
    }
  }

  /** The tasks that run now, the outer ones first. */
  #drawOpen(
    model: Model,
    view: View,
    lane: Lane,
    row: number,
    start: number,
    scale: number,
    width: number,
    ratio: number,
  ): void {
    const context = this.#context
    const height = (LANE_HEIGHT - GUTTER) * ratio
    const top = (AXIS_HEIGHT + row * LANE_HEIGHT) * ratio
    for (const [, name, since, , depth] of lane.open) {
      const left = Math.max(0, (since - start) * scale)
      if (left >= width) continue
      const title = model.names[name] ?? ""
      const inset = Math.round((height / 4) * 0.9 * Math.min(3, depth))
      context.fillStyle = view.matches(title)
        ? (this.#colours.tasks[palette.indexOf(title)] ?? this.#colours.text)
        : this.#colours.line
      context.fillRect(left, top + inset, width - left, height - inset)
      const letters = Math.floor((width - left - 9 * ratio) / (6 * ratio))
      if (letters < 4) continue
      context.fillStyle = "#fff"
      const text = title.length > letters ? `${title.slice(0, letters - 1)}…` : title
      context.fillText(text, left + 5 * ratio, top + inset + (height - inset) / 2)
    }
  }

  /** What lies over the blocks: the wait that lasts, the selected task, the lane that has the focus. */
  #drawOver(view: View, lane: Lane, row: number, start: number, scale: number, width: number, ratio: number): void {
    const context = this.#context
    const height = (LANE_HEIGHT - GUTTER) * ratio
    const top = (AXIS_HEIGHT + row * LANE_HEIGHT) * ratio
    for (const [, , since] of lane.openWaits) {
      const left = Math.max(0, (since - start) * scale)
      context.fillStyle = this.#colours.hatch
      if (left < width) context.fillRect(left, top, width - left, height)
    }
    const { selected } = view
    if (selected !== undefined && selected[0] === lane.line.id) {
      context.strokeStyle = this.#colours.focus
      context.lineWidth = 2 * ratio
      const left = (selected[2] - start) * scale
      context.strokeRect(left - ratio, top, Math.max(selected[3] * scale, 3 * ratio) + 2 * ratio, height)
    }
    if (view.focusedLane === row) {
      context.fillStyle = this.#colours.focus
      context.fillRect(0, top, 3 * ratio, height)
    }
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
