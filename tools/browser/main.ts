/**
 * `npm run test:browser`: the tests of test/browser, in a real Chromium, with the files of dist/browser. It is that of
 * the system or, if there is none, one from npm (`@sparticuz/chromium`). Fails if neither runs.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { listFiles } from "../check/files.ts"
import { fetchDriver } from "./fetch.ts"

const root = process.cwd()

async function run(program: string, args: readonly string[], cwd: string): Promise<number> {
  const child = spawn(program, args, { cwd, stdio: "inherit" })
  const [code] = (await once(child, "exit")) as [number | null]
  return code ?? 1
}

await fetchDriver(root)
const files = listFiles(root, "test/browser", ".browser.ts").map((path) => `build/${path.replace(/\.ts$/, ".js")}`)
const flags = process.argv.slice(2)
process.exitCode = await run(process.execPath, ["--enable-source-maps", "--test", ...flags, ...files], root)
