/** Pages that a test serves to Chromium: an empty one, the files of dist/browser, and modules of the test's own. */
import { existsSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Browser, launch, type Page } from "./chromium.ts"

const DIST = fileURLToPath(new URL("../../../dist/browser/", import.meta.url))

const ISOLATION = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
}

export interface PageOptions {
  readonly isolated: boolean
  /** Texts by their paths: `/tasks.js`. */
  readonly modules?: Readonly<Record<string, string>>
  readonly policy?: string
}

export interface Opened extends AsyncDisposable {
  readonly page: Page
  /** Errors that no code of the page has caught. */
  readonly uncaught: string[]
  /** Runs the body of an asynchronous function in the page; `corepool` is all of it. */
  run<T>(body: string): Promise<T>
}

/** A server of pages, without a browser. */
export interface Pages extends Disposable {
  readonly url: string
}

let browser: Browser | undefined

export async function closeBrowser(): Promise<void> {
  await browser?.close()
}

/** The page at `url` is empty. */
export async function serve({ isolated, modules = {}, policy }: PageOptions): Promise<Pages> {
  const headers = {
    ...(isolated ? ISOLATION : {}),
    ...(policy === undefined ? {} : { "Content-Security-Policy": policy }),
  }
  const server = createServer(({ url = "/" }, response) => {
    if (url === "/favicon.ico") return void response.writeHead(204).end()
    const text = url === "/" ? "<!doctype html><title>test</title>" : (modules[url] ?? ofPackage(url))
    const type = url === "/" ? "text/html" : "text/javascript"
    response.writeHead(text === undefined ? 404 : 200, { ...headers, "Content-Type": type })
    response.end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.dispose]: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** What a script of the page begins with; `corepool` is all of it. */
export function withCorepool(body: string): string {
  return `import("/corepool/index.js").then(async (corepool) => { ${body} })`
}

export async function open(options: PageOptions): Promise<Opened> {
  const pages = await serve(options)
  browser ??= await launch()
  const context = await browser.newContext({})
  const page = await context.newPage()
  const uncaught: string[] = []
  page.on("pageerror", (error) => uncaught.push(String(error)))
  await page.goto(pages.url)
  return {
    page,
    uncaught,
    run: async (body) => await page.evaluate(withCorepool(body)),
    [Symbol.asyncDispose]: async () => {
      await context.close()
      pages[Symbol.dispose]()
    },
  }
}

function ofPackage(url: string): string | undefined {
  const path = join(DIST, url.replace(/^\/corepool\//, ""))
  return url.startsWith("/corepool/") && existsSync(path) ? readFileSync(path, "utf8") : undefined
}
