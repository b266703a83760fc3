import { load, store } from "#atomics"
import { GrowingBytes } from "../growing-bytes.ts"
import { reserve, reserveWords } from "../reservation.ts"

/** The words before the bytes. */
const HEADER = {
  /** Counts the beginnings and the ends of runs: odd while one is under way. */
  RUN: 0,
  /** How many bytes there are. */
  LENGTH: 1,
  /** Which of the two outputs are not complete; bits. */
  CUT: 2,
  /** How many bytes there may be. */
  LIMIT: 3,
  SIZE: 4,
} as const

const START = HEADER.SIZE * 4

/** From here on the bytes go to the other output. No text in UTF-8 has this byte, nor {@link INVALID}. */
const SWITCH = 0xff
const INVALID = 0xfe

const FIRST_BYTES = 2 ** 12

/** The values of CUT. */
const bitOf = (isError: boolean): number => (isError ? 2 : 1)

/** What a task has written. */
export interface LoggedOutput {
  readonly stdout: Uint8Array
  readonly stderr: Uint8Array
  readonly isStdoutCut: boolean
  readonly isStderrCut: boolean
  /** Whether no run is under way. */
  readonly isClosed: boolean
}

/**
 * What a task writes to its two outputs, in memory that threads share: the thread that runs the task appends, any other
 * may read at any time, also when the first one has died. LENGTH is written after the bytes. A task may run several
 * times, one run after the other: each begins with an empty log.
 */
export class OutputLog {
  /** Up to this limit all memory is there from the beginning: a buffer that grows takes two mappings of the process. */
  static readonly SMALL: number = 2 ** 14

  readonly #memory: GrowingBytes
  readonly #limit: number
  #length = 0
  #isError = false

  constructor(buffer: SharedArrayBuffer) {
    this.#memory = new GrowingBytes(buffer)
    this.#limit = load(this.#memory.words, HEADER.LIMIT)
  }

  /** The log whose {@link buffer} this is. */
  static open(buffer: unknown): OutputLog {
    return new OutputLog(buffer as SharedArrayBuffer)
  }

  /** A log for at most `limit` bytes. Throws RangeError if there is no memory. */
  static create(limit: number): OutputLog {
    const bytes = START + limit
    const buffer = OutputLog.grows(limit) ? reserve(FIRST_BYTES, bytes) : reserveWords(Math.ceil(bytes / 4)).buffer
    store(new Int32Array(buffer, 0, HEADER.SIZE), HEADER.LIMIT, limit)
    return new OutputLog(buffer)
  }

  static grows(limit: number): boolean {
    return limit > OutputLog.SMALL
  }

  get buffer(): SharedArrayBuffer {
    return this.#memory.buffer
  }

  /** A run begins. */
  begin(): void {
    const { words } = this.#memory
    const run = load(words, HEADER.RUN)
    store(words, HEADER.LENGTH, 0)
    store(words, HEADER.CUT, 0)
    store(words, HEADER.RUN, (run + 1) | 1) // also if the run before has not come to its end
  }

  /** The run is over. */
  end(): void {
    const { words } = this.#memory
    store(words, HEADER.RUN, load(words, HEADER.RUN) + 1)
  }

  /** Appends the bytes. Those that find no room are dropped, and so is all that follows. */
  append(isError: boolean, bytes: Uint8Array): void {
    const { words } = this.#memory
    const cut = load(words, HEADER.CUT)
    const at = this.#length + (isError === this.#isError ? 0 : 1)
    const count = cut === 0 ? this.#roomFor(bytes, at) : 0
    if (count > 0) {
      const target = this.#memory.bytes.subarray(START)
      if (at > this.#length) target[this.#length] = SWITCH
      const written = target.subarray(at, at + count)
      written.set(bytes.subarray(0, count))
      for (let i = written.indexOf(SWITCH); i >= 0; i = written.indexOf(SWITCH, i)) written[i] = INVALID
      this.#isError = isError
      this.#length = at + count
      store(this.#memory.words, HEADER.LENGTH, this.#length)
    }
    if (count < bytes.length) store(words, HEADER.CUT, cut | bitOf(isError))
  }

  /** How many of the bytes can be written from there on. A character is not divided. */
  #roomFor(bytes: Uint8Array, at: number): number {
    let count = Math.min(bytes.length, Math.max(0, this.#limit - at))
    if (count < bytes.length) while (count > 0 && ((bytes[count] as number) & 0xc0) === 0x80) count--
    return this.#memory.provide(Math.ceil((START + at + count) / 4)) ? count : 0
  }

  /** What was written so far. */
  read(): LoggedOutput {
    for (;;) {
      const { words } = this.#memory
      const run = load(words, HEADER.RUN)
      const cut = load(words, HEADER.CUT)
      const length = Math.min(load(words, HEADER.LENGTH), this.#limit)
      this.#memory.reach(Math.ceil((START + length) / 4))
      const outputs = divided(this.#memory.bytes.slice(START, START + length))
      const isSame = (load(words, HEADER.RUN) | 1) === (run | 1) // no other run has begun
      if (isSame) {
        const isStdoutCut = (cut & bitOf(false)) !== 0
        return { ...outputs, isStdoutCut, isStderrCut: (cut & bitOf(true)) !== 0, isClosed: run % 2 === 0 }
      }
    }
  }
}

/** The bytes of each output. */
function divided(bytes: Uint8Array): Pick<LoggedOutput, "stdout" | "stderr"> {
  const parts = [new Uint8Array(bytes.length), new Uint8Array(bytes.length)] as const
  const lengths: [number, number] = [0, 0]
  let output: 0 | 1 = 0
  for (let at = 0; at < bytes.length;) {
    const next = bytes.indexOf(SWITCH, at)
    const end = next < 0 ? bytes.length : next
    parts[output].set(bytes.subarray(at, end), lengths[output])
    lengths[output] += end - at
    output = output === 0 ? 1 : 0
    at = end + 1
  }
  return { stdout: parts[0].subarray(0, lengths[0]), stderr: parts[1].subarray(0, lengths[1]) }
}
