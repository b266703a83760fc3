import { task } from "corepool"

export interface Picture {
  readonly pixels: Uint8Array
  readonly width: number
  readonly height: number
}

const MOST = 500

/** Draws a row of the Mandelbrot set: the sooner a point escapes, the darker it is, and what never does is white. */
export const drawRow = task(import.meta.url, function drawRow(row: number, { pixels, width, height }: Picture): void {
  const y = (row / height) * 2.4 - 1.2
  for (let column = 0; column < width; column++) {
    const x = (column / width) * 3.2 - 2.2
    pixels[row * width + column] = Math.round(255 * Math.sqrt(escapeTime(x, y) / MOST))
  }
})

function escapeTime(x: number, y: number): number {
  let a = 0
  let b = 0
  let count = 0
  while (count < MOST && a * a + b * b <= 4) {
    const next = a * a - b * b + x
    b = 2 * a * b + y
    a = next
    count++
  }
  return count
}
