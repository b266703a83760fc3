/**
 * A process that keeps a server for this one, as its parent sees it (keeper.ts). The keeper hangs on a pipe of this process, and ends with
 * it, however it ends. It has a process group of its own, so that what kills a whole group, as Ctrl-C does, leaves it the time to clean up.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { KeeperAnswer } from "./keeper.ts"

/** A running server. It ends with this process, or before by `stop`; it does not keep this process alive. */
export class RunningServer implements AsyncDisposable {
  readonly #keeper: KeeperProcess
  #pid: number

  /** With a password, of a user who may do everything. */
  readonly url: string

  /** @internal */
  constructor(keeper: KeeperProcess, place: KeeperAnswer) {
    this.#keeper = keeper
    this.url = place.url ?? ""
    this.#pid = place.pid ?? 0
  }

  /** The process id of the server. */
  get pid(): number {
    return this.#pid
  }

  get port(): number {
    return Number(new URL(this.url).port)
  }

  /** As `kill -9`: nothing is written, nothing is told to those who are connected. */
  async kill(): Promise<void> {
    await this.#keeper.order("kill")
  }

  /** Starts it again, on the same port and with the same data; fulfilled when it accepts connections. */
  async restart(): Promise<void> {
    this.#pid = (await this.#keeper.order("restart")).pid ?? 0
  }

  /** Ends it, and removes what it has made. */
  async stop(): Promise<void> {
    await this.#keeper.end()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }
}

/** One order at a time, each with one answer. */
export class KeeperProcess {
  readonly #child: ChildProcess
  readonly #answers: AsyncIterator<string>
  #said = ""
  #hasEnded = false

  /** `program` is a compiled module of this folder; `order` is what it is told to keep. */
  constructor(program: string, order: object) {
    const path = fileURLToPath(new URL(program, import.meta.url))
    this.#child = spawn(process.execPath, [path, JSON.stringify(order)], {
      detached: true,
      env: { ...process.env, NODE_TEST_CONTEXT: undefined, NODE_OPTIONS: undefined },
      stdio: ["pipe", "pipe", "pipe"],
    })
    this.#child.stdin?.on("error", () => undefined) // it is told by the answer that does not come
    this.#child.stderr?.on("data", (chunk: Buffer) => (this.#said += chunk.toString()))
    if (this.#child.stdout === null) throw new Error("The keeper has no output")
    this.#answers = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]()
    this.#keepAlive(false)
  }

  async order(order: string): Promise<KeeperAnswer> {
    if (this.#hasEnded) throw new Error("The server was stopped")
    this.#child.stdin?.write(`${order}\n`)
    return await this.answer()
  }

  async answer(): Promise<KeeperAnswer> {
    this.#keepAlive(true)
    const next = await this.#answers.next()
    this.#keepAlive(false)
    if (next.done === true) throw new Error(`The keeper has ended: ${this.#said.trim()}`)
    const answer = JSON.parse(next.value) as KeeperAnswer
    if (answer.error !== undefined) throw new Error(answer.error)
    return answer
  }

  async end(): Promise<void> {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#keepAlive(true)
    const ended = once(this.#child, "exit")
    this.#child.stdin?.end("stop\n")
    await ended
  }

  /** Whether this process waits for the keeper before it ends. */
  #keepAlive(isWaiting: boolean): void {
    const handles = [this.#child, this.#child.stdin, this.#child.stdout, this.#child.stderr] as unknown as {
      ref?(): void
      unref?(): void
    }[]
    for (const handle of handles) {
      if (isWaiting) handle.ref?.()
      else handle.unref?.()
    }
  }
}
