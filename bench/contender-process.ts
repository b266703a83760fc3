/** The parent's end of sampling.ts. */
import { type ChildProcess, fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Answer, Request } from "./sampling.ts"

/** Which program it runs, and who it is there. */
export interface Role {
  readonly program: "child" | "platform-child"
  readonly contest: string
  /** Its number. */
  readonly bout: number
  readonly contender: string
}

export class ContenderProcess<S> {
  readonly #name: string
  readonly #child: ChildProcess
  readonly #patience: number

  /** Who takes longer for a sample than `patience`, in ms, hangs. */
  constructor({ program, contest, bout, contender }: Role, patience: number) {
    const path = fileURLToPath(new URL(`./${program}.js`, import.meta.url))
    this.#child = fork(path, [contest, String(bout), contender], { execArgv: ["--expose-gc", "--conditions=shipped"] })
    this.#name = contender
    this.#patience = patience
  }

  /** One at a time. */
  sample(n: number): Promise<S> {
    return new Promise((resolve, reject) => {
      const settle = (end: () => void): void => {
        clearTimeout(timer)
        this.#child.removeAllListeners()
        end()
      }
      const fail = (why: string): void => settle(() => reject(new Error(`${this.#name}: ${why}`)))
      const timer = setTimeout(() => fail(`no answer in ${this.#patience / 1000} s`), this.#patience)
      this.#child.once("message", (answer: Answer<S>) => {
        if ("sample" in answer) settle(() => resolve(answer.sample))
        else fail(answer.error)
      })
      this.#child.once("exit", (code, signal) => fail(`its process ended (${signal ?? code})`))
      const request: Request = { n }
      this.#child.send(request)
    })
  }

  [Symbol.dispose](): void {
    this.#child.kill("SIGKILL")
  }
}
