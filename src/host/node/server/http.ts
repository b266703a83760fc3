/** A server for HTTP, and what the monitor needs besides: secrets, and files that only the user can read. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { join } from "node:path"

/** What a client asks for. */
export interface HttpRequest {
  readonly method: string
  /** The path with the query, as the client has sent it. */
  readonly target: string
  header(name: string): string | undefined
  /** The body; undefined if it has more than `largest` characters. */
  text(largest: number): Promise<string | undefined>
}

export interface HttpResponse {
  send(status: number, headers: Readonly<Record<string, string>>, body: string): void
  /** Begins a response that goes on until the client or the server ends it. */
  stream(headers: Readonly<Record<string, string>>): HttpStream
}

export interface HttpStream {
  write(text: string): void
  /** Whether the client has not yet taken what was written before. */
  readonly isBehind: boolean
  onClose(call: () => void): void
}

export interface HttpServer {
  readonly port: number
  /** Ends all connections, too. */
  close(): Promise<void>
}

/** Does not keep the process alive, and neither do its connections. */
export async function serve(
  host: string,
  port: number,
  handle: (request: HttpRequest, response: HttpResponse) => Promise<void>,
): Promise<HttpServer> {
  const { createServer } = process.getBuiltinModule("node:http")
  const responses = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    responses.add(response)
    response.on("close", () => responses.delete(response))
    handle(requestOf(request), responseOf(response)).catch(() => response.destroy())
  })
  server.on("connection", (socket: Socket) => void socket.unref())
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, host, () => {
      server.off("error", reject)
      resolve()
    })
  })
  server.unref()
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const response of responses) response.end() // on Bun the end of a connection would not end its stream
      server.closeAllConnections()
      await closed
    },
  }
}

function requestOf(request: IncomingMessage): HttpRequest {
  return {
    method: request.method ?? "",
    target: request.url ?? "/",
    header: (name) => {
      const value = request.headers[name]
      return Array.isArray(value) ? value.join(", ") : value
    },
    text: async (largest) => {
      let text = ""
      request.setEncoding("utf8")
      for await (const chunk of request) {
        text += String(chunk)
        if (text.length > largest) return undefined
      }
      return text
    },
  }
}

function responseOf(response: ServerResponse): HttpResponse {
  return {
    send: (status, headers, body) => {
      response.writeHead(status, { ...headers, "Content-Length": Buffer.byteLength(body) })
      response.end(body)
    },
    stream: (headers) => {
      response.writeHead(200, headers)
      response.flushHeaders()
      return {
        write: (text) => void response.write(text),
        get isBehind() {
          return response.writableNeedDrain
        },
        onClose: (call) => void response.on("close", call),
      }
    },
  }
}

// ------------------------------------------------------------------ secrets

/** A text of 128 random bits. */
export function newToken(): string {
  return process.getBuiltinModule("node:crypto").randomBytes(16).toString("base64url")
}

/** Whether two texts are the same. How long that takes says nothing about where they differ. */
export function isSameSecret(left: string, right: string): boolean {
  const { createHash, timingSafeEqual } = process.getBuiltinModule("node:crypto")
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest()
  return timingSafeEqual(digest(left), digest(right))
}

// ------------------------------------------------------------------ a file for other processes of the user

/**
 * The folder for files that belong to the sessions of this user: `$XDG_RUNTIME_DIR/corepool`, or a folder of the
 * user's own among the temporary files.
 */
export function runtimeFolder(): string {
  const { tmpdir, userInfo } = process.getBuiltinModule("node:os")
  const base = process.env["XDG_RUNTIME_DIR"]
  return base !== undefined && base !== "" ? join(base, "corepool") : join(tmpdir(), `corepool-${userInfo().username}`)
}

/** A file that exists until {@link remove}, or until the process ends. */
export interface OwnFile {
  readonly path: string
  remove(): void
}

/**
 * Writes a file that only the user can read. Throws if the folder belongs to another user, or other users can write to
 * it: one of them could have put a link there.
 */
export function writeOwnFile(name: string, text: string): OwnFile {
  const { chmodSync, lstatSync, mkdirSync, rmSync, writeFileSync } = process.getBuiltinModule("node:fs")
  const folder = runtimeFolder()
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const facts = lstatSync(folder)
  const user = process.getuid?.()
  if (!facts.isDirectory() || (user !== undefined && facts.uid !== user)) {
    throw new Error(`${folder} is not a folder of this user`)
  }
  if (user !== undefined && (facts.mode & 0o077) !== 0) chmodSync(folder, 0o700)
  const path = join(folder, name)
  rmSync(path, { force: true })
  writeFileSync(path, text, { mode: 0o600, flag: "wx" })
  const remove = (): void => {
    process.off("exit", remove)
    rmSync(path, { force: true })
  }
  process.on("exit", remove)
  return { path, remove }
}
