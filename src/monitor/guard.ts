/**
 * Which requests the monitor answers. Web pages of other sites can send requests to this computer, too; none of them
 * may learn anything, and none may do anything.
 *
 * - The Host header must be the address of the monitor. A foreign name that leads to this computer (DNS rebinding) is
 *   refused, so the browser never takes the monitor for a part of a foreign site.
 * - A request that a browser sends on behalf of another site is refused, by Origin and Sec-Fetch-Site.
 * - Whatever is not the page itself needs the token, in the header Authorization. Browsers never add this header by
 *   themselves, as they do with cookies, and the token never stands in an address that is sent.
 */
import { type HttpRequest, isSameSecret } from "#host/server/http"

/** Names of this computer, which no name server can give to another one. */
const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"]
/** Hosts that mean all addresses of the machine. */
const EVERY_ADDRESS = new Set(["0.0.0.0", "::"])
const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/i

export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "X-Frame-Options": "DENY",
  "Cache-Control": "no-store",
}

export interface Refusal {
  readonly status: number
  readonly reason: string
}

export class Guard {
  readonly #host: string
  readonly #token: string

  /** `host` is where the monitor listens. */
  constructor(host: string, token: string) {
    this.#host = inUrl(host)
    this.#token = token
  }

  /** Undefined if the request may be answered. */
  refusalOf(request: HttpRequest, port: number, needsToken: boolean): Refusal | undefined {
    const host = request.header("host") ?? ""
    if (!this.#isOwn(host, port)) return { status: 403, reason: "The header Host is not the address of this monitor" }
    const origin = request.header("origin")
    if (origin !== undefined && origin !== `http://${host}`) {
      return { status: 403, reason: "This request comes from another site" }
    }
    const site = request.header("sec-fetch-site")
    if (needsToken && site !== undefined && site !== "same-origin" && site !== "none") {
      return { status: 403, reason: "This request comes from another site" }
    }
    return needsToken && !this.#hasToken(request)
      ? { status: 401, reason: "This request needs the token of the monitor, in the header Authorization" }
      : undefined
  }

  /** An address as such, if the monitor listens on all of them: a foreign site has a name. */
  #isOwn(host: string, port: number): boolean {
    const end = `:${port}`
    if (!host.endsWith(end)) return false
    const name = host.slice(0, -end.length).toLowerCase()
    if (LOOPBACK.includes(name) || name === this.#host) return true
    return EVERY_ADDRESS.has(this.#host.replace(/^\[|\]$/g, "")) && ADDRESS.test(name)
  }

  #hasToken(request: HttpRequest): boolean {
    const [scheme = "", given = ""] = (request.header("authorization") ?? "").split(" ")
    return scheme.toLowerCase() === "bearer" && isSameSecret(given, this.#token)
  }
}

/** A host as it stands in addresses: IPv6 in brackets. */
export function inUrl(host: string): string {
  return (host.includes(":") ? `[${host}]` : host).toLowerCase()
}
