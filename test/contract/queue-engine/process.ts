/** Programs in processes of their own that use the engine of a test. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

const HOME = fileURLToPath(new URL("../../../..", import.meta.url))

export interface Program {
  /** An expression that gives the engine, or a promise of it. */
  readonly engine: string
  readonly queue: string
  /** Its statements; they have `queue`, which is open, and `say(text)`. */
  readonly body: string
  readonly role?: "executor" | "node"
  /** By how much the clock of its machine is wrong, in ms. */
  readonly clockError?: number
}

/** It is killed at the end of the test, if it has not ended. */
export class EngineProcess implements AsyncDisposable {
  readonly #folder: string
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>

  constructor(program: Program) {
    this.#folder = mkdtempSync(join(HOME, "build/program-"))
    const file = join(this.#folder, "program.mjs")
    writeFileSync(file, sourceOf(program))
    this.#child = spawn(process.execPath, [file], {
      cwd: HOME,
      env: { ...process.env, NODE_TEST_CONTEXT: undefined },
      stdio: ["ignore", "pipe", "inherit"],
    })
    if (this.#child.stdout === null) throw new Error("The process has no output")
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]()
  }

  /** The next thing that it says; undefined when it has ended. */
  async says(): Promise<string | undefined> {
    const line = await this.#lines.next()
    return line.done === true ? undefined : line.value
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, "exit")
    this.#send("SIGKILL")
    await ended
  }

  /** Its exit code. */
  async ended(): Promise<number | null> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, "exit")
    return this.#child.exitCode
  }

  /** All its threads stand still. */
  stop(): void {
    this.#send("SIGSTOP")
  }

  goOn(): void {
    this.#send("SIGCONT")
  }

  /** By the process id: on Deno `kill()` of a child sends one signal, and none after it. */
  #send(signal: NodeJS.Signals): void {
    process.kill(this.#child.pid as number, signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
    rmSync(this.#folder, { recursive: true })
  }
}

function sourceOf({ engine, queue, body, role = "node", clockError = 0 }: Program): string {
  return `
    const rightTime = Date.now
    Date.now = () => rightTime() + ${clockError}
    const say = (text) => process.stdout.write(text + "\\n")
    const engine = await (${engine})
    const queue = await engine.open(${JSON.stringify(queue)}, "${role}")
    ${body}
  `
}
