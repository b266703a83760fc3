/** Runs other programs: the tools installed beside this one, and node itself. */
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** The repository these tools are built in, which need not be the one they look at. */
export const HOME = fileURLToPath(new URL("../../..", import.meta.url))

/** Nothing takes so long on an idle machine, by far: it only turns a tool that hangs into one that fails. */
const TIME_LIMIT = 600_000

export interface Outcome {
  /** The exit code; undefined if a signal ended it, as the time limit does. */
  readonly code: number | undefined
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Milliseconds until it is killed. */
  readonly timeout?: number
}

/** Runs a program and collects what it prints. */
export function run(program: string, args: readonly string[], options: RunOptions): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: options.cwd,
      // Colours would have to be taken out again; NODE_TEST_CONTEXT would silence a test runner started by a test.
      env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined, NODE_TEST_CONTEXT: undefined, ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: options.timeout ?? TIME_LIMIT,
      killSignal: "SIGKILL",
    })
    let stdout = ""
    let stderr = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
    child.on("error", reject)
    child.on("close", (code) => resolve({ code: code ?? undefined, stdout, stderr }))
  })
}

/** Runs a script with the node that runs this one. */
export function runNode(args: readonly string[], options: RunOptions): Promise<Outcome> {
  return run(process.execPath, args, options)
}

/** Runs the command of an installed package, as `npx` would, without its start-up time. */
export function runTool(
  packageName: string,
  args: readonly string[],
  options: RunOptions,
  command = packageName,
): Promise<Outcome> {
  return runNode([binOf(packageName, command), ...args], options)
}

/** The script behind a command that an installed package brings. */
export function binOf(packageName: string, command: string): string {
  const folder = join(HOME, "node_modules", packageName)
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    bin: string | Record<string, string>
  }
  const script = typeof manifest.bin === "string" ? manifest.bin : manifest.bin[command]
  if (script === undefined) throw new Error(`${packageName} brings no command ${command}`)
  return join(folder, script)
}

/** What a failed program said, for a finding: everything it printed, without empty ends. */
export function saidBy(outcome: Outcome): string {
  const how = outcome.code === undefined ? "killed after its time limit" : `exit code ${outcome.code}`
  return [how, outcome.stdout.trim(), outcome.stderr.trim()].filter((part) => part !== "").join("\n")
}
