/** How error messages name a server, and what they must not contain. */
import { wrongType } from "../../checks.ts"

type Options = Readonly<Record<string, unknown>>

/** Which URLs are those of a server, and how one looks. */
export interface UrlForm {
  readonly protocols: readonly string[]
  readonly example: string
}

/** Throws TypeError if it is no URL of that form. The message does not show the URL: a password may be in it. */
export function requireUrl(name: string, url: string, { protocols, example }: UrlForm): void {
  const protocol = url.includes("://") && URL.canParse(url) ? new URL(url).protocol : undefined
  if (protocol !== undefined && protocols.includes(protocol)) return
  const demand = `a URL that begins with ${protocols.map((each) => `${each}//`).join(" or ")}, such as ${example}`
  const given = url === "" ? "an empty text" : protocol === undefined ? "a text that is no URL" : "one of another kind"
  throw wrongType(`Expected \`${name}\` to be ${demand}, got ${given}`)
}

/** Such as `PostgreSQL at db.example.com:5432/work`. The URL has been checked. */
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

/** Texts that no message may contain. */
export function secretsOf(url: string | undefined, options: Options): string[] {
  const parsed = url === undefined ? undefined : parse(url)
  const password = text(options["password"])
  return [url, parsed?.password, decoded(parsed?.password), password].filter(
    (secret): secret is string => secret !== undefined && secret !== "",
  )
}

function parse(url: string): { hostname: string; port: string | undefined; pathname: string; password: string } {
  const { hostname, port, pathname, password } = new URL(url)
  return { hostname: hostname || "localhost", port: port || undefined, pathname, password }
}

function decoded(password: string | undefined): string | undefined {
  try {
    return password === undefined ? undefined : decodeURIComponent(password)
  } catch {
    return undefined // a percent sign that is no escape
  }
}

function text(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined
}
