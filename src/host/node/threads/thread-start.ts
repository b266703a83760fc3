/** What the start of a worker depends on. */
import { existsSync } from "node:fs"
import { setOwn } from "../../../user-values.ts"

/** The path of a file, if the runtime can start a worker from this file; otherwise empty. */
export function usable(path: string): string {
  try {
    return path !== "" && existsSync(path) ? path : ""
  } catch {
    return "" // Deno, for a program that may not read files (--allow-read)
  }
}

/**
 * Whether a worker with these flags of the runtime, by default those of this thread, can be started from a file. With
 * `--input-type`, which workers inherit, Node starts no files.
 */
export function startsFiles(execArgv: readonly string[] = process.execArgv): boolean {
  return !execArgv.some((flag) => flag.startsWith("--input-type"))
}

const OF_RUNTIMES =
  "argv env eval execArgv preload ref resourceLimits smol stderr stdin stdout trackUnmanagedFds type".split(" ")

/**
 * Options without a value, for Bun: it copies the options into an ordinary object, which inherits those that are
 * missing.
 */
export function overriddenOptions(): Record<string, undefined> {
  const options: Record<string, undefined> = {}
  for (const option of OF_RUNTIMES) if (option in Object.prototype) setOwn(options, option, undefined, true)
  return options
}
