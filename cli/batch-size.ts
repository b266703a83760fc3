/**
 * How many jobs a thread gets at once. Functions that take microseconds would spend their time on the way to the thread and back, one
 * by one. A batch that takes {@link AIM} ms costs the way once, and is still short enough for a progress line, an interrupt and an even
 * load at the end.
 */
const AIM = 20
const MOST = 4096

export class BatchSize {
  readonly #isFixed: boolean
  #size = 1

  constructor(fixed: number | undefined) {
    this.#isFixed = fixed !== undefined
    this.#size = fixed ?? 1
  }

  get current(): number {
    return this.#size
  }

  /** Whether a batch takes so little time that each thread should have another one waiting. */
  isShort = false

  /** A batch of so many jobs has run for so many ms. */
  learn(jobs: number, ms: number): void {
    this.isShort = ms < AIM
    if (this.#isFixed || jobs === 0) return
    const fitting = Math.floor((jobs * AIM) / Math.max(ms, 0.01))
    this.#size = Math.max(1, Math.min(MOST, this.#size * 4, fitting))
  }
}
