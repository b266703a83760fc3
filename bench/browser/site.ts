/** Serves the pages of the contenders, isolated from other origins, and gives each page its turns. */
import { build } from "esbuild"
import { existsSync, readFileSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import type { BrowserContender } from "./contest.ts"

export interface Turn {
  readonly bout: string
  readonly n: number
}

/** What a page says of its turn. */
export interface Said {
  readonly wall?: number
  readonly failure?: string
}

export interface BenchSite extends AsyncDisposable {
  urlOf(contender: BrowserContender): string
  /** Gives the page a turn as soon as it is ready for one; `started` is called just before. */
  turn(contender: BrowserContender, turn: Turn, started: () => void): Promise<Said>
}

const HEADERS = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
}

const PAGES = "bench/browser/pages"

/** Where a page waits for its turn, or the server for a page. */
class Desk {
  #waiting: ServerResponse | undefined
  #arrived: ((said: Said) => void) | undefined

  /** The page has ended its turn, or is there for the first time. */
  arrive(said: Said, response: ServerResponse): void {
    this.#waiting = response
    this.#arrived?.(said)
  }

  async turn(turn: Turn, started: () => void): Promise<Said> {
    if (this.#waiting === undefined) await this.#arrival()
    const page = this.#waiting
    this.#waiting = undefined
    const said = this.#arrival()
    started()
    page?.writeHead(200, HEADERS).end(JSON.stringify(turn))
    return await said
  }

  #arrival(): Promise<Said> {
    return new Promise((resolve) => (this.#arrived = resolve))
  }
}

/** `knitting` is the file of its browser build. */
export async function serveContenders(
  root: string,
  contenders: readonly BrowserContender[],
  knitting: string | undefined,
): Promise<BenchSite> {
  const bundles = await bundled(root, contenders)
  const desks = new Map(contenders.map(({ name }) => [name, new Desk()]))

  function textAt(pathname: string): string | undefined {
    const [, folder, rest = ""] = /^\/(corepool|pages|knitting)\/(.+)$/.exec(pathname) ?? []
    if (folder === "pages") return bundles.get(rest) ?? read(join(root, PAGES, rest))
    if (folder === "corepool") return read(join(root, "dist/browser", rest))
    return folder === "knitting" && knitting !== undefined ? read(knitting) : undefined
  }

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost")
    const name = searchParams.get("contender") ?? ""
    if (pathname === "/turn") {
      void text(request).then((said) => desks.get(name)?.arrive(JSON.parse(said) as Said, response))
      return
    }
    if (pathname === "/") {
      response.writeHead(200, { ...HEADERS, "Content-Type": "text/html" }).end(pageOf(contenders, name))
      return
    }
    const found = textAt(pathname)
    response.writeHead(found === undefined ? 404 : 200, { ...HEADERS, "Content-Type": "text/javascript" }).end(found)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    urlOf: ({ name }) => `${origin}/?${new URLSearchParams({ contender: name })}`,
    turn: async ({ name }, turn, started) => await (desks.get(name) as Desk).turn(turn, started),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The rivals are bundled, each with the page or the worker that uses it; what is served by itself stays outside. */
async function bundled(root: string, contenders: readonly BrowserContender[]): Promise<Map<string, string>> {
  const entryPoints = contenders.flatMap(({ page, worker }) => (worker === undefined ? [] : [page, worker]))
  const { outputFiles } = await build({
    entryPoints: entryPoints.map((file) => join(root, PAGES, file)),
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    outdir: "/",
    // It names its build for Node before that for browsers.
    alias: { "poolifier-web-worker": join(root, "bench/node_modules/poolifier-web-worker/browser/mod.js") },
    // They ask for these in Node only.
    external: ["child_process", "os", "worker_threads", "node:*"],
    write: false,
  })
  return new Map(outputFiles.map((file) => [file.path.slice(1), file.text]))
}

function read(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined
}

function pageOf(contenders: readonly BrowserContender[], name: string): string {
  const page = contenders.find((contender) => contender.name === name)?.page ?? ""
  return `<!doctype html><title>${name}</title><script type="module" src="/pages/${page}"></script>`
}
