/**
 * The lanes in pieces: a tile is a picture of all lanes for a span of time, as wide as 512 pixels. While the view moves,
 * tiles are only copied; a tile is painted anew when a frame has changed what it shows. So sixty pictures a second cost
 * little, however many tasks there are.
 *
 * A task that is narrower than a pixel is not painted by itself: a pixel has the colour of its longest task, the paler
 * the more idle its time was.
 */
import type { Block } from "#src/monitor/wire.js"
import { firstAfter, type Lane, type Model } from "./model.ts"
import { type Colours, palette } from "./palette.ts"

export const LANE_HEIGHT = 26
const GUTTER = 3
/** The width of a tile, in pixels of the screen. A multiple of the width of the stripes. */
const TILE = 512
/** Tasks inside of tasks are painted inside of their blocks, so deep. */
const DEEPEST = 3
const FAILED = 2
const CANCELLED = 3
const DIED = 4

interface Tile {
  readonly canvas: OffscreenCanvas
  readonly context: OffscreenCanvasRenderingContext2D
  isStale: boolean
}

export interface TileView {
  readonly lanes: readonly Lane[]
  /** The time at the left edge, in ms since 1970. */
  readonly start: number
  /** Pixels of the screen per ms. */
  readonly scale: number
  /** Pixels of the screen per pixel of the page. */
  readonly ratio: number
  /** The width of the view, in pixels of the screen. */
  readonly width: number
  readonly matches: (name: string) => boolean
  /** Changes with the filter and the colours. */
  readonly look: string
}

export class LaneTiles {
  readonly #tiles = new Map<number, Tile>()
  #key = ""
  #revision = 0

  /** Copies the tiles of the view, the lower edge of the time axis being at `top`. */
  draw(target: CanvasRenderingContext2D, model: Model, view: TileView, colours: Colours, top: number): void {
    this.#renew(model, view)
    const { start, scale, width } = view
    const span = TILE / scale
    const first = Math.floor(start / span)
    const last = Math.floor((start + width / scale) / span)
    for (const number of this.#tiles.keys()) {
      if (number < first - 1 || number > last + 1) this.#tiles.delete(number)
    }
    for (let number = first; number <= last; number++) {
      const tile = this.#tileOf(number, view)
      if (tile === undefined) return
      if (tile.isStale) {
        tile.isStale = false
        tile.context.clearRect(0, 0, TILE, tile.canvas.height)
        const painter = new Painter(tile.context, model, view, colours, number * span)
        for (const [row, lane] of view.lanes.entries()) painter.paint(lane, row)
      }
      target.drawImage(tile.canvas, Math.round((number * span - start) * scale), top)
    }
  }

  /** Marks the tiles that no longer show what is known. */
  #renew(model: Model, { lanes, scale, ratio, look }: TileView): void {
    const key = `${look} ${scale} ${ratio} ${lanes.map(({ line }) => line.id).join()}`
    if (key !== this.#key) this.#tiles.clear()
    this.#key = key
    const since = model.changedSince(this.#revision)
    this.#revision = model.revision
    // A mark is some pixels wide.
    for (const [number, tile] of this.#tiles) if ((number + 1) * TILE + 8 > since * scale) tile.isStale = true
  }

  #tileOf(number: number, { lanes, ratio }: TileView): Tile | undefined {
    const known = this.#tiles.get(number)
    if (known !== undefined) return known
    const canvas = new OffscreenCanvas(TILE, Math.max(1, Math.ceil(lanes.length * LANE_HEIGHT * ratio)))
    const context = canvas.getContext("2d")
    if (context === null) return undefined
    const tile = { canvas, context, isStale: true }
    this.#tiles.set(number, tile)
    return tile
  }
}

/** Paints a tile. */
class Painter {
  readonly #context: OffscreenCanvasRenderingContext2D
  readonly #model: Model
  readonly #view: TileView
  readonly #colours: Colours
  /** The time at its left edge. */
  readonly #start: number
  readonly #end: number

  constructor(
    context: OffscreenCanvasRenderingContext2D,
    model: Model,
    view: TileView,
    colours: Colours,
    start: number,
  ) {
    this.#context = context
    this.#model = model
    this.#view = view
    this.#colours = colours
    this.#start = start
    this.#end = start + TILE / view.scale
  }

  #x(time: number): number {
    return (time - this.#start) * this.#view.scale
  }

  paint(lane: Lane, row: number): void {
    const { ratio, scale } = this.#view
    const top = row * LANE_HEIGHT * ratio
    const height = (LANE_HEIGHT - GUTTER) * ratio
    const margin = 8 / scale
    const first = firstAfter(lane.blocks, (block) => block[2] + block[3], this.#start)
    let deepest = this.#blocks(lane, first, 0, top, height)
    deepest = Math.min(DEEPEST, deepest)
    for (let depth = 1; depth <= deepest; depth++) this.#blocks(lane, first, depth, top, height)
    this.#waits(lane, top, height)
    this.#labels(lane, first, top, height)
    for (let at = firstAfter(lane.marks, (mark) => mark[2], this.#start - margin); at < lane.marks.length; at++) {
      const [, kind, time] = lane.marks[at] as Lane["marks"][number]
      if (time > this.#end + margin) break
      this.#mark(kind, this.#x(time), top, height)
    }
    if (lane.ended < this.#end) {
      this.#context.fillStyle = this.#colours.line
      const left = Math.max(0, this.#x(lane.ended))
      this.#context.fillRect(left, Math.round(top + height / 2), TILE - left, Math.ceil(2 * ratio))
    }
  }

  /** The blocks of a depth, from the given one on. Returns how deep blocks there are. */
  #blocks(lane: Lane, first: number, depth: number, top: number, height: number): number {
    const inset = Math.round((height / (DEEPEST + 1)) * 0.9 * depth)
    const pixel = new Pixel(this.#context, this.#colours, top + inset, height - inset)
    const { blocks } = lane
    let deepest = 0
    for (let at = first; at < blocks.length; at++) {
      const block = blocks[at] as Block
      if (block[8] > deepest) deepest = block[8]
      if (Math.min(DEEPEST, block[8]) !== depth) continue
      if (block[2] > this.#end) {
        if (block[8] === 0) break
        continue // a block around it may follow: blocks are in the order of their ends
      }
      const left = this.#x(block[2])
      const right = left + block[3] * this.#view.scale
      const colour = this.#colourOf(block)
      if (right - left < 1.5) pixel.add(left, right, colour, block)
      else {
        pixel.flush()
        this.#block(block, left, right, colour, top + inset, height - inset)
      }
    }
    pixel.flush()
    return deepest
  }

  #block(block: Block, left: number, right: number, colour: string, top: number, height: number): void {
    const context = this.#context
    const { ratio } = this.#view
    const [, , , duration, , , outcome, count, , busy] = block
    const from = Math.max(-ratio, left)
    const gap = right - left > 4 ? ratio : 0
    const to = Math.min(TILE + ratio, right) - gap
    context.fillStyle = colour
    if (count > 1) context.globalAlpha = shareOf(busy, duration)
    context.fillRect(from, top, to - from, height)
    context.globalAlpha = 1
    const edge = this.#edgeOf(outcome)
    if (edge !== undefined) {
      context.fillStyle = edge
      context.fillRect(from, top + height - 5 * ratio, to - from, 5 * ratio)
    }
  }

  /** The names of the outer tasks, over the stripes. */
  #labels({ blocks }: Lane, first: number, top: number, height: number): void {
    const wide = (44 * this.#view.ratio) / this.#view.scale
    for (let at = first; at < blocks.length; at++) {
      const [, name, start, duration, , , , count, depth] = blocks[at] as Block
      if (depth > 0) continue
      if (start > this.#end) break
      if (duration < wide) continue
      const title = this.#model.names[name] ?? ""
      const text = count > 1 ? `${title} × ${count}` : title
      this.#write(text, this.#x(start), this.#x(start + duration), top, height)
    }
  }

  #edgeOf(outcome: number): string | undefined {
    if (outcome === FAILED || outcome === DIED) return this.#colours.bad
    return outcome === CANCELLED ? this.#colours.warn : undefined
  }

  #write(name: string, left: number, right: number, top: number, height: number): void {
    const { ratio } = this.#view
    const letters = Math.floor((right - left - 9 * ratio) / (6 * ratio))
    if (letters < 4) return
    const context = this.#context
    context.font = `${11 * ratio}px system-ui, sans-serif`
    context.textBaseline = "middle"
    context.fillStyle = "#fff"
    const text = name.length > letters ? `${name.slice(0, letters - 1)}…` : name
    context.fillText(text, left + 5 * ratio, top + height / 2)
  }

  /** The stripes of waiting threads. */
  #waits({ waits }: Lane, top: number, height: number): void {
    const context = this.#context
    context.fillStyle = this.#colours.hatch
    for (let at = firstAfter(waits, (wait) => wait[2] + wait[3], this.#start); at < waits.length; at++) {
      const [, , start, duration] = waits[at] as Lane["waits"][number]
      if (start > this.#end) break
      const left = this.#x(start)
      const width = duration * this.#view.scale
      if (width >= 2) context.fillRect(left, top, width, height)
    }
  }

  #mark(kind: Lane["marks"][number][1], x: number, top: number, height: number): void {
    const context = this.#context
    const { ratio } = this.#view
    const size = 5 * ratio
    if (kind === "stole") {
      context.fillStyle = this.#colours.mark
      context.beginPath()
      context.moveTo(x, top)
      context.lineTo(x + size, top + 1.6 * size)
      context.lineTo(x - size, top + 1.6 * size)
      context.fill()
    } else if (kind === "died") {
      context.strokeStyle = this.#colours.bad
      context.lineWidth = 3 * ratio
      context.beginPath()
      for (const slope of [-size, size]) {
        context.moveTo(x - size, top + height / 2 - slope)
        context.lineTo(x + size, top + height / 2 + slope)
      }
      context.stroke()
    } else {
      context.fillStyle = this.#colours.faint
      context.fillRect(x, top, 2 * ratio, height)
    }
  }

  #colourOf(block: Block): string {
    const title = this.#model.names[block[1]] ?? ""
    if (!this.#view.matches(title)) return this.#colours.line
    return this.#colours.tasks[palette.indexOf(title)] ?? this.#colours.text
  }
}

/** A column of pixels, with all tasks that are narrower than it. */
class Pixel {
  readonly #context: OffscreenCanvasRenderingContext2D
  readonly #colours: Colours
  readonly #top: number
  readonly #height: number
  #at = -1
  #covered = 0
  #longest = 0
  #colour = ""
  #isBad = false

  constructor(context: OffscreenCanvasRenderingContext2D, colours: Colours, top: number, height: number) {
    this.#context = context
    this.#colours = colours
    this.#top = top
    this.#height = height
  }

  add(left: number, right: number, colour: string, block: Block): void {
    const [, , , duration, , , outcome, , , busy] = block
    const at = Math.floor(Math.max(0, left))
    if (at !== this.#at) this.flush()
    this.#at = at
    const width = (right - left) * (duration > 0 ? busy / duration : 1)
    this.#covered += width
    if (width >= this.#longest) {
      this.#longest = width
      this.#colour = colour
    }
    if (outcome === FAILED || outcome === DIED) this.#isBad = true
  }

  flush(): void {
    if (this.#at >= 0) {
      const context = this.#context
      context.fillStyle = this.#colour
      context.globalAlpha = shareOf(this.#covered, 1)
      context.fillRect(this.#at, this.#top, 1, this.#height)
      context.globalAlpha = 1
      if (this.#isBad) {
        context.fillStyle = this.#colours.bad
        context.fillRect(this.#at, this.#top + this.#height * 0.7, 1, this.#height * 0.3)
      }
    }
    this.#at = -1
    this.#covered = 0
    this.#longest = 0
    this.#isBad = false
  }
}

/** How strong a colour is: never so pale that a task cannot be seen. */
function shareOf(busy: number, duration: number): number {
  return duration > 0 ? Math.min(1, 0.35 + (0.65 * busy) / duration) : 1
}
