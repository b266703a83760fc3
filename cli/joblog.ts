/**
 * The log of jobs: a line for each job that has ended, in the nine columns of GNU parallel, or as JSON. Each batch is written at once, so that
 * a command that is killed has lost nothing that it had printed. `--resume` reads the log to find the jobs that need not run again.
 */
import { closeSync, existsSync, openSync, readFileSync, writeSync } from "node:fs"
import { hostname } from "node:os"

export interface LogEntry {
  readonly seq: number
  /** In ms since 1970, and in ms. */
  readonly started: number
  readonly took: number
  /** 0, 1 after an error, -1 if the job was ended from outside. */
  readonly exit: number
  /** 15 after a time limit, 9 after the death of the thread, else 0. */
  readonly signal: number
  readonly command: string
}

export type LogFormat = "tsv" | "ndjson"

const HEADER = "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n"

export class JobLog {
  readonly #fd: number
  readonly #format: LogFormat

  /** Opens the file, and empties it unless lines are to be added. */
  constructor(path: string, format: LogFormat, append: boolean) {
    const isNew = !append || !existsSync(path) || readFileSync(path).length === 0
    this.#fd = openSync(path, append ? "a" : "w")
    this.#format = format
    if (isNew && format === "tsv") writeSync(this.#fd, HEADER)
  }

  write(entries: readonly LogEntry[]): void {
    if (entries.length > 0) writeSync(this.#fd, entries.map((entry) => this.#line(entry)).join(""))
  }

  close(): void {
    closeSync(this.#fd)
  }

  #line({ seq, started, took, exit, signal, command }: LogEntry): string {
    const host = hostname()
    if (this.#format === "ndjson") return `${JSON.stringify({ seq, host, started, took, exit, signal, command })}\n`
    const columns = [
      seq,
      host,
      (started / 1000).toFixed(3),
      (took / 1000).toFixed(3),
      0,
      0,
      exit,
      signal,
      oneLine(command),
    ]
    return `${columns.join("\t")}\n`
  }
}

function oneLine(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\t", "\\t")
}

/**
 * The jobs that a log contains: all, or only those that succeeded, so that the failed ones run again. The last line of a job counts. A line that
 * was cut off by a crash counts for nothing.
 */
export function finishedJobs(path: string, format: LogFormat, onlySucceeded: boolean): Set<number> {
  const finished = new Set<number>()
  if (!existsSync(path)) return finished
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1)
  for (const line of lines) {
    const entry = format === "ndjson" ? fromJson(line) : fromColumns(line)
    if (entry === undefined) continue
    if (!onlySucceeded || entry.exit === 0) finished.add(entry.seq)
    else finished.delete(entry.seq)
  }
  return finished
}

function fromColumns(line: string): Pick<LogEntry, "seq" | "exit"> | undefined {
  const columns = line.split("\t")
  const [seq, exit] = [Number(columns[0]), Number(columns[6])]
  return columns.length >= 9 && Number.isInteger(seq) && Number.isInteger(exit) ? { seq, exit } : undefined
}

function fromJson(line: string): Pick<LogEntry, "seq" | "exit"> | undefined {
  try {
    const { seq, exit } = JSON.parse(line) as Partial<LogEntry>
    return typeof seq === "number" && typeof exit === "number" ? { seq, exit } : undefined
  } catch {
    return undefined
  }
}
