/** Rule ids are those of docs/spec/oracle.md. */
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { test } from "node:test"
import { deliberateDifferences } from "./deliberate-differences.ts"

/** The rows of the first table below a heading, cell by cell, without its head. */
function tableBelow(heading: string, markdown: string): string[][] {
  const section = markdown.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? ""
  const lines = section.split("\n").filter((line) => line.startsWith("|"))
  return lines.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  )
}

test("[OR12] docs/from-java.md lists the deliberate differences, word for word, and no others", () => {
  const markdown = readFileSync(new URL("../../../docs/from-java.md", import.meta.url), "utf8")
  assert.deepEqual(
    tableBelow("Deliberate differences", markdown),
    deliberateDifferences.map(({ id, java, here }) => [id, java, here]),
  )
})
