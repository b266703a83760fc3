/**
 * Chromium by itself, spoken to in the protocol of its developer tools: for what playwright keeps from happening. It
 * makes every page believe that the user looks at it, and such a page cannot be frozen.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Readable, Writable } from "node:stream"
import { argsFor, findBrowser } from "../../tools/runtimes/browser/browsers.ts"
import { ROOT } from "../tools/fixture.ts"

type Params = Readonly<Record<string, unknown>>

interface Answer {
  readonly id?: number
  readonly method?: string
  readonly params?: Params
  readonly sessionId?: string
  readonly result?: Params
  readonly error?: { readonly message: string }
}

export class DevTools implements AsyncDisposable {
  readonly #profile: string
  readonly #program: ChildProcess
  readonly #answers = new Map<number, (answer: Answer) => void>()
  readonly #events: Answer[] = []
  readonly #waiting: (() => void)[] = []
  #last = 0

  private constructor(profile: string, program: ChildProcess) {
    this.#profile = profile
    this.#program = program
    let rest = ""
    const answers = program.stdio[4] as Readable
    answers.setEncoding("utf8").on("data", (text: string) => {
      const messages = (rest + text).split("\0")
      rest = messages.pop() ?? ""
      for (const message of messages) this.#hear(JSON.parse(message) as Answer)
    })
  }

  static async launch(flags: readonly string[] = []): Promise<DevTools> {
    const profile = mkdtempSync(join(tmpdir(), "corepool-profile-"))
    const args = [...argsFor("chromium", profile, "about:blank"), "--remote-debugging-pipe", ...flags]
    const stdio = ["ignore", "ignore", "ignore", "pipe", "pipe"] as const
    return new DevTools(
      profile,
      spawn(await findBrowser(ROOT, "chromium"), args, { stdio: [...stdio], detached: true }),
    )
  }

  async send(method: string, params: Params = {}, sessionId?: string): Promise<Params> {
    const id = ++this.#last
    const answer = new Promise<Answer>((resolve) => this.#answers.set(id, resolve))
    const order = this.#program.stdio[3] as Writable
    order.write(`${JSON.stringify({ id, method, params, sessionId })}\0`)
    const { result = {}, error } = await answer
    if (error !== undefined) throw new Error(`${method}: ${error.message}`)
    return result
  }

  /** A page, which has the focus. */
  async open(url: string): Promise<Tab> {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" })
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true })
    const session = String(sessionId)
    await this.send("Page.enable", {}, session)
    await this.send("Page.navigate", { url }, session)
    await this.heard("Page.loadEventFired", session)
    return new Tab(this, session)
  }

  /** Waits for an event, unless it has come already. */
  async heard(method: string, session: string): Promise<Params> {
    for (;;) {
      const found = this.#events.find((event) => event.method === method && event.sessionId === session)
      if (found !== undefined) return found.params ?? {}
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  #hear(answer: Answer): void {
    if (answer.id !== undefined) this.#answers.get(answer.id)?.(answer)
    else this.#events.push(answer)
    for (const wake of this.#waiting.splice(0)) wake()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#program, "close")
    // With the processes of its pages, which write into the profile until they end.
    if (this.#program.pid !== undefined) process.kill(-this.#program.pid, "SIGKILL")
    await ended
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 10 })
  }
}

export class Tab {
  readonly #tools: DevTools
  readonly #session: string

  constructor(tools: DevTools, session: string) {
    this.#tools = tools
    this.#session = session
  }

  async send(method: string, params: Params = {}): Promise<Params> {
    return await this.#tools.send(method, params, this.#session)
  }

  /** What the expression, or its promise, gives. */
  async run<T>(expression: string): Promise<T> {
    const asked = { expression, awaitPromise: true, returnByValue: true }
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", asked)
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails))
    return (result as { value: T }).value
  }

  /** Waits for an event, unless it has come already. */
  async heard(method: string): Promise<Params> {
    return await this.#tools.heard(method, this.#session)
  }
}
