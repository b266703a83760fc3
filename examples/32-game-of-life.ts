/**
 * The game of life, on two boards in shared memory: all threads read the one and write the other, and then the two
 * change places. Each generation begins when the last row of the one before is done, as `parallelForEach` returns then.
 */
import { parallelForEach } from "corepool"
import { type Board, liveRow } from "./support/life.ts"
import { speedUp } from "./support/speed-up.ts"

function boardOf(width: number, height: number, isAlive: (x: number, y: number) => boolean): Board {
  const size = width * height
  const cells = new Uint8Array(new SharedArrayBuffer(size))
  for (let i = 0; i < size; i++) cells[i] = Number(isAlive(i % width, Math.floor(i / width)))
  return { cells, next: new Uint8Array(new SharedArrayBuffer(size)), width, height }
}

/** The two boards change places. */
function turned({ cells, next, width, height }: Board): Board {
  return { cells: next, next: cells, width, height }
}

await speedUp(async (pool) => {
  let board = boardOf(1024, 1024, (x, y) => (x * x * y + 7 * y * y + x) % 101 < 40)
  for (let generation = 0; generation < 20; generation++) {
    await parallelForEach(board.height, liveRow, { pool, args: [board], grain: 64 })
    board = turned(board)
  }
  return board.cells.reduce((sum, cell) => sum + cell, 0)
}).then((alive) => console.log(`alive after 20 generations: ${alive}`))

// A glider, which after four generations is where it was, but one down and one to the right.
const glider = [".#...", "..#..", "###..", ".....", "....."]
let board = boardOf(5, 5, (x, y) => glider[y]?.[x] === "#")
for (let generation = 0; generation < 4; generation++) {
  await parallelForEach(board.height, liveRow, { args: [board] })
  board = turned(board)
}
for (let y = 0; y < 5; y++) console.log([...board.cells.subarray(y * 5, y * 5 + 5)].map((cell) => ".#"[cell]).join(""))

// Output:
// alive after 20 generations: 178703
// .....
// ..#..
// ...#.
// .###.
// .....
