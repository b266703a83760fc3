/** What the threads do. Each thread imports this module, so it needs no `document`. */
import { type ReentrantLock, task, Thread } from "corepool"

/** A part of the picture: where its first point is, and how far points are apart. */
export interface Tile {
  readonly x: number
  readonly y: number
  readonly step: number
  readonly width: number
  readonly height: number
  readonly most: number
}

export interface Drawn {
  /** Four bytes for each pixel, as ImageData has them. */
  readonly pixels: Uint8ClampedArray<ArrayBuffer>
  readonly thread: string
}

export const drawTile = task(import.meta.url, function drawTile(tile: Tile): Drawn {
  const { x, y, step, width, height, most } = tile
  const pixels = new Uint8ClampedArray(4 * width * height)
  for (let row = 0, at = 0; row < height; row++) {
    for (let column = 0; column < width; column++, at += 4) paint(pixels, at, x + column * step, y + row * step, most)
  }
  return { pixels, thread: Thread.currentThread().name }
})

/** The colour of a point: how soon it leaves, without steps between the colours. Points that stay are black. */
function paint(pixels: Uint8ClampedArray, at: number, x: number, y: number, most: number): void {
  let [a, b, aa, bb, turn] = [0, 0, 0, 0, 0]
  for (; aa + bb < 256 && turn < most; turn++) {
    b = 2 * a * b + y
    a = aa - bb + x
    aa = a * a
    bb = b * b
  }
  pixels[at + 3] = 255
  if (turn === most) return
  const depth = Math.sqrt(turn + 4 - Math.log2(Math.log2(aa + bb))) * 0.24
  pixels[at] = wave(depth)
  pixels[at + 1] = wave(depth + 0.09)
  pixels[at + 2] = wave(depth + 0.2)
}

function wave(at: number): number {
  return 128 - 127 * Math.cos(2 * Math.PI * at)
}

/** Random numbers, written into shared memory; `copy` gets the same. */
export const shuffle = task(import.meta.url, function shuffle(numbers: Float64Array, copy: Float64Array): void {
  for (let i = 0; i < numbers.length; i++) copy[i] = numbers[i] = Math.random()
})

export const sortAlone = task(import.meta.url, function sortAlone(numbers: Float64Array): void {
  numbers.sort()
})

export const isSorted = task(import.meta.url, function isSorted(numbers: Float64Array): boolean {
  return numbers.every((value, i) => i === 0 || (numbers[i - 1] as number) <= value)
})

export const smallTask = task(import.meta.url, function smallTask(n: number): number {
  return n + 1
})

/** Never returns, and never looks whether it is interrupted. Counts its turns, in millions, in shared memory. */
export const endlessLoop = task(import.meta.url, function endlessLoop(lock: ReentrantLock, turns: Int32Array): never {
  lock.lockSync()
  for (let turn = 1; ; turn++) if (turn % 1_000_000 === 0) Atomics.add(turns, 0, 1)
})
