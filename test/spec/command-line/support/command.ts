/** Starts the command as users do: a process of its own, from the published files. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

const CLI = fileURLToPath(new URL("../../../../../dist/cli.js", import.meta.url))

/** Deno asks for each permission unless it is told. */
/** How the command is started. */
export const RUN: readonly string[] =
  "Deno" in globalThis ? [process.execPath, "run", "-A", CLI] : [process.execPath, CLI]

/** The functions that the tests call. */
export const FUNCTIONS = fileURLToPath(new URL("./functions.js", import.meta.url))

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** The JSON objects on the standard output, by the numbers of their jobs. */
  readonly jobs: readonly Printed[]
}

export interface Printed {
  readonly seq: number
  readonly input: unknown
  readonly ok: boolean
  readonly value?: unknown
  readonly error?: { readonly name: string; readonly message: string }
  readonly ms: number
  readonly worker: string | null
}

/** A test run may have servers of its own, which a command finds by these variables. */
const NO_ENGINE = { COREPOOL_POSTGRES_URL: "", COREPOOL_REDIS_URL: "" }

export class RunningCommand {
  readonly process: ChildProcessWithoutNullStreams
  #stdout = ""
  #stderr = ""

  constructor(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.process = spawn(RUN[0] as string, [...RUN.slice(1), ...args], {
      env: { ...process.env, ...NO_ENGINE, ...env },
    })
    this.process.stdout.setEncoding("utf8").on("data", (text: string) => (this.#stdout += text))
    this.process.stderr.setEncoding("utf8").on("data", (text: string) => (this.#stderr += text))
    // A command that has ended does not read its input.
    this.process.stdin.on("error", () => undefined)
  }

  get stdout(): string {
    return this.#stdout
  }

  get stderr(): string {
    return this.#stderr
  }

  /** Waits until the output contains the text. */
  async printed(text: string): Promise<void> {
    while (!this.#stdout.includes(text)) await once(this.process.stdout, "data")
  }

  async reported(text: string): Promise<void> {
    while (!this.#stderr.includes(text)) await once(this.process.stderr, "data")
  }

  async ended(): Promise<Ended> {
    const [code] = (await once(this.process, "close")) as [number | null]
    // Without what follows the last line break: a test may have stopped reading in the middle of a line.
    const lines = this.#stdout
      .split("\n")
      .slice(0, -1)
      .filter((line) => line.startsWith("{"))
    const jobs = lines.map((line) => JSON.parse(line) as Printed).sort((a, b) => a.seq - b.seq)
    return { code, stdout: this.#stdout, stderr: this.#stderr, jobs }
  }
}

export async function command(args: readonly string[], input = ""): Promise<Ended> {
  const running = new RunningCommand(args)
  running.process.stdin.end(input)
  return await running.ended()
}

/** `corepool map` with a function of functions.ts. */
export async function map(name: string, args: readonly string[], input?: string): Promise<Ended> {
  return await command(["map", `${FUNCTIONS}#${name}`, ...args], input)
}

export function values({ jobs }: Ended): unknown[] {
  return jobs.map(({ value }) => value)
}
