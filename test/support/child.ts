/** Runs a small program in a process of its own: for what ends a process, or must not. */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

const HOME = fileURLToPath(new URL("../../..", import.meta.url))

/** Nothing takes so long; it only turns a program that never ends into a failed test. */
const TIME_LIMIT = 30_000

export interface Ended {
  /** The exit code; null if it did not end by itself. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The program is a module; it may import "corepool" and "#src/…". */
export function runProgram(source: string): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--input-type=module", "--eval", source], {
      cwd: HOME,
      // A child that thinks it runs under the test runner reports in the runner's own format.
      env: { ...process.env, NODE_TEST_CONTEXT: undefined, NO_COLOR: "1", FORCE_COLOR: undefined },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: TIME_LIMIT,
      killSignal: "SIGKILL",
    })
    let stdout = ""
    let stderr = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
    child.on("error", reject)
    child.on("close", (code) => resolve({ code, stdout, stderr }))
  })
}
