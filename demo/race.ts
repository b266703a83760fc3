/** A sort by one thread, and the same sort by all of them. */
import { ForkJoinPool, parallelSort } from "corepool"
import { brush, button, byId, canvas, colour, eachFrame, say } from "./elements.ts"
import { isSorted, shuffle, sortAlone } from "./tasks.ts"

const DOTS = 4000

export function controlRace(threadsNow: () => number): void {
  const start = button("race")
  start.addEventListener("click", () => {
    start.disabled = true
    const length = Number(byId("race-length", HTMLSelectElement).value)
    void race(length, threadsNow())
      .catch((error: unknown) => say("race-result", String(error)))
      .finally(() => {
        start.disabled = false
      })
  })
}

async function race(length: number, threads: number): Promise<void> {
  say("race-all-name", threads === 1 ? "One thread, parallelSort" : `${threads} threads`)
  for (const id of ["race-result", "race-one-time", "race-all-time"]) say(id, "")
  const numbers = new Float64Array(new SharedArrayBuffer(length * Float64Array.BYTES_PER_ELEMENT))
  const copy = new Float64Array(new SharedArrayBuffer(numbers.byteLength))
  const one = new ForkJoinPool({ parallelism: 1 })
  const all = new ForkJoinPool({ parallelism: threads })
  const stop = eachFrame(() => {
    drawDots(canvas("race-one"), numbers)
    drawDots(canvas("race-all"), copy)
  })
  try {
    say("race-result", "Shuffling …")
    await one.submit(shuffle, numbers, copy)
    await parallelSort(new Float64Array(100_000), { pool: all }) // all threads have started
    say("race-result", "One thread sorts …")
    const alone = await timed("race-one-time", () => one.submit(sortAlone, numbers))
    say("race-result", `${threads === 1 ? "One thread sorts" : "All threads sort"} …`)
    const together = await timed("race-all-time", () => parallelSort(copy, { pool: all }))
    const isRight = (await one.submit(isSorted, numbers)) && (await all.submit(isSorted, copy))
    if (!isRight) throw new Error("The numbers are not sorted")
    say("race-result", `${(alone / together).toFixed(2)} times as fast`)
    await new Promise(requestAnimationFrame) // the end is drawn
  } finally {
    stop()
    await Promise.all([one.close(), all.close()])
  }
}

async function timed(id: string, run: () => PromiseLike<unknown>): Promise<number> {
  const begin = performance.now()
  const stop = eachFrame(() => say(id, seconds(performance.now() - begin)))
  try {
    await run()
    return performance.now() - begin
  } finally {
    stop()
    say(id, seconds(performance.now() - begin))
  }
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`

/** Some of the numbers, as dots: noise before they are sorted, a line after. */
function drawDots(on: HTMLCanvasElement, numbers: Float64Array): void {
  const { width, height } = on
  const picture = new ImageData(width, height)
  const pixels = new Int32Array(picture.data.buffer)
  const dot = bytesOf(colour("dots"))
  for (let i = 0; i < DOTS; i++) {
    const value = numbers[Math.floor((i / DOTS) * numbers.length)] as number
    const [x, y] = [Math.floor((i / DOTS) * width), Math.floor((1 - value) * (height - 2))]
    pixels[y * width + x] = dot
    pixels[(y + 1) * width + x] = dot
  }
  brush(on).putImageData(picture, 0, 0)
}

/** `#rrggbb` as the four bytes of a pixel. */
function bytesOf(hex: string): number {
  const [red = 0, green = 0, blue = 0] = (hex.match(/[\da-f]{2}/gi) ?? []).map((part) => Number.parseInt(part, 16))
  return (255 << 24) | (blue << 16) | (green << 8) | red
}
