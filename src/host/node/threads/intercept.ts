/**
 * Sees what the code of this thread writes to `process.stdout` and `process.stderr`, by `console` and by `write`.
 *
 * The methods of the two streams are replaced. `console` of Node calls them. That of Bun and Deno does not: its methods
 * are replaced, too, by those of a console of the same kind as Node's, which formats as Node does. Output for which no
 * code asks goes to the methods that were there before, as it came.
 */
import { Buffer } from "node:buffer"
import { apply } from "../../../primordials.ts"
import { runtime } from "../runtime/clock.ts"
import { isNode } from "../runtime/runtime.ts"

/** Takes what was written; `isError` says to which of the two streams. */
export type Taker = (isError: boolean, bytes: Uint8Array) => void

type Write = (chunk: unknown, ...rest: unknown[]) => boolean
type Replaced<F> = F & { [BEFORE]?: F }

/** The method that was there before; see output.ts. */
const BEFORE: unique symbol = Symbol.for("corepool.written")

/** From now on everything that is written goes to `taker()`, if that is not undefined. */
export function interceptOutput(taker: () => Taker | undefined): void {
  interceptStream("stdout", taker)
  interceptStream("stderr", taker)
  if (!isNode) interceptConsole(taker)
}

function interceptStream(name: "stdout" | "stderr", taker: () => Taker | undefined): void {
  const stream = process[name] as unknown as { write: Replaced<Write> }
  const before = stream.write
  if (isReplaced(before)) return // also by another copy of corepool
  const isError = name === "stderr"
  const write: Replaced<Write> = (...args) => {
    const [chunk] = args
    if (typeof chunk !== "string" && !(chunk instanceof Uint8Array)) return apply(before, stream, args) // it refuses
    const take = taker()
    if (take === undefined) return apply(before, stream, args)
    const [, encoding] = args
    take(isError, typeof chunk === "string" ? Buffer.from(chunk, isEncoding(encoding) ? encoding : "utf8") : chunk)
    const written = args.find((argument): argument is () => void => typeof argument === "function")
    if (written !== undefined) runtime.microtask(written)
    return true
  }
  write[BEFORE] = before
  stream.write = write
}

function isEncoding(argument: unknown): argument is BufferEncoding {
  return typeof argument === "string"
}

function isReplaced(method: object): boolean {
  return typeof method === "function" && BEFORE in method
}

type Methods = Record<string, Replaced<(...args: unknown[]) => unknown>>

function interceptConsole(taker: () => Taker | undefined): void {
  const methods = console as unknown as Methods
  if (isReplaced(methods["log"] as object)) return
  const { Console } = process.getBuiltinModule("node:console")
  const own = new Console(process.stdout, process.stderr) as unknown as Methods
  for (const name of Object.keys(methods)) {
    const before = methods[name]
    if (typeof before !== "function" || typeof own[name] !== "function" || name === "Console") continue
    const method: Methods[string] = (...args) => (taker() === undefined ? before(...args) : own[name]?.(...args))
    method[BEFORE] = before
    methods[name] = method
  }
}
