/**
 * Where fixtures are built and run: temporary folders outside of the repository, one for each tool, in which the packed package and the
 * tool are installed; and an empty one for each program that was built.
 */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { type Outcome, run, saidBy } from "../check/run.ts"
import type { Runtime } from "../runtimes/fetch.ts"
import type { Case } from "./cases.ts"

/** Nothing takes so long; it only turns what hangs into a failure. */
const LIMIT = 600_000

const KEPT = ["node_modules", "package.json", "package-lock.json"]

export class Workshop implements Disposable {
  readonly #root: string
  readonly #folder = mkdtempSync(join(tmpdir(), "corepool-builds-"))
  readonly #installed = new Set<string>()
  /** The last case that was built, whose output others may share. */
  #built: { readonly key: string; readonly at: string } | undefined

  /** `root` is the repository. */
  constructor(root: string) {
    this.#root = root
  }

  /** Packs the package, as npm would publish it. */
  async pack(): Promise<void> {
    const args = ["pack", "--json", "--ignore-scripts", "--loglevel=error", `--pack-destination=${this.#folder}`]
    const outcome = required("npm pack", await run("npm", args, { cwd: this.#root }))
    const [{ filename }] = JSON.parse(outcome.stdout) as [{ filename: string }]
    cpSync(join(this.#folder, filename), join(this.#folder, "corepool.tgz"))
  }

  /** Builds the program, if it is one to be built, and runs it; what it prints. */
  async run(program: Case, runtime: Runtime, builders: readonly Runtime[]): Promise<string> {
    await this.#install(program.tool)
    const place = await this.#prepare(program, builders)
    const env = { ...program.env, NODE_OPTIONS: undefined, CI: "1" }
    const command = program.executable === undefined ? runtime.program : join(place, program.executable)
    const outcome = await run(command, program.run, { cwd: place, env, timeout: LIMIT })
    return `${outcome.stdout}\n${outcome.stderr}${outcome.code === undefined ? "\nkilled after its time limit" : ""}`
  }

  #at(tool: string): string {
    return join(this.#folder, tool)
  }

  async #install(tool: string): Promise<void> {
    if (this.#installed.has(tool)) return
    const at = this.#at(tool)
    cpSync(join(this.#root, "fixtures", tool), at, { recursive: true })
    const args = ["install", "--no-audit", "--no-fund", "--loglevel=error"]
    required(`npm install for ${tool}`, await run("npm", args, { cwd: at, timeout: LIMIT }))
    this.#installed.add(tool)
  }

  /** The folder in which the program is to be run. */
  async #prepare(program: Case, builders: readonly Runtime[]): Promise<string> {
    const key = JSON.stringify([program.tool, program.programs, program.build, program.env])
    if (program.build !== undefined && this.#built?.key === key) return this.#built.at
    const at = this.#at(program.tool)
    this.#clear(program.tool)
    for (const from of [program.tool, ...program.programs.map((name) => join("programs", name))]) {
      cpSync(join(this.#root, "fixtures", from), at, { recursive: true })
    }
    writeType(at, program.isCommonJs === true ? undefined : "module")
    if (program.build === undefined) return at
    for (const command of program.build) await build(at, command, program.env ?? {}, builders)
    return this.#moveOut(program, key)
  }

  /** Leaves nothing but what is installed. */
  #clear(tool: string): void {
    const at = this.#at(tool)
    for (const name of readdirSync(at)) if (!KEPT.includes(name)) rmSync(join(at, name), { recursive: true })
  }

  /** What was built, at a place where nothing is installed. */
  #moveOut(program: Case, key: string): string {
    const at = mkdtempSync(join(tmpdir(), "corepool-built-"))
    if (this.#built !== undefined) rmSync(this.#built.at, { recursive: true })
    this.#built = { key, at }
    const made = join(this.#at(program.tool), program.output ?? "dist")
    cpSync(made, at, { recursive: true, verbatimSymlinks: true })
    this.#clear(program.tool) // a bundle that names files of its sources is not to find them
    if (!existsSync(join(at, "package.json"))) {
      writeFileSync(join(at, "package.json"), program.isModule === true ? `{ "type": "module" }` : "{}")
    }
    for (const name of program.programs.includes("server") ? ["serve.mjs"] : []) {
      cpSync(join(this.#root, "fixtures/programs/server", name), join(at, name))
    }
    return at
  }

  [Symbol.dispose](): void {
    if (this.#built !== undefined) rmSync(this.#built.at, { recursive: true, force: true })
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

function writeType(folder: string, type: string | undefined): void {
  const path = join(folder, "package.json")
  const manifest = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>
  writeFileSync(path, JSON.stringify({ ...manifest, type }, undefined, 2))
}

/** `bun` is a runtime too, and not installed by a fixture. */
async function build(
  at: string,
  [name = "", ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
  builders: readonly Runtime[],
): Promise<void> {
  const runtime = builders.find((builder) => builder.name === name || (name === "node" && builder.name === "node20"))
  const program = runtime?.program ?? join(at, "node_modules/.bin", name)
  const options = { cwd: at, env: { ...env, NODE_OPTIONS: undefined, CI: "1" }, timeout: LIMIT }
  required(`${basename(program)} ${args.join(" ")}`, await run(program, args, options))
}

function required(what: string, outcome: Outcome): Outcome {
  if (outcome.code === 0) return outcome
  throw new Error(`${what}: ${saidBy(outcome)}`)
}
