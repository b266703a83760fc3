/**
 * The Mandelbrot set, row by row, by all threads.
 *
 * `parallelForEach` calls a function for each number of a range. All threads write into the same picture, which lies in shared memory. Rows
 * in the middle take a hundred times as long as those at the edge; who is done with its own takes some from the others.
 *
 * The picture is written where the first argument says: `node build/examples/28-mandelbrot.js mandelbrot.png`.
 */
import { parallelForEach } from "corepool"
import { writeFileSync } from "node:fs"
import { drawRow } from "./support/mandelbrot.ts"
import { pngOf } from "./support/png.ts"
import { speedUp } from "./support/speed-up.ts"

const width = 640
const height = 480
const pixels = new Uint8Array(new SharedArrayBuffer(width * height))

const white = await speedUp(async (pool) => {
  await parallelForEach(height, drawRow, { pool, args: [{ pixels, width, height }] })
  return pixels.filter((pixel) => pixel === 255).length
})

const png = pngOf(pixels, width, height)
const [, , file] = process.argv
if (file !== undefined) writeFileSync(file, png)
console.log(`${width} × ${height}, ${white} points in the set, a PNG: ${png.toString("latin1", 1, 4) === "PNG"}`)

// Output:
// 640 × 480, 60654 points in the set, a PNG: true
