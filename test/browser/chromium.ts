/** Chromium, driven by playwright-core, of which only what the tests use is described here: the types are fetched with it. */
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"

export interface Browser {
  newContext(options: Readonly<Record<string, unknown>>): Promise<Context>
  close(): Promise<void>
}

export interface Context {
  newPage(): Promise<Page>
  close(): Promise<void>
}

export interface Page {
  goto(url: string): Promise<unknown>
  goBack(options: Readonly<Record<string, unknown>>): Promise<unknown>
  url(): string
  evaluate<T>(script: string): Promise<T>
  waitForEvent(event: "download"): Promise<{ path(): Promise<string> }>
  click(selector: string): Promise<void>
  fill(selector: string, text: string): Promise<void>
  focus(selector: string): Promise<void>
  readonly keyboard: { press(key: string): Promise<void> }
  screenshot(options: Readonly<Record<string, unknown>>): Promise<Buffer>
  on(event: "console", call: (message: { type(): string; text(): string }) => void): void
  on(event: "pageerror", call: (error: Error) => void): void
}

interface Playwright {
  readonly chromium: { launch(options: Readonly<Record<string, unknown>>): Promise<Browser> }
}

interface PackedChromium {
  readonly default: { executablePath(): Promise<string>; readonly args: readonly string[] }
}

const require = createRequire(new URL("../../../tools/browser/package.json", import.meta.url))

/** Where systems put it. `CHROMIUM` names another one. */
const USUAL = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
]

/** Playwright turns the back/forward cache off; a browser of users has it. */
const ignoreDefaultArgs = ["--disable-back-forward-cache"]

export async function launch(flags: readonly string[] = []): Promise<Browser> {
  const { chromium } = require("playwright-core") as Playwright
  const installed = [process.env["CHROMIUM"] ?? "", ...USUAL].find((path) => path !== "" && existsSync(path))
  if (installed !== undefined) {
    return await chromium.launch({
      executablePath: installed,
      ignoreDefaultArgs,
      args: ["--no-sandbox", "--disable-dev-shm-usage", ...flags],
    })
  }
  const packed = (await import(pathToFileURL(require.resolve("@sparticuz/chromium")).href)) as PackedChromium
  return await chromium.launch({
    executablePath: await packed.default.executablePath(),
    ignoreDefaultArgs,
    args: [...packed.default.args, ...flags],
  })
}

/** The text of axe-core, which a page evaluates. */
export function axePath(): string {
  return require.resolve("axe-core/axe.min.js")
}
