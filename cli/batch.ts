/**
 * What a thread does for `corepool map`: it calls the program's function for each input of a batch, and makes the lines that the command
 * prints. The thread makes them, because the main thread has one processor and the threads have the others.
 *
 * An error of one input is the failure of that job alone. Nothing that a function throws or returns can fail the batch.
 */
import { type AtomicInteger, Thread, task } from "corepool"

/** The function that is called: an export of a module. */
export interface Target {
  readonly url: string
  readonly name: string
}

/** How the results of jobs are printed. */
export interface Style {
  /** One JSON object for each job; else the value as text, and errors on the standard error stream. */
  readonly json: boolean
  /** Text begins with the input and a tab. */
  readonly tag: boolean
}

/** Jobs with consecutive numbers. */
export interface Batch {
  readonly first: number
  readonly inputs: readonly unknown[]
  /** The inputs are lists of arguments. */
  readonly spread: boolean
  /** How often a failed job is tried in all. */
  readonly attempts: number
}

export interface BatchResult {
  readonly stdout: string
  readonly stderr: string
  /** The places of the jobs that failed, in the batch. */
  readonly failed: readonly number[]
  /** When each job began, in ms since 1970, and how long it took. */
  readonly started: Float64Array
  readonly took: Float64Array
}

type Fn = (...args: unknown[]) => unknown

export const runBatch = task(
  import.meta.url,
  /** `progress` says which job of the batch runs, also after the thread has died. */
  async function runBatch(target: Target, style: Style, batch: Batch, progress: AtomicInteger): Promise<BatchResult> {
    const fn = await load(target)
    const worker = Thread.currentThread().name
    const { first, inputs, spread, attempts } = batch
    const lines: string[] = []
    const errors: string[] = []
    const failed: number[] = []
    const started = new Float64Array(inputs.length)
    const took = new Float64Array(inputs.length)
    const origin = performance.timeOrigin
    let now = performance.now()
    for (const [at, input] of inputs.entries()) {
      progress.set(at)
      const job = { seq: first + at, input, worker }
      started[at] = origin + now
      let isLast = false
      for (let attempt = 1; !isLast; attempt++) {
        isLast = attempt >= attempts
        const before = now
        try {
          let value = spread ? fn(...(input as unknown[])) : fn(input)
          if (isThenable(value)) value = await value
          now = performance.now()
          took[at] = now - before
          lines.push(style.json ? jsonLine(job, value, now - before) : textLine(style, input, value))
          isLast = true
        } catch (error) {
          now = performance.now()
          took[at] = now - before
          if (!isLast) continue
          failed.push(at)
          if (style.json) lines.push(failureLine(job, error, now - before))
          else errors.push(`corepool: job ${job.seq} (${shown(input)}): ${described(error)}`)
        }
      }
    }
    return { stdout: joined(lines), stderr: joined(errors), failed, started, took }
  },
)

/** Loads the module, and says what is wrong with the target, or nothing. */
export const checkTarget = task(import.meta.url, async function checkTarget(target: Target): Promise<
  string | undefined
> {
  try {
    await load(target)
    return undefined
  } catch (error) {
    return described(error)
  }
})

async function load({ url, name }: Target): Promise<Fn> {
  const module = (await import(url)) as Record<string, unknown>
  const value = module[name] ?? (module["default"] as Record<string, unknown> | undefined)?.[name]
  if (typeof value === "function") return value as Fn
  const known = Object.keys(module).filter((key) => typeof module[key] === "function")
  const hint = known.length === 0 ? "it exports no function" : `it exports ${known.join(", ")}`
  throw new TypeError(`the module exports no function \`${name}\`: ${hint}`)
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function"
}

interface Job {
  readonly seq: number
  readonly input: unknown
  /** The name of the thread; null if the thread has died. */
  readonly worker: string | null
}

function jsonLine({ seq, input, worker }: Job, value: unknown, ms: number): string {
  const written = JSON.stringify(value) as string | undefined
  return `{"seq":${seq},"input":${JSON.stringify(input)},"ok":true,"value":${written ?? "null"},${tail(ms, worker)}`
}

/** The line of a failed job; also for one that did not end by itself. */
export function failureLine({ seq, input, worker }: Job, error: unknown, ms: number): string {
  const { name, message } = partsOf(error)
  const written = JSON.stringify({ name, message })
  return `{"seq":${seq},"input":${JSON.stringify(input)},"ok":false,"error":${written},${tail(ms, worker)}`
}

function tail(ms: number, worker: string | null): string {
  return `"ms":${Math.round(ms * 1000) / 1000},"worker":${JSON.stringify(worker)}}`
}

function textLine({ tag }: Style, input: unknown, value: unknown): string {
  const text = value === undefined ? "" : typeof value === "string" ? value : (JSON.stringify(value) ?? typeof value)
  return tag ? tagged(shown(input), text) : text
}

/** Each line of the text begins with the input. */
function tagged(input: string, text: string): string {
  return `${input}\t${text.replaceAll("\n", `\n${input}\t`)}`
}

/** An input as the user wrote it. */
export function shown(input: unknown): string {
  if (typeof input === "string") return input
  return Array.isArray(input) && input.every((part) => typeof part === "string")
    ? input.join(" ")
    : JSON.stringify(input)
}

/** One line that says what the error is, whatever was thrown. */
export function described(error: unknown): string {
  const { name, message } = partsOf(error)
  return name === "" ? message : `${name}: ${message}`
}

function partsOf(error: unknown): { name: string; message: string } {
  try {
    if (typeof error !== "object" || error === null) return { name: "", message: String(error) }
    const { name = "Error", message = "" } = error as { name?: string | symbol; message?: string | symbol }
    return { name: String(name), message: String(message) }
  } catch {
    return { name: "Error", message: "a value that cannot be shown was thrown" }
  }
}

function joined(lines: readonly string[]): string {
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`
}
