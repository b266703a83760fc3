/** Serves the tests to browsers, isolated from other origins, and hears what they say of the tests. */
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { Modules, type Site } from "./modules.ts"

const HEADERS = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
}

const ENTRY = "build/tools/runtimes/stand-in/browser/entry.js"

/** Where a file of tests runs. A window cannot block. */
export type Place = "window" | "worker"

export interface Visit extends Disposable {
  /** The page that runs the tests. */
  readonly url: string
}

export interface TestSite extends AsyncDisposable {
  /** Runs the file, given as compiled, from the root; `hear` gets the lines of results.ts as they come. */
  visit(file: string, site: Site, place: Place, timeLimit: number, hear: (lines: string) => void): Visit
}

export async function serveTests(root: string): Promise<TestSite> {
  const modules = await Modules.of(root)
  const listeners = new Map<string, (lines: string) => void>()
  let visits = 0
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost")
    if (request.method === "POST") {
      void heard(request, listeners.get(searchParams.get("run") ?? "")).then(() =>
        response.writeHead(204, HEADERS).end(),
      )
      return
    }
    if (pathname === "/page") {
      response.writeHead(200, { ...HEADERS, "Content-Type": "text/html" }).end(pageFor(searchParams))
      return
    }
    const module = modules.at(pathname)
    // They stay the same for a run, and each worker loads them anew.
    const type = { "Content-Type": "text/javascript", "Cache-Control": "max-age=86400" }
    response.writeHead(module === undefined ? 404 : 200, { ...HEADERS, ...type }).end(module)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    visit: (file, site, place, timeLimit, hear) => {
      const run = String(++visits)
      listeners.set(run, hear)
      const asked = { run, place, limit: String(timeLimit), site, file: `/${site}/${file}` }
      return {
        url: `${origin}/page?${new URLSearchParams(asked)}`,
        [Symbol.dispose]: () => void listeners.delete(run),
      }
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function heard(request: IncomingMessage, hear: ((lines: string) => void) | undefined): Promise<void> {
  hear?.(await text(request))
}

/** A worker that cannot load its modules does not say why: the page tells that it has not begun. */
function pageFor(asked: URLSearchParams): string {
  const entry = JSON.stringify(`/${asked.get("site")}/${ENTRY}?${asked}`)
  const script =
    asked.get("place") === "window" ? `import(${entry})` : `new Worker(${entry}, { type: "module", name: "tests" })`
  return `<!doctype html><title>${asked.get("file")}</title><script type="module">${script}</script>`
}
