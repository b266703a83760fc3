/** `with({ capture })`: what the submitter of a task does to have its output. */
import { Bytes } from "#host/values/bytes"
import { requireNumber, requireOptions, typeError } from "../../checks.ts"
import { RejectedExecutionError } from "../../errors.ts"
import { callOf, named, noteCall } from "../../future/call.ts"
import type { CapturedOutput } from "../../future/future.ts"
import type { FutureTask } from "../../future/future-task.ts"
import { OUTPUT } from "../../future/internals.ts"
import type { Callable } from "../../future/runnable.ts"
import { OutputLog } from "../../memory/structures/output-log.ts"
import { perThread } from "../../per-thread.ts"
import { give } from "../../task/reference.ts"
import { propertyOf } from "../../user-values.ts"
import { runCaptured } from "./captured-run.ts"
import type { Capture, CaptureOptions } from "./capturing.ts"

const DEFAULT_LIMIT = 2 ** 20
const MOST = 2 ** 30

/** The option `capture` of a view; undefined if it is false. */
export function captureBy(given: boolean | CaptureOptions): Capture | undefined {
  const isObject = typeof given === "object" && given !== null
  if (!isObject && typeof given !== "boolean") {
    throw typeError("capture", "a boolean, or an object with `limit`", given)
  }
  const { limit = DEFAULT_LIMIT } = isObject ? requireOptions("capture", given, { limit: true }) : {}
  requireNumber(
    "capture.limit",
    limit,
    `an integer from 1 to ${MOST}`,
    (n) => Number.isInteger(n) && n >= 1 && n <= MOST,
  )
  return given === false ? undefined : new Capturing(limit)
}

/** The output of a task: text as soon as the task is over, and before that what the memory has. */
class Output {
  #log: OutputLog | undefined
  #text: CapturedOutput = { stdout: "", stderr: "" }
  readonly #limit: number

  constructor(log: OutputLog, limit: number) {
    this.#log = log
    this.#limit = limit
  }

  /** `isDone` says whether no run of the task begins any more. */
  now(isDone: boolean): CapturedOutput {
    const log = this.#log
    if (log === undefined) return this.#text
    const { stdout, stderr, isStdoutCut, isStderrCut, isClosed } = log.read()
    const text = { stdout: this.#textOf(stdout, isStdoutCut), stderr: this.#textOf(stderr, isStderrCut) }
    if (isDone && isClosed) {
      this.#text = text
      this.#log = undefined
    }
    return text
  }

  #textOf(bytes: Uint8Array, isCut: boolean): string {
    const text = Bytes.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8")
    return isCut ? `${text}\n[cut by corepool: the output has more than ${this.#limit} bytes]\n` : text
  }

  get isText(): boolean {
    return this.#log === undefined
  }
}

/** So many outputs that can grow may be in memory at once: each takes two mappings, and a process has some 65,000. */
const MOST_AT_ONCE = 2 ** 14

/**
 * The memory of an output is given back when its future is dropped, or when it has been read after the end. A program
 * may keep many futures and read none of them: their outputs become text when there are twice as many as before.
 */
class Kept {
  #tasks: WeakRef<FutureTask<unknown>>[] = []
  #most = 256

  add(task: FutureTask<unknown>): void {
    this.#tasks.push(new WeakRef(task))
  }

  /** To be called before there is one more. */
  requireRoom(limit: number): void {
    if (this.#tasks.length < this.#most) return
    this.#sweep()
    const { length } = this.#tasks
    if (length >= MOST_AT_ONCE && OutputLog.grows(limit)) {
      throw new RejectedExecutionError(
        `The output of ${length} tasks that are not over is captured. Set a limit for which no memory is reserved: with({ capture: { limit: ${OutputLog.SMALL} } })`,
      )
    }
    this.#most = Math.min(Math.max(256, 2 * length), Math.max(MOST_AT_ONCE, length + 256))
  }

  #sweep(): void {
    this.#tasks = this.#tasks.filter((reference) => {
      const task = reference.deref()
      if (task?.isDone === true) void task.output
      return task !== undefined && (task[OUTPUT] as Output | undefined)?.isText === false
    })
  }
}

const kept = /* @__PURE__ */ perThread("captured outputs", () => new Kept())

type AnyFunction = (...args: never[]) => unknown

/** The same function for the same function: a thread looks a function up once, and then knows it by a number. */
const calls = /* @__PURE__ */ perThread("captured calls", () => new WeakMap<object, AnyFunction>())

function capturedCall(fn: AnyFunction): AnyFunction {
  let call = calls.get(fn)
  if (call === undefined) {
    const name = propertyOf(fn, "name")
    call = named(give(runCaptured, [fn]), typeof name === "string" ? name : "")
    calls.set(fn, call)
  }
  return call
}

class Capturing implements Capture {
  readonly limit: number

  constructor(limit: number) {
    this.limit = limit
  }

  future<T, F>(callable: Callable<T>, make: (callable: Callable<T>) => F): F {
    kept.requireRoom(this.limit)
    const log = OutputLog.create(this.limit)
    const { fn, args, ...rest } = callOf(callable)
    // Not `const made = …`, which would give the function the name `made`.
    const [made] = [() => runCaptured({ functions: [callable] }, log.buffer)] as [Callable<T>]
    noteCall(made, { ...rest, fn: capturedCall(fn), args: [...args, log.buffer] })
    if (fn !== callable && callable.name !== "") named(made, callable.name) // `with({ name })`
    const task = make(made) as F & FutureTask<T>
    task[OUTPUT] = new Output(log, this.limit)
    kept.add(task)
    return task
  }
}
