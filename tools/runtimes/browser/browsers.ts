/** The browsers that the tests run in: where each is, and how it is told to open a page. */
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { fetchDriver } from "../../browser/fetch.ts"

export const BROWSERS = ["chromium", "firefox"] as const

export type BrowserName = (typeof BROWSERS)[number]

/** Where systems put them. A variable of the environment, `CHROMIUM` or `FIREFOX`, names another place. */
const USUAL: Readonly<Record<BrowserName, readonly string[]>> = {
  chromium: [
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  ],
  firefox: ["/usr/bin/firefox", "/usr/bin/firefox-esr", "/Applications/Firefox.app/Contents/MacOS/firefox"],
}

interface PackedChromium {
  readonly default: { executablePath(): Promise<string> }
}

/** The program; for Chromium that of npm if the system has none. */
export async function findBrowser(root: string, name: BrowserName): Promise<string> {
  const given = process.env[name.toUpperCase()] ?? ""
  const found = [given, ...USUAL[name]].find((path) => path !== "" && existsSync(path))
  if (found !== undefined) return found
  if (name === "firefox") {
    throw new Error(`There is no Firefox in ${USUAL.firefox.join(", ")}. FIREFOX=path names another place.`)
  }
  await fetchDriver(root)
  const require = createRequire(join(root, "tools/browser/package.json"))
  const packed = (await import(pathToFileURL(require.resolve("@sparticuz/chromium")).href)) as PackedChromium
  return await packed.default.executablePath()
}

/** How to open a page; `profile` is an empty folder of its own. */
export function argsFor(name: BrowserName, profile: string, url: string): string[] {
  if (name === "firefox") return ["--headless", "--no-remote", "--profile", profile, url]
  return [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--no-default-browser-check",
    "--js-flags=--expose-gc",
    `--user-data-dir=${profile}`,
    url,
  ]
}
