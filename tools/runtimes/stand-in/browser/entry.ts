/** Runs one test file, in a page or in a worker: the module that the page loads, which names the file in its address. */
import { FILE } from "../../results.ts"
// oxlint-disable import/no-unassigned-import -- they change what is there
import "../node-test.ts"
// Before corepool, which takes what they replace when it is loaded.
import "./events.ts"
import "./inherited.ts"
import { loaded, rest, write } from "./place.ts"

const { searchParams } = new URL(import.meta.url)

try {
  await import(searchParams.get("file") ?? "")
  loaded()
} catch (error) {
  const why = error instanceof Error ? (error.stack ?? String(error)) : String(error)
  write({ event: "end", path: [FILE], outcome: "failed", why })
  rest()
}
