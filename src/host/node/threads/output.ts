/**
 * Prints what a worker thread writes to `process.stdout` and `process.stderr`.
 *
 * By default the runtime passes the output of a thread to the thread that made it, which prints it. It passes one piece
 * at a time: the next is held back until the event loops of both threads have turned. A thread that blocks or computes
 * is silent after the first line, and if it is terminated then, or dies, the rest is lost. While the other thread
 * blocks, nothing is printed at all. So there are two ways of our own:
 *
 * - *direct*: the thread writes to the file descriptor, and goes on when that is done. Lines appear at once, in order,
 *   whatever happens to either thread.
 * - *relayed*: as the runtime does it, but every piece is passed on at once. Nothing that was printed before a thread
 *   died is lost; it appears when the event loop of the other thread turns.
 *
 * Direct is the default. It would bypass a program that has replaced `process.stdout.write` to see the output. So
 * output is relayed then, and also in a thread that corepool has not made, whose parent may be listening.
 */
// oxlint-disable no-underscore-dangle -- so the runtime calls the methods by which a stream is implemented
import { Buffer } from "node:buffer"
import { writeSync } from "node:fs"
import { perThread } from "../../../per-thread.ts"
import { apply } from "../../../primordials.ts"
import { isBun } from "../runtime/runtime.ts"

export type Output = "direct" | "relayed"

/** The ways of `process.stdout` and `process.stderr`. */
export type Outputs = readonly [Output, Output]

const STREAMS = [
  ["stdout", 1],
  ["stderr", 2],
] as const

type Write = (chunk: string | Uint8Array, encoding: BufferEncoding, written: (error?: Error | null) => void) => void

interface Chunk {
  readonly chunk: string | Uint8Array
  readonly encoding: BufferEncoding
}

type Block = (ms: number) => void

interface OutputStream {
  readonly fd?: number
  write: unknown
  _write: Write
  _writev: ((chunks: Chunk[], written: (error?: Error | null) => void) => void) | null | undefined
}

/** The streams of this thread that write directly, though they show no descriptor. */
const directStreams = perThread("direct output", () => new WeakSet<object>())

/** How the threads that this one makes have to print; `wanted` if the user has said it. */
export function outputsFor(wanted: Output | undefined): Outputs {
  const wayOf = ([name, fd]: (typeof STREAMS)[number]): Output => {
    if (wanted !== undefined) return wanted
    const stream = process[name] as unknown as OutputStream
    if (directStreams.has(stream)) return "direct"
    return stream.fd === fd && methodBefore(stream.write) === originalWrite(stream, fd) ? "direct" : "relayed"
  }
  return [wayOf(STREAMS[0]), wayOf(STREAMS[1])]
}

/** Under this key a method of intercept.ts has the replaced method, which prints what is not captured. */
const BEFORE: unique symbol = Symbol.for("corepool.written")

function methodBefore(method: unknown): unknown {
  let before = method
  while (typeof before === "function" && BEFORE in before) before = before[BEFORE]
  return before
}

/** The streams of Bun have the method themselves, so it must be noted at load. */
const ownWrites: unknown[] = isBun ? STREAMS.map(([name]) => (process[name] as unknown as OutputStream).write) : []

function originalWrite(stream: OutputStream, fd: number): unknown {
  return ownWrites[fd - 1] ?? (Object.getPrototypeOf(stream) as OutputStream).write
}

/** Makes this thread print in these ways. `block` blocks the thread for so many ms. */
export function printBy(outputs: Outputs, block: Block): void {
  for (const [at, [name, fd]] of STREAMS.entries()) {
    const stream = process[name] as unknown as OutputStream
    if (typeof stream.fd === "number") {
      // The runtime writes directly by itself, as Deno does. A method of the stream itself also sends every chunk to
      // the thread that made this one. There it stays in memory, and a chunk that is no text and no bytes ends the
      // program. The inherited method only writes, and throws for such a chunk.
      if (outputs[at] === "direct") Reflect.deleteProperty(stream, "write")
    } else if (outputs[at] === "direct") writeDirectly(stream, fd, block)
    else passOnAtOnce(stream)
  }
}

function writeDirectly(stream: OutputStream, fd: number, block: Block): void {
  const passOn = passingOn(stream)
  directStreams.add(stream)
  stream._writev = null
  stream._write = (chunk, encoding, written) => {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk
    const rest = writeAll(fd, bytes, block)
    // Closed, or without a reader: the thread that has the real stream decides what that means.
    if (rest !== undefined) passOn(rest, encoding)
    written()
  }
}

/** Writes the bytes, however long the reader takes to make room; returns those that cannot be written. */
function writeAll(fd: number, bytes: Uint8Array, block: Block): Uint8Array | undefined {
  let at = 0
  for (let pause = 1; at < bytes.length;) {
    try {
      at += writeSync(fd, bytes, at)
      pause = 1
    } catch (error) {
      // A full pipe. The runtime has made it refuse rather than block, and cannot say when there is room.
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return bytes.subarray(at)
      block(pause)
      pause = Math.min(pause * 2, LONGEST_PAUSE)
    }
  }
  return undefined
}

/** In ms. */
const LONGEST_PAUSE = 16

const done = (): void => undefined

function passOnAtOnce(stream: OutputStream): void {
  if (stream._writev == null) return
  const passOn = passingOn(stream)
  stream._writev = null
  stream._write = (chunk, encoding, written) => {
    passOn(chunk, encoding)
    written()
  }
}

/**
 * The runtime's way to pass a chunk on. Its callback says when the next may come, which does not matter here. Node and
 * Bun pass on what `_writev` gets as it is, each time. `_write` may lead to `_writev`, and so must not be called after
 * that is gone.
 */
function passingOn(stream: OutputStream): (chunk: string | Uint8Array, encoding: BufferEncoding) => void {
  const { _write: write, _writev: writeMany } = stream
  return writeMany == null
    ? (chunk, encoding) => apply(write, stream, [chunk, encoding, done])
    : (chunk, encoding) => apply(writeMany, stream, [[{ chunk, encoding }], done])
}
