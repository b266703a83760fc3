/** The colours of functions, and of all else on the canvas. */

/** As many as a reader can tell apart. */
const PALETTE_SIZE = 10

/** Gives each name a colour: always the same one if it is free, and no colour twice as long as there is a free one. */
export class Palette {
  readonly #ofName = new Map<string, number>()
  readonly #isTaken = new Set<number>()

  indexOf(name: string): number {
    const known = this.#ofName.get(name)
    if (known !== undefined) return known
    let index = hashOf(name) % PALETTE_SIZE
    if (this.#isTaken.size < PALETTE_SIZE) while (this.#isTaken.has(index)) index = (index + 1) % PALETTE_SIZE
    this.#isTaken.add(index)
    this.#ofName.set(name, index)
    return index
  }
}

export const palette = new Palette()

function hashOf(name: string): number {
  let hash = 7
  for (let i = 0; i < name.length; i++) hash = (Math.imul(hash, 31) + name.charCodeAt(i)) | 0
  return Math.abs(hash)
}

export interface Colours {
  readonly text: string
  readonly faint: string
  readonly line: string
  readonly lane: string
  readonly bad: string
  readonly warn: string
  readonly mark: string
  readonly focus: string
  readonly tasks: readonly string[]
  /** Over the blocks of threads that wait. */
  readonly hatch: CanvasPattern | string
}

export function coloursOf(element: Element): Colours {
  const style = getComputedStyle(element)
  const read = (name: string): string => style.getPropertyValue(name).trim()
  return {
    text: read("--text"),
    faint: read("--faint"),
    line: read("--line"),
    lane: read("--lane"),
    bad: read("--bad"),
    warn: read("--warn"),
    mark: read("--mark"),
    focus: read("--focus"),
    tasks: Array.from({ length: PALETTE_SIZE }, (_, at) => read(`--task-${at}`)),
    hatch: hatchOf(read("--lane")),
  }
}

/** Stripes, eight pixels wide. */
function hatchOf(colour: string): CanvasPattern | string {
  const tile = new OffscreenCanvas(8, 8)
  const context = tile.getContext("2d")
  if (context === null) return colour
  context.strokeStyle = colour
  context.globalAlpha = 0.4
  context.lineWidth = 3
  for (const shift of [-8, 0, 8]) {
    context.moveTo(shift - 1, 9)
    context.lineTo(shift + 9, -1)
  }
  context.stroke()
  return context.createPattern(tile, "repeat") ?? colour
}
