/**
 * What may be said of where a server is, and what must not be.
 */
import { typeError } from "../../checks.ts"

type Options = Readonly<Record<string, unknown>>

/** Such as `PostgreSQL at db.example.com:5432/work`. Throws TypeError if the URL is none; the message does not show it. */
export function whereOf(
  kind: string,
  url: string | undefined,
  options: Options,
  base: "database" | "db",
  port: number,
): string {
  const parsed = url === undefined ? undefined : parse(url)
  const host = parsed?.hostname ?? text(options["host"]) ?? "localhost"
  const name = parsed?.pathname.slice(1) ?? text(options[base]) ?? ""
  const place = `${host}:${parsed?.port ?? text(options["port"]) ?? port}`
  return `${kind} at ${place}${name === "" ? "" : `/${name}`}`
}

/** What no message may have in it. */
export function secretsOf(url: string | undefined, options: Options): string[] {
  const parsed = url === undefined ? undefined : parse(url)
  const password = text(options["password"])
  return [url, parsed?.password, decoded(parsed?.password), password].filter(
    (secret): secret is string => secret !== undefined && secret !== "",
  )
}

function parse(url: string): { hostname: string; port: string | undefined; pathname: string; password: string } {
  try {
    const { hostname, port, pathname, password } = new URL(url)
    return { hostname: hostname || "localhost", port: port || undefined, pathname, password }
  } catch {
    throw typeError("url", "a URL such as postgres://user@host:5432/database", undefined)
  }
}

function decoded(password: string | undefined): string | undefined {
  try {
    return password === undefined ? undefined : decodeURIComponent(password)
  } catch {
    return undefined // a percent sign that stands for itself
  }
}

function text(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined
}
