import { basename } from "node:path"

/** What is known of this process. */
export interface ProcessFacts {
  readonly pid: number
  /** The name of the program's file. */
  readonly program: string
  readonly runtime: string
  readonly processors: number
}

function availableProcessors(): number {
  return process.getBuiltinModule("node:os").availableParallelism()
}

export function processFacts(): ProcessFacts {
  const { versions } = process
  const runtime =
    versions["bun"] !== undefined
      ? `Bun ${versions["bun"]}`
      : versions["deno"] !== undefined
        ? `Deno ${versions["deno"]}`
        : `Node ${versions.node}`
  return {
    pid: process.pid,
    program: basename(process.argv[1] ?? "program"),
    runtime,
    processors: availableProcessors(),
  }
}

/** The whole memory of this process, in bytes. */
export function residentBytes(): number {
  return process.memoryUsage.rss()
}
