/**
 * `npm run test:browser`: the tests of test/browser, in a real Chromium, with the files of dist/browser. It is that of
 * the system or, if there is none, one from npm (`@sparticuz/chromium`). Fails if neither runs.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { listFiles } from "../check/files.ts"

const root = process.cwd()
const folder = join(root, "tools/browser")

async function run(program: string, args: readonly string[], cwd: string): Promise<number> {
  const child = spawn(program, args, { cwd, stdio: "inherit" })
  const [code] = (await once(child, "exit")) as [number | null]
  return code ?? 1
}

if (!existsSync(join(folder, "node_modules/playwright-core"))) {
  console.log("Fetching what drives the browser, some 90 MB, into tools/browser/node_modules …")
  if ((await run("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], folder)) !== 0) {
    throw new Error("npm could not install tools/browser")
  }
}
const files = listFiles(root, "test/browser", ".browser.ts").map((path) => `build/${path.replace(/\.ts$/, ".js")}`)
const flags = process.argv.slice(2)
process.exitCode = await run(process.execPath, ["--enable-source-maps", "--test", ...flags, ...files], root)
