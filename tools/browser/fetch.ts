/** Fetches what drives the browser, and a Chromium for systems that have none: see package.json of this folder. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { join } from "node:path"

/** `root` is the repository. Does nothing if it is there. */
export async function fetchDriver(root: string): Promise<void> {
  const folder = join(root, "tools/browser")
  if (existsSync(join(folder, "node_modules/playwright-core"))) return
  console.log("Fetching what drives the browser, some 90 MB, into tools/browser/node_modules …")
  const args = ["ci", "--no-audit", "--no-fund", "--ignore-scripts"]
  const [code] = (await once(spawn("npm", args, { cwd: folder, stdio: "inherit" }), "exit")) as [number | null]
  if (code !== 0) throw new Error("npm could not install tools/browser")
}
