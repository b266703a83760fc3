/**
 * What a process does that keeps a server for another one (keeper-process.ts starts it). It starts the server, and does what its standard input says, a
 * line each: `kill`, `restart`, `stop`. It answers every line, and the start, with a line of JSON on its standard output.
 *
 * When its input ends, for whatever reason, the server ends and its files are removed: so a killed test run leaves no server behind.
 */
import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:net"
import { createInterface } from "node:readline"

/** What a keeper answers. */
export interface KeeperAnswer {
  readonly error?: string
  /** Where the server is, and its process, when it has been started. */
  readonly url?: string
  readonly pid?: number
}

/** A server that is kept. */
export interface Kept {
  start(): Promise<KeeperAnswer>
  /** As if the power went: the server has no time for anything. */
  kill(): Promise<KeeperAnswer>
  /** On the same port and data; after a kill, or in order. */
  restart(): Promise<KeeperAnswer>
  /** `isOrderly` is false if no process needs the server's data any more. */
  stop(isOrderly: boolean): Promise<KeeperAnswer>
}

/** A port that no process listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  if (address === null || typeof address === "string") throw new Error("The system gave no port")
  return address.port
}

export interface Said {
  (): string
  /** Keeps nothing of what is said from here on, but goes on reading. */
  forget(): void
}

/** What a process says. */
export function collect(child: ChildProcess): Said {
  let text = ""
  let isKept = true
  const add = (chunk: Buffer): void => {
    if (isKept) text += chunk.toString()
  }
  child.stdout?.on("data", add)
  child.stderr?.on("data", add)
  const forget = (): void => {
    isKept = false
    text = ""
  }
  return Object.assign(() => text.trim(), { forget })
}

/** Fulfilled with exit code and signal when the process has ended; rejected if it could not be started. */
export function ended(child: ChildProcess): Promise<unknown[]> {
  return once(child, "close")
}

/** The process of a server. */
export class ServerProcess {
  #child: ChildProcess | undefined

  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Is fulfilled with nothing when the process says that it is ready, with what it said if it ended instead. */
  async launch(child: ChildProcess, name: string, ready: RegExp): Promise<string | undefined> {
    const said = collect(child)
    const end = ended(child)
    const isReady = await new Promise<boolean>((resolve, reject) => {
      const look = (): void => {
        if (ready.test(said())) resolve(true)
      }
      child.stdout?.on("data", look)
      child.stderr?.on("data", look)
      end.then(() => resolve(false), reject)
    })
    if (!isReady) return `${name}: ${said()}`
    said.forget()
    this.#child = child
    return undefined
  }

  /** Is fulfilled when the process has ended, by this signal or before. */
  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const end = ended(child)
    child.kill(signal)
    await end
  }
}

function answer(text: KeeperAnswer): void {
  process.stdout.write(`${JSON.stringify(text)}\n`)
}

async function answerOf(act: () => Promise<KeeperAnswer>): Promise<void> {
  try {
    answer(await act())
  } catch (error) {
    answer({ error: error instanceof Error ? error.message : String(error) })
  }
}

/** Keeps the server that `make` gives for what this process was told: JSON, its first argument. */
export function keep(make: (order: object) => Kept): void {
  // The other process may be gone before it has read an answer.
  process.stdout.on("error", () => undefined)
  const lines = createInterface({ input: process.stdin })
  let keeper: Kept
  try {
    keeper = make(JSON.parse(process.argv[2] ?? "{}") as object)
  } catch (error) {
    answer({ error: error instanceof Error ? error.message : String(error) })
    process.exit(1)
  }
  let last = answerOf(() => keeper.start())
  lines.on("line", (line) => {
    last = last.then(() =>
      answerOf(async () => {
        if (line === "kill") return await keeper.kill()
        if (line === "restart") return await keeper.restart()
        if (line === "stop") return await keeper.stop(true)
        throw new Error(`Not an order: ${line}`)
      }),
    )
  })
  lines.on("close", () => {
    void last.then(() => keeper.stop(false)).finally(() => process.exit())
  })
}
