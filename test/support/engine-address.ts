/**
 * Where a queue is, as text that another process can be told. Processes of a fleet (`fault-child.ts`) use this file, so it imports nothing of the test
 * runner: outside of a test file the stand-in for `node:test`, with which tests run on Bun and Deno, is an error.
 */
import { type Engine, postgres, redis } from "corepool/distributed"

export interface EngineAddress {
  readonly kind: "postgres" | "redis"
  readonly options: Readonly<Record<string, unknown>> & { readonly url: string }
}

export function engineAt({ kind, options }: EngineAddress): Engine {
  return kind === "postgres" ? postgres(options) : redis(options)
}

/** The same server by another way. */
export function through(port: number, address: EngineAddress): EngineAddress {
  const url = new URL(address.options.url)
  url.host = `127.0.0.1:${port}`
  return { ...address, options: { ...address.options, url: url.href } }
}

export function portOf({ options }: EngineAddress): number {
  return Number(new URL(options.url).port)
}
