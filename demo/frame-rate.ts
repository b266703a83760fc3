/** The frame rate of the page: how fluent it is while the threads compute. */
import { brush, canvas, colour, eachFrame, say } from "./elements.ts"

const SHOWN = 160
const SECOND = 1000

export function showFrameRate(): void {
  const curve = canvas("rate-curve")
  const lengths: number[] = []
  let last = performance.now()
  let told = last
  eachFrame((now) => {
    lengths.push(now - last)
    last = now
    if (lengths.length > SHOWN) lengths.shift()
    draw(curve, lengths)
    if (now - told < SECOND / 2) return
    told = now
    const latest = lastSecond(lengths)
    const sum = latest.reduce((a, b) => a + b, 0)
    if (sum === 0) return
    say("rate", ((SECOND * latest.length) / sum).toFixed(0))
    say("rate-worst", `${Math.max(...latest).toFixed(0)} ms`)
  })
}

function lastSecond(lengths: readonly number[]): number[] {
  let [sum, from] = [0, lengths.length]
  while (from > 0 && sum < SECOND) sum += lengths[--from] as number
  return lengths.slice(from)
}

/** A pixel for each frame. The height of the picture is a tenth of a second. */
function draw(curve: HTMLCanvasElement, lengths: readonly number[]): void {
  const pen = brush(curve)
  const { width, height } = curve
  pen.clearRect(0, 0, width, height)
  const [good, bad] = [colour("good"), colour("bad")]
  for (const [i, length] of lengths.entries()) {
    const tall = Math.min(height, Math.max(1, (length / (SECOND / 10)) * height))
    pen.fillStyle = length > 34 ? bad : good
    pen.fillRect(width - lengths.length + i, height - tall, 1, tall)
  }
}
