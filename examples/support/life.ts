import { task } from "corepool"

export interface Board {
  readonly cells: Uint8Array
  readonly next: Uint8Array
  readonly width: number
  readonly height: number
}

/** What becomes of a row: a cell lives on with two or three neighbours, and comes to life with three. The edges meet. */
export const liveRow = task(import.meta.url, function liveRow(row: number, board: Board): void {
  const { cells, next, width, height } = board
  const here = row * width
  const above = ((row + height - 1) % height) * width
  const below = ((row + 1) % height) * width
  const at = (index: number): number => cells[index] as number
  for (let x = 0; x < width; x++) {
    const left = x === 0 ? width - 1 : x - 1
    const right = x === width - 1 ? 0 : x + 1
    const neighbours =
      at(above + left) +
      at(above + x) +
      at(above + right) +
      at(here + left) +
      at(here + right) +
      at(below + left) +
      at(below + x) +
      at(below + right)
    next[here + x] = neighbours === 3 || (neighbours === 2 && at(here + x) === 1) ? 1 : 0
  }
})
