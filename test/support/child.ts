/** Runs a small program in a process of its own: for what ends a process, or must not. */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const HOME = fileURLToPath(new URL("../../..", import.meta.url))

/** Nothing takes so long; it only turns a program that never ends into a failed test. */
const TIME_LIMIT = 90_000

export interface Ended {
  /** The exit code; null if it did not end by itself. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/**
 * The program is a module; it may import "corepool" and "#src/…". It becomes a file, in a folder from which these names
 * are found: of all the ways to hand over a program, every runtime knows this one.
 */
export async function runProgram(source: string): Promise<Ended> {
  const folder = mkdtempSync(join(HOME, "build/program-"))
  const file = join(folder, "program.mjs")
  writeFileSync(file, source)
  try {
    return await runFile(file)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The same with a program that is there already. */
export function runFile(...args: string[]): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
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
