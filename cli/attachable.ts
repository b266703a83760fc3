/** The processes of this user that have a monitor: each has written a file with its address and its token. */
import { lstatSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import { UsageError } from "./process.ts"

export interface Attachable {
  readonly pid: number
  readonly program: string
  readonly address: string
  readonly token: string
}

const NONE = 'No process has a monitor. A process asks for one by: import { startMonitor } from "corepool/monitor"'

/** As src/host/node/server/http.ts names it. */
function runtimeFolder(): string {
  const base = process.env["XDG_RUNTIME_DIR"]
  return base !== undefined && base !== "" ? join(base, "corepool") : join(tmpdir(), `corepool-${userInfo().username}`)
}

/** Those whose processes live. Files of others are removed. */
export function attachables(): Attachable[] {
  const folder = runtimeFolder()
  let names: string[]
  try {
    const { uid } = lstatSync(folder)
    // Another user could have put files there that lead to a server of theirs.
    if (process.getuid !== undefined && uid !== process.getuid()) return []
    names = readdirSync(folder).filter((name) => /^\d+-\d+\.json$/.test(name))
  } catch {
    return [] // there is no such folder, and so no monitor
  }
  return names.flatMap((name) => {
    const path = join(folder, name)
    const found = read(path)
    if (found !== undefined && isAlive(found.pid)) return [found]
    rmSync(path, { force: true })
    return []
  })
}

function read(path: string): Attachable | undefined {
  try {
    const { pid, program, address, token } = JSON.parse(readFileSync(path, "utf8")) as Partial<Attachable>
    if (typeof pid !== "number" || typeof address !== "string" || typeof token !== "string") return undefined
    return { pid, program: String(program), address, token }
  } catch {
    return undefined // cut off, or removed by now
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** The process with this number, or the only one. */
export function attachableOf(pid: string | undefined): Attachable {
  const all = attachables()
  const wanted = pid === undefined ? all : all.filter((one) => String(one.pid) === pid)
  const [first] = wanted
  if (first === undefined) throw new UsageError(pid === undefined ? NONE : `Process ${pid} has no monitor`)
  if (wanted.length > 1 && pid === undefined) {
    const list = wanted.map(({ pid: number, program }) => `  ${number}  ${program}`).join("\n")
    throw new UsageError(`Several processes have a monitor. Give the number of one:\n${list}`)
  }
  return first
}
