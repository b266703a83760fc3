/** The Mandelbrot set, drawn by a pool whose size changes while it works. */
import { type Future, platformThreads, ThreadPoolExecutor } from "corepool"
import { brush, canvas, say } from "./elements.ts"
import { moved, type PlacedTile, tilesOf, type View, wholeSet, zoomed } from "./fractal-view.ts"
import { type Drawn, drawTile } from "./tasks.ts"
import { showShares, threadColour } from "./shares.ts"

export class Fractal {
  readonly canvas = canvas("fractal")
  readonly #pen = brush(this.canvas)
  readonly #pool: ThreadPoolExecutor
  #view: View
  /** The tiles that are not drawn yet. */
  #waiting = new Map<PlacedTile, Future<Drawn>>()
  #shares = new Map<string, number>()
  #begun = 0
  #onDone: (() => void) | undefined
  showsOwners = false

  constructor(threads: number) {
    this.#pool = new ThreadPoolExecutor({
      corePoolSize: threads,
      maximumPoolSize: threads,
      threadFactory: platformThreads({ name: (n) => `${n}` }),
    })
    this.#view = wholeSet(1, 1)
    new ResizeObserver(() => this.#resize()).observe(this.canvas)
  }

  get view(): View {
    return this.#view
  }

  /** The pool gets or loses threads; what they draw at the moment is not affected. */
  set threads(count: number) {
    this.#pool.corePoolSize = Math.min(count, this.#pool.corePoolSize)
    this.#pool.maximumPoolSize = count
    this.#pool.corePoolSize = count
    this.show(this.#view)
  }

  /** How many pixels of the picture are one of the page. */
  get density(): number {
    return this.canvas.width / this.canvas.clientWidth
  }

  move(right: number, down: number): void {
    this.show(moved(this.#view, right * this.density, down * this.density))
  }

  zoom(factor: number, right = 0, down = 0): void {
    this.show(zoomed(this.#view, factor, right * this.density, down * this.density))
  }

  showAll(): void {
    this.show(wholeSet(this.canvas.width, this.canvas.height))
  }

  /** Draws it anew. What was to be drawn before is cancelled. `done` is called when it is all there. */
  show(view: View, done?: () => void): void {
    for (const future of this.#waiting.values()) future.cancel(false)
    const { width, height } = this.canvas
    this.#shiftTo(view)
    this.#view = view
    this.#onDone = done
    this.#begun = performance.now()
    this.#shares = new Map()
    const waiting = new Map<PlacedTile, Future<Drawn>>()
    for (const placed of tilesOf(view, width, height)) {
      const future = this.#pool.submit(drawTile, placed.tile)
      waiting.set(placed, future)
      void future.then(
        (drawn) => this.#put(placed, drawn, waiting),
        (error: unknown) => this.#fail(error, waiting),
      )
    }
    this.#waiting = waiting
  }

  #put(placed: PlacedTile, { pixels, thread }: Drawn, waiting: Map<PlacedTile, unknown>): void {
    if (waiting !== this.#waiting) return // a tile of an older picture
    const { width, height } = placed.tile
    this.#pen.putImageData(new ImageData(pixels, width, height), placed.left, placed.top)
    if (this.showsOwners) {
      this.#pen.fillStyle = threadColour(thread, 0.3)
      this.#pen.fillRect(placed.left + 1, placed.top + 1, width - 2, height - 2)
    }
    this.#shares.set(thread, (this.#shares.get(thread) ?? 0) + 1)
    waiting.delete(placed)
    if (waiting.size === 0) this.#finish()
  }

  #fail(error: unknown, waiting: unknown): void {
    if (waiting === this.#waiting) say("fractal-result", String(error))
  }

  #finish(): void {
    const ms = performance.now() - this.#begun
    const speed = (this.canvas.width * this.canvas.height) / ms / 1000
    const { corePoolSize: threads } = this.#pool
    const by = threads === 1 ? "1 thread" : `${threads} threads`
    say("fractal-result", `${ms.toFixed(0)} ms by ${by} · ${speed.toFixed(1)} million pixels/s`)
    showShares(this.#shares)
    this.#onDone?.()
  }

  /** Shows at once what is known: the old picture at its place in the new one. */
  #shiftTo(view: View): void {
    const { width, height } = this.canvas
    const old = new OffscreenCanvas(width, height)
    old.getContext("2d")?.drawImage(this.canvas, 0, 0)
    const grown = this.#view.step / view.step
    const left = width / 2 + (this.#view.x - view.x) / view.step - (width / 2) * grown
    const top = height / 2 + (this.#view.y - view.y) / view.step - (height / 2) * grown
    this.#pen.clearRect(0, 0, width, height)
    this.#pen.drawImage(old, left, top, width * grown, height * grown)
  }

  #resize(): void {
    const { clientWidth, clientHeight } = this.canvas
    const density = Math.min(2, devicePixelRatio)
    const [width, height] = [Math.round(clientWidth * density), Math.round(clientHeight * density)]
    if (width === 0 || (width === this.canvas.width && height === this.canvas.height)) return
    this.canvas.width = width
    this.canvas.height = height
    this.showAll()
  }
}
