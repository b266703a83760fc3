/** The parent's end of child.ts. */
import { type ChildProcess, fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Answer, Request } from "./child.ts"

const CHILD = fileURLToPath(new URL("./child.js", import.meta.url))

export class ContenderProcess {
  readonly #name: string
  readonly #child: ChildProcess

  constructor(contest: string, bout: number, contender: string) {
    this.#name = contender
    this.#child = fork(CHILD, [contest, String(bout), contender], { execArgv: ["--expose-gc"] })
  }

  /** One at a time. */
  sample(n: number): Promise<number> {
    return new Promise((resolve, reject) => {
      const onAnswer = (answer: Answer): void => {
        this.#child.off("exit", onExit)
        if ("value" in answer) resolve(answer.value)
        else reject(new Error(`${this.#name}: ${answer.error}`))
      }
      const onExit = (code: number | null, signal: string | null): void => {
        this.#child.off("message", onAnswer)
        reject(new Error(`${this.#name}: its process ended (${signal ?? code})`))
      }
      this.#child.once("message", onAnswer)
      this.#child.once("exit", onExit)
      const request: Request = { n }
      this.#child.send(request)
    })
  }

  [Symbol.dispose](): void {
    this.#child.kill()
  }
}
