/** Which part of the plane the picture shows, and the tiles that it is divided into. */
import type { Tile } from "./tasks.ts"

/** The middle of the picture, and how far two pixels are apart. */
export interface View {
  readonly x: number
  readonly y: number
  readonly step: number
}

export interface PlacedTile {
  readonly left: number
  readonly top: number
  readonly tile: Tile
}

const SIDE = 64
/** Further in, two pixels would be the same number. */
const FINEST = 4e-16

export function wholeSet(width: number, height: number): View {
  return { x: -0.65, y: 0, step: Math.max(3.4 / width, 2.5 / height) }
}

/** Moves the picture by pixels. */
export function moved(view: View, right: number, down: number): View {
  return { ...view, x: view.x + right * view.step, y: view.y + down * view.step }
}

/** What is `right` and `down` of the middle stays where it is. */
export function zoomed(view: View, factor: number, right = 0, down = 0): View {
  const step = Math.min(0.02, Math.max(FINEST, view.step / factor))
  const moving = view.step - step
  return { x: view.x + right * moving, y: view.y + down * moving, step }
}

/** The further in, the more turns it takes to tell points apart. */
export function turnsFor({ step }: View): number {
  return Math.round(260 + 130 * Math.max(0, Math.log2(0.004 / step)))
}

/** Those in the middle are first. */
export function tilesOf(view: View, width: number, height: number): PlacedTile[] {
  const most = turnsFor(view)
  const tiles: PlacedTile[] = []
  for (let top = 0; top < height; top += SIDE) {
    for (let left = 0; left < width; left += SIDE) {
      const [x, y] = [view.x + (left - width / 2) * view.step, view.y + (top - height / 2) * view.step]
      const size = { width: Math.min(SIDE, width - left), height: Math.min(SIDE, height - top) }
      tiles.push({ left, top, tile: { x, y, step: view.step, most, ...size } })
    }
  }
  const distance = ({ left, top }: PlacedTile): number =>
    Math.hypot(left + SIDE / 2 - width / 2, top + SIDE / 2 - height / 2)
  return tiles.sort((a, b) => distance(a) - distance(b))
}
