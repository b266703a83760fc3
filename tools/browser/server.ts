/** Serves a folder to the browser of this machine, isolated from other origins. */
import { createReadStream, statSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { extname, join, normalize, sep } from "node:path"

const ISOLATED = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "X-Content-Type-Options": "nosniff",
  "Cache-Control": "no-store",
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".map": "application/json",
}

export interface Served extends Disposable {
  readonly url: string
}

export interface Serving {
  /** The system chooses one by default. */
  readonly port?: number
  /** The Content-Security-Policy. */
  readonly policy?: string
}

/** Its page is index.html. No other machine gets an answer. */
export async function serveSite(folder: string, { port = 0, policy }: Serving = {}): Promise<Served> {
  const headers = { ...ISOLATED, ...(policy === undefined ? {} : { "Content-Security-Policy": policy }) }
  const server = createServer(({ url = "/" }, response) => {
    const path = pathOf(folder, url)
    if (path === undefined) return void response.writeHead(404, headers).end("There is no such file.")
    response.writeHead(200, { ...headers, "Content-Type": TYPES[extname(path)] ?? "application/octet-stream" })
    createReadStream(path).pipe(response)
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, "127.0.0.1", resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.dispose]: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** The file of the folder that an address means, if there is one. */
function pathOf(folder: string, url: string): string | undefined {
  if (!URL.canParse(url, "http://localhost")) return undefined
  const { pathname } = new URL(url, "http://localhost")
  const path = normalize(join(folder, pathname === "/" ? "index.html" : pathname))
  if (!path.startsWith(folder + sep)) return undefined
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true ? path : undefined
}
