/**
 * The clock of a scenario, kept in real time: one scenario millisecond lasts `factor` real ones.
 *
 * Whatever happens in such a scenario happens at full ticks, and the ops half a tick away from them. So a replay in
 * real time shows what the scenario means as long as nothing is late by half a tick. On a busy machine something may
 * be: the event loop is held up, by other programs or by the garbage collector, and no timer fires. Then the replay
 * says nothing about corepool, right or wrong. It is void and has to be repeated, more slowly.
 *
 * How late anything can have been is measured with a timer of our own, apart from corepool, which beats all the time.
 * The gap between two beats is the longest for which any timer can have been held up just then. Delays add up in a
 * series of runs, but each run waits for one timer and a tick or more passes from one to the next: so the worst gap
 * of each tick, added up, is more than any run can have been delayed by. To that comes how late the ops are
 * themselves. A replay is void if
 *
 *   - a single gap was longer than a quarter of a tick, or
 *   - both sums together are longer than half a tick.
 *
 * Worker threads have clocks and event loops of their own, about which that says nothing. So their tasks write down when they
 * start and end, and the replay is void too if
 *
 *   - something happened later than a quarter of a tick after a full tick, or after the op before it; or
 *   - a run started that much later than it was due and a thread was free for it, as far as can be seen: after the last op,
 *     and the last end of a run.
 *
 * This is a condition of measurement and asks nothing about the outcome: it is put before each comparison.
 */
import { setTimeout as sleep } from "node:timers/promises"

/** The replay of a scenario is void: see the top of this file. */
export class VoidReplay extends Error {
  override readonly name = "VoidReplay"
}

/** Each further attempt takes half as long again. */
const GROWTH = 1.5

/** By then a tick lasts nine seconds or more. A machine that cannot keep that is not worth waiting for. */
export const MOST_ATTEMPTS = 11

/** Real milliseconds from beat to beat. */
const BEAT = 1

export class ScenarioClock {
  readonly #factor: number
  readonly #isLastAttempt: boolean
  /** A tick in real milliseconds. */
  readonly #tick: number
  /** The scenario's time. */
  #time = 0
  /** The real time at which the scenario's was 0; the same by the wall clock, which all threads have. */
  #start: number | undefined
  #wallStart = 0
  /** When the last op was performed, or the last run ended, by the wall clock. */
  #lastOp = 0
  #lastEnd = 0
  /** The worst gap in the present tick; the sum of those of the ticks before; the worst of all. */
  #worst = 0
  #sum = 0
  #worstOfAll = 0
  #tickEnds = 0

  /** `pace` is how many real milliseconds one of the scenario lasts in the first attempt, whose number is 1. */
  constructor(tick: number, attempt: number, pace: number) {
    this.#factor = pace * GROWTH ** (attempt - 1)
    this.#isLastAttempt = attempt >= MOST_ATTEMPTS
    this.#tick = tick * this.#factor
  }

  get time(): number {
    return this.#time
  }

  /** A tick in real milliseconds. */
  get tick(): number {
    return this.#tick
  }

  /** So many scenario milliseconds in real ones. */
  real(ms: number): number {
    return ms * this.#factor
  }

  /** Lets the clock tick from now on. A second call has no effect. */
  start(): void {
    if (this.#start !== undefined) return
    this.#start = performance.now()
    this.#wallStart = Date.now()
    this.#tickEnds = this.#start + this.#tick
    watch(this)
  }

  stop(): void {
    unwatch(this)
  }

  async advance(ms: number): Promise<void> {
    this.#time += ms
    for (let left = -this.#behind(); left > 0; left = -this.#behind()) await sleep(left)
  }

  /** @throws {VoidReplay} if something may have been late by half a tick */
  check(): void {
    const now = performance.now()
    this.beat(now, now - lastBeat) // a beat may be overdue this very moment
    const late = this.#sum + this.#worst + this.#behind()
    if (this.#worstOfAll <= this.#tick / 4 && late <= this.#tick / 2) return
    const measured = `${late.toFixed()} ms late altogether, ${this.#worstOfAll.toFixed()} ms at once, with ticks of ${this.#tick} ms`
    if (this.#isLastAttempt) throw new Error(`The event loop was held up too long, again and again: ${measured}`)
    throw new VoidReplay(measured)
  }

  /** An op is performed now. What happened before must have been told. */
  act(): void {
    this.#lastOp = Date.now()
  }

  /** A run has started or ended in a worker thread, by the wall clock; `due` is when it had to start. To be told in order. */
  happened(at: number, due?: number): void {
    const sinceTick = (at - this.#wallStart) % this.#tick
    const late = Math.min(sinceTick, at - this.#lastOp)
    const waited = due === undefined ? 0 : at - Math.max(due, this.#lastOp, this.#lastEnd)
    this.#worstOfAll = Math.max(this.#worstOfAll, late, waited)
    if (due === undefined) this.#lastEnd = at
  }

  beat(now: number, gap: number): void {
    this.#worst = Math.max(this.#worst, gap)
    this.#worstOfAll = Math.max(this.#worstOfAll, gap)
    if (now < this.#tickEnds) return
    this.#sum += this.#worst
    this.#worst = 0
    this.#tickEnds = now + this.#tick
  }

  /** How much real time has passed since the scenario's time came. */
  #behind(): number {
    return performance.now() - (this.#start ?? NaN) - this.real(this.#time)
  }
}

/** The clocks that tick. One timer beats for all of them, so that the measurement is no burden. */
const watched = new Set<ScenarioClock>()
let lastBeat = 0
let beating = false

function watch(clock: ScenarioClock): void {
  watched.add(clock)
  if (beating) return
  beating = true
  lastBeat = performance.now()
  setTimeout(beat, BEAT)
}

function unwatch(clock: ScenarioClock): void {
  watched.delete(clock)
}

function beat(): void {
  const now = performance.now()
  for (const clock of watched) clock.beat(now, now - lastBeat)
  lastBeat = now
  beating = watched.size > 0
  if (beating) setTimeout(beat, BEAT)
}
