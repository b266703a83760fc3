/** Runs test files on one runtime: each in a process of its own, a few at a time. */
import { type ChildProcess, spawn } from "node:child_process"
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { argsFor } from "./browser/browsers.ts"
import type { Fit } from "./browser/needs.ts"
import { serveTests, type TestSite } from "./browser/site.ts"
import type { Runtime } from "./fetch.ts"
import { FILE, type FileResults, readResults, type Result } from "./results.ts"
import { commandFor, type EngineName, isBrowser } from "./runtime.ts"

export interface FileRun {
  /** The path of the source, from the root of the repository. */
  readonly file: string
  /** One for each test, and one more for a file that failed by itself. */
  readonly results: readonly Result[]
}

export interface Limits {
  /** Milliseconds that one test may take. */
  readonly test: number
  /** Milliseconds after which a file is ended, with all processes it has started. */
  readonly file: number
}

/** How a process ended. */
export interface Ending {
  /** The exit code, or the signal that ended it. */
  readonly code: number | NodeJS.Signals
  /** What it printed to stderr. */
  readonly stderr: string
  /** Whether it was ended because its time was over. */
  readonly isOverdue: boolean
}

/** The processes that run now. Each leads a group of its own, which a signal to this process does not reach. */
const leaders = new Set<ChildProcess>()

function passOn(signal: NodeJS.Signals): void {
  leaders.forEach(endGroup)
  process.kill(process.pid, signal)
}

const SIGNALS = ["SIGINT", "SIGTERM"] as const

/** How a file is run on a runtime: what it says of its tests goes to the file `results`. */
type RunFile = (file: string, results: string) => Promise<Ending>

/** `root` is the repository; results are in the order of the files. `fits` says how each of them runs in a browser. */
export async function runFiles(
  root: string,
  runtime: Runtime,
  files: readonly string[],
  limits: Limits,
  fits: ReadonlyMap<string, Fit> = new Map(),
): Promise<FileRun[]> {
  const { name } = runtime
  if (!isBrowser(name)) return await runEach(files, (file, path) => runFile(root, runtime, name, file, path, limits))
  await using site = await serveTests(root)
  return await runEach(files, (file, path) => visitFile(site, runtime, file, fits.get(file), path, limits))
}

async function runEach(files: readonly string[], runOne: RunFile): Promise<FileRun[]> {
  const folder = mkdtempSync(join(tmpdir(), "corepool-runtimes-"))
  const runs: FileRun[] = []
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < files.length) {
      const at = next++
      const file = files[at] as string
      const path = join(folder, `${at}.jsonl`)
      const ending = await runOne(file, path)
      const written = readResults(existsSync(path) ? readFileSync(path, "utf8") : "")
      runs[at] = { file, results: [...written.results, ...failureOf(written, ending)] }
    }
  }
  for (const signal of SIGNALS) process.once(signal, passOn)
  try {
    await Promise.all(Array.from({ length: availableParallelism() }, lane))
  } finally {
    for (const signal of SIGNALS) process.off(signal, passOn)
    rmSync(folder, { recursive: true, force: true })
  }
  return runs
}

function runFile(
  root: string,
  runtime: Runtime,
  name: EngineName,
  file: string,
  results: string,
  limits: Limits,
): Promise<Ending> {
  const { args, env } = commandFor(name, file, results, limits.test)
  return start(runtime.program, args, { cwd: root, env, limit: limits.file })
}

/** A browser does not end by itself when the tests have ended. */
async function visitFile(
  site: TestSite,
  { name, program }: Runtime,
  file: string,
  fit: Fit | undefined,
  results: string,
  limits: Limits,
): Promise<Ending> {
  if (!isBrowser(name) || fit === undefined || "lacks" in fit) throw new Error(`${file} is not for ${name}`)
  const profile = mkdtempSync(join(tmpdir(), "corepool-profile-"))
  const over = new AbortController()
  const hear = (lines: string): void => {
    appendFileSync(results, lines)
    if (readResults(lines).finished) over.abort()
  }
  const compiled = `build/${file.replace(/\.ts$/, ".js")}`
  using visit = site.visit(compiled, fit.site, fit.place, limits.test, hear)
  const settings = { cwd: profile, env: {}, limit: limits.file, over: over.signal }
  const ending = await start(program, argsFor(name, profile, visit.url), settings)
  rmSync(profile, { recursive: true, force: true, maxRetries: 10 })
  return over.signal.aborted ? { ...ending, code: 0 } : ending
}

interface Settings {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly limit: number
  /** Ends the process. */
  readonly over?: AbortSignal
}

function start(program: string, args: readonly string[], { cwd, env, limit, over }: Settings): Promise<Ending> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined, NODE_TEST_CONTEXT: undefined, ...env },
      stdio: ["ignore", "ignore", "pipe"],
      detached: true,
    })
    leaders.add(child)
    over?.addEventListener("abort", () => endGroup(child))
    let isOverdue = false
    const timer = setTimeout(() => {
      isOverdue = true
      endGroup(child)
    }, limit)
    let stderr = ""
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
    child.on("error", reject)
    child.on("exit", () => endGroup(child))
    child.on("close", (code, signal) => {
      clearTimeout(timer)
      leaders.delete(child)
      resolve({ code: code ?? signal ?? NaN, stderr, isOverdue })
    })
  })
}

/** Also what the process has left behind. */
function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, "SIGKILL")
  } catch (error) {
    // The usual case: nobody is left.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}

/** A file fails by itself if it does not come to its end, or ends badly with no test to blame. */
export function failureOf({ results, open, finished }: FileResults, ending: Ending): Result[] {
  const title = FILE
  const running = open.length === 0 ? "" : `; not ended: ${open.join(", ")}`
  const said = ending.stderr.trim() === "" ? "" : `\n${ending.stderr.trim()}`
  if (ending.isOverdue) return [{ title, outcome: "failed", why: `did not end within its time${running}${said}` }]
  const isBlamed = results.some(({ outcome }) => outcome === "failed")
  if (finished && (ending.code === 0 || isBlamed)) return []
  const how = `ended with ${typeof ending.code === "number" ? "exit code " : ""}${ending.code}`
  return [{ title, outcome: "failed", why: `${how}${finished ? "" : " before its tests were over"}${running}${said}` }]
}
