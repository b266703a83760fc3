/** Pools of platform threads for the tests in this folder, and programs that are watched while they run. */
import {
  type PlatformThreadOptions,
  platformThreads,
  tasksOf,
  type Thread,
  type ThreadFactory,
  ThreadPoolExecutor,
  type ThreadPoolOptions,
} from "corepool"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { eventually } from "../../support/harness.ts"

export const tasks = tasksOf<typeof import("./tasks.ts")>(new URL("tasks.js", import.meta.url))

/** A pool, and what its factory and its threads have come to; ended with the test. */
export class PlatformPool implements AsyncDisposable {
  readonly pool: ThreadPoolExecutor
  /** Every thread that was made, in order. */
  readonly threads: Thread[] = []
  readonly uncaught: { thread: Thread; error: unknown }[] = []

  constructor(options: PlatformThreadOptions = {}, pool: Partial<ThreadPoolOptions> = {}) {
    const inner = platformThreads({
      uncaughtException: (thread, error) => this.uncaught.push({ thread, error }),
      ...options,
    })
    const threadFactory: ThreadFactory = {
      isVirtual: false,
      newThread: (target) => {
        const thread = inner.newThread(target)
        if (thread != null) this.threads.push(thread)
        return thread
      },
    }
    this.pool = new ThreadPoolExecutor({ corePoolSize: 1, maximumPoolSize: 1, threadFactory, ...pool })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.pool.shutdownNow()
    await this.pool.awaitTermination()
    await eventually(() => this.threads.every((thread) => !thread.isAlive))
  }
}

/** Hears what tasks say; a name for what to say it by. */
export class Ear implements Disposable {
  static #count = 0
  readonly name = `corepool-test-${process.pid}-${++Ear.#count}`
  heard = 0
  readonly #channel = new BroadcastChannel(this.name)

  constructor() {
    this.#channel.addEventListener("message", () => this.heard++)
  }

  async hears(times = 1): Promise<void> {
    const wanted = this.heard + times
    await eventually(() => this.heard >= wanted)
  }

  [Symbol.dispose](): void {
    this.#channel.close()
  }
}

const HOME = fileURLToPath(new URL("../../../..", import.meta.url))

/** A folder in which "corepool" is found, for programs. */
export class Folder implements Disposable {
  readonly path: string

  constructor() {
    this.path = mkdtempSync(join(HOME, "build/program-"))
  }

  /** Writes a file; its path. */
  write(name: string, text: string): string {
    const path = join(this.path, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    return path
  }

  /** Starts a program that is written to a file first, or is there already. */
  start(name: string, source?: string, flags: readonly string[] = []): Running {
    const file = source === undefined ? join(this.path, name) : this.write(name, source)
    return new Running([...flags, file], this.path)
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true })
  }
}

/** A program that runs. */
export class Running implements AsyncDisposable {
  stdout = ""
  stderr = ""
  readonly child: ChildProcess & { stdout: NonNullable<ChildProcess["stdout"]> }
  readonly #closed: Promise<unknown>

  constructor(args: readonly string[], folder: string) {
    const child = spawn(process.execPath, args, {
      cwd: folder,
      // A child that thinks it runs under the test runner reports in the runner's own format.
      env: { ...process.env, NODE_TEST_CONTEXT: undefined, NO_COLOR: "1", FORCE_COLOR: undefined },
      stdio: ["ignore", "pipe", "pipe"],
    })
    child.stdout.setEncoding("utf8").on("data", (text: string) => (this.stdout += text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => (this.stderr += text))
    this.child = child
    this.#closed = once(child, "close")
  }

  /** Waits until it has printed that. */
  async prints(text: string): Promise<void> {
    await eventually(() => this.stdout.includes(text) || this.child.exitCode !== null)
    if (!this.stdout.includes(text)) throw new Error(`Ended without printing ${text}: ${this.stdout}${this.stderr}`)
  }

  /** Its exit code, when it has ended by itself and all it has printed is here. */
  async ended(): Promise<number | null> {
    await this.#closed
    return this.child.exitCode
  }

  /** The lines that it has printed, after it has ended well. */
  async lines(): Promise<string[]> {
    const code = await this.ended()
    if (code !== 0 || this.stderr !== "") throw new Error(`Ended with ${code}: ${this.stdout}${this.stderr}`)
    return this.stdout.trim().split("\n")
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill("SIGKILL")
    await this.#closed
  }
}
