/** What the stand-in for node:test needs of a process: `browser/place.ts` offers the same in a page. */
import { appendFileSync } from "node:fs"
import { setImmediate } from "node:timers"
import type { Line } from "../results.ts"

export { clearTimeout, setImmediate, setTimeout } from "node:timers"

const RESULTS = process.env["TEST_RESULTS"]
if (RESULTS === undefined) throw new Error("TEST_RESULTS must name the file for the results")
const path = RESULTS
/** Not for programs that a test starts. */
delete process.env["TEST_RESULTS"]

export const TIME_LIMIT: number = Number(process.env["TEST_TIME_LIMIT"] ?? 120_000)

export function write(line: Line): void {
  appendFileSync(path, `${JSON.stringify(line)}\n`)
}

/** Calls it with every error that no code has caught. */
export function onUncaught(call: (error: unknown) => void): void {
  process.on("uncaughtException", call)
  process.on("unhandledRejection", call)
}

/** Calls it when all modules are loaded, and with them all tests known. */
export function onLoad(call: () => void): void {
  setImmediate(call)
}

/** Calls it when nothing can follow any more. */
export function onEnd(call: () => void): void {
  process.on("exit", call)
}

/** Nothing is left to run: a process ends by itself when it has nothing to wait for. */
export function rest(): void {}

/** Ends at once, and badly. */
export function quit(): void {
  process.exit(1)
}
