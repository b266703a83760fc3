/** The JDK as a contender, where there is one: a process that reads what to do and answers when it is done. */
import { type ChildProcessWithoutNullStreams, execFileSync, spawn, spawnSync } from "node:child_process"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { Contender } from "./contest.ts"

const SOURCES = fileURLToPath(new URL("../../bench/java/", import.meta.url))

let presence: boolean | undefined

/** Whether there is a Java compiler here. */
export function isJavaPresent(): boolean {
  presence ??= spawnSync("javac", ["-version"]).status === 0
  return presence
}

class JavaProcess {
  readonly #child: ChildProcessWithoutNullStreams
  #done: () => void = () => undefined

  constructor(program: string) {
    const classes = mkdtempSync(join(tmpdir(), "corepool-bench-"))
    execFileSync("javac", ["-d", classes, join(SOURCES, `${program}.java`)])
    this.#child = spawn("java", ["-cp", classes, program])
    this.#child.stderr.pipe(process.stderr)
    createInterface(this.#child.stdout).on("line", () => this.#done())
    process.on("exit", () => this.#child.kill())
  }

  run(work: string, n: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#child.once("exit", () => reject(new Error("The Java program ended")))
      this.#done = () => {
        this.#child.removeAllListeners("exit")
        resolve()
      }
      this.#child.stdin.write(`${work} ${n}\n`)
    })
  }
}

/** The work of this name in a program of bench/java. */
export function jdk(name: string, program: string, work: string): Contender {
  let java: JavaProcess | undefined
  return {
    name: `JDK ${name}`,
    run: (n) => (java ??= new JavaProcess(program)).run(work, n),
  }
}
