/**
 * A program that runs snippets, which it is given as paths of modules, one after the other, and prints as JSON what each has printed by
 * `console.log`, or how it has failed. The snippets are imported: as the entry module of a program they could not define tasks.
 */
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { format } from "node:util"

export interface Printed {
  readonly path: string
  readonly lines: readonly string[]
  readonly error?: string
}

const results: Printed[] = []
const { log } = console
for (const path of process.argv.slice(2)) {
  const lines: string[] = []
  console.log = (...values: unknown[]) => lines.push(...format(...values).split("\n"))
  try {
    await import(pathToFileURL(resolve(path)).href)
    results.push({ path, lines })
  } catch (error) {
    results.push({ path, lines, error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  }
}
console.log = log
console.log(JSON.stringify(results))
