/** What the commands have in common as processes: exit codes, signals, and an output that is closed early. */

/** As GNU parallel has them. From 1 to 100, an exit code is the number of failed jobs. */
export const EXIT = { success: 0, manyFailed: 101, interrupted: 130, pipe: 141, terminated: 143, usage: 255 } as const

/** The command line is wrong. The message is for the user. */
export class UsageError extends Error {
  override readonly name = "UsageError"
}

export interface Stoppable {
  /** Starts nothing more. */
  stop(): void
  /** Ends what runs. */
  kill(): void
  running(): number
}

/** The first Ctrl-C, or SIGTERM, lets running jobs finish; the second ends them. */
export class CommandSignals {
  #watched: Stoppable | undefined
  /** Undefined unless there was a signal. */
  exitCode: number | undefined

  constructor() {
    // To the end of the process: a signal in its last moments must not change its exit code.
    process.on("SIGINT", () => this.#signal("SIGINT", EXIT.interrupted))
    process.on("SIGTERM", () => this.#signal("SIGTERM", EXIT.terminated))
  }

  watch(watched: Stoppable): void {
    this.#watched = watched
    if (this.exitCode !== undefined) watched.stop()
  }

  #signal(name: string, exitCode: number): void {
    if (this.exitCode !== undefined) {
      this.#watched?.kill()
      return
    }
    this.exitCode = exitCode
    this.#watched?.stop()
    process.stderr.write(`\ncorepool: ${name}: the running jobs finish; a second signal ends them\n`)
  }
}

/** When the reader of the output has gone (`| head`), the command ends without a word. */
export function endQuietlyWithoutReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error
      process.exit(EXIT.pipe)
    })
  }
}
