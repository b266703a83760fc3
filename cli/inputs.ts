/**
 * The inputs of `corepool map`, one for each job: from the command line (`:::`), from files (`::::`, `-a`), or from the standard input. A
 * file is read while jobs run, and no faster than jobs are taken from it.
 */
import { createReadStream } from "node:fs"
import { extname } from "node:path"
import { UsageError } from "./process.ts"

/** The inputs that follow one `:::` or `::::`. */
export type Group = { readonly values: readonly string[] } | { readonly files: readonly string[] }

export interface InputFormat {
  /** Each line is a JSON value. Files that end in `.ndjson` or `.jsonl` are read so anyway. */
  readonly ndjson: boolean
  /** Inputs end with a NUL byte instead of a line break. */
  readonly nul: boolean
  /** Splits each line into several arguments. */
  readonly separator: RegExp | undefined
}

/** Divides the arguments of a command at the first `:::` or `::::`: options stand before, inputs after. */
export function splitArguments(argv: readonly string[]): { readonly options: string[]; readonly groups: Group[] } {
  const at = argv.findIndex((argument) => argument === ":::" || argument === "::::")
  if (at === -1) return { options: [...argv], groups: [] }
  const groups: Group[] = []
  let current: string[] = []
  for (const argument of argv.slice(at)) {
    if (argument === ":::") groups.push({ values: (current = []) })
    else if (argument === "::::") groups.push({ files: (current = []) })
    else current.push(argument)
  }
  return { options: argv.slice(0, at), groups }
}

/** A source of inputs. Batches contain what has been read, so that a job never waits for the inputs of other jobs. */
export interface Inputs {
  /** The number of inputs, if it is known before all of them are read. */
  readonly total: number | undefined
  /** The inputs are lists of arguments. */
  readonly spread: boolean
  /** Some inputs, at most `max`; an empty list at the end. */
  take(max: number): Promise<unknown[]>
}

export function openInputs(groups: readonly Group[], format: InputFormat, stdin: NodeJS.ReadableStream): Inputs {
  const spread = format.separator !== undefined
  if (groups.length > 1) {
    return new Listed(async () => await combined(groups, format), true)
  }
  const [group] = groups
  if (group === undefined) return new Streamed([stdin], () => format.ndjson, format)
  if ("values" in group) return new Listed(async () => await valuesOf(group, format), spread, group.values.length)
  const streams = group.files.map((file) => (file === "-" ? stdin : createReadStream(file)))
  return new Streamed(streams, (at) => format.ndjson || isNdjson(group.files[at] ?? ""), format)
}

function isNdjson(file: string): boolean {
  return [".ndjson", ".jsonl"].includes(extname(file))
}

async function combined(groups: readonly Group[], format: InputFormat): Promise<unknown[][]> {
  const lists = await Promise.all(groups.map((group) => valuesOf(group, format)))
  for (const list of lists) requireJson(list)
  return product(lists)
}

/** All values of a group; a file is read to its end. */
async function valuesOf(group: Group, format: InputFormat): Promise<unknown[]> {
  if ("values" in group) return group.values.map((text) => parsed(text, format.ndjson, format.separator))
  const all: unknown[] = []
  for (const file of group.files) {
    const source = new Streamed([createReadStream(file)], () => format.ndjson || isNdjson(file), format)
    for (let some = await source.take(1000); some.length > 0; some = await source.take(1000)) all.push(...some)
  }
  return all
}

/** Every combination of a value from each list, the last list changing fastest. */
export function product(lists: readonly (readonly unknown[])[]): unknown[][] {
  return lists.reduce<unknown[][]>((rows, list) => rows.flatMap((row) => list.map((value) => [...row, value])), [[]])
}

/** A line that should be a JSON value and is none. Its job fails. */
export class NoJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

function parsed(text: string, ndjson: boolean, separator: RegExp | undefined): unknown {
  if (separator !== undefined) return text.split(separator)
  if (!ndjson) return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return new NoJson(text)
  }
}

/** For inputs that are read before any job runs: the command line can still be refused. */
function requireJson(values: readonly unknown[]): void {
  const wrong = values.find((value) => value instanceof NoJson)
  if (wrong === undefined) return
  throw new UsageError(`Expected a JSON value in each line of the input, got ${wrong.text.slice(0, 80)}`)
}

class Listed implements Inputs {
  readonly spread: boolean
  readonly #load: () => Promise<unknown[]>
  #values: unknown[] | undefined
  #total: number | undefined
  #at = 0

  constructor(load: () => Promise<unknown[]>, spread: boolean, total?: number) {
    this.#load = load
    this.spread = spread
    this.#total = total
  }

  get total(): number | undefined {
    return this.#total
  }

  async take(max: number): Promise<unknown[]> {
    if (this.#values === undefined) {
      this.#values = await this.#load()
      requireJson(this.#values)
      this.#total = this.#values.length
    }
    return this.#values.slice(this.#at, (this.#at += max))
  }
}

class Streamed implements Inputs {
  readonly spread: boolean
  readonly #parts: AsyncIterator<string[]>
  #read: string[] = []
  #at = 0
  #isNdjson = false
  readonly #format: InputFormat

  constructor(streams: readonly NodeJS.ReadableStream[], hasValues: (at: number) => boolean, format: InputFormat) {
    this.spread = format.separator !== undefined
    this.#format = format
    this.#parts = this.#lines(streams, hasValues)
  }

  readonly total = undefined

  async take(max: number): Promise<unknown[]> {
    while (this.#at === this.#read.length) {
      const next = await this.#parts.next()
      if (next.done === true) return []
      this.#read = next.value
      this.#at = 0
    }
    const some = this.#read.slice(this.#at, this.#at + max)
    this.#at += some.length
    const { separator } = this.#format
    return this.#isNdjson || separator !== undefined ? some.map((t) => parsed(t, this.#isNdjson, separator)) : some
  }

  /** The lines of all streams, as many at once as were read at once. */
  async *#lines(
    streams: readonly NodeJS.ReadableStream[],
    hasValues: (at: number) => boolean,
  ): AsyncGenerator<string[], undefined> {
    const end = this.#format.nul ? "\0" : "\n"
    for (const [at, stream] of streams.entries()) {
      this.#isNdjson = hasValues(at)
      stream.setEncoding("utf8")
      let rest = ""
      for await (const part of stream as AsyncIterable<string>) {
        const lines = (rest + part).split(end)
        rest = lines.pop() ?? ""
        if (lines.length > 0) yield this.#cleaned(lines)
      }
      if (rest !== "") yield this.#cleaned([rest])
    }
    return undefined
  }

  #cleaned(lines: string[]): string[] {
    if (this.#format.nul) return lines
    const whole = lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line))
    return this.#isNdjson ? whole.filter((line) => line.trim() !== "") : whole
  }
}
