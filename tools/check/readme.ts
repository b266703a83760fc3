/** The first screen: [RP18] in docs/spec/repository.md. A reader sees code before anything else. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { readText } from "./files.ts"
import type { Finding } from "./finding.ts"
import { splitMarkdown } from "./markdown.ts"

const CODE_BY_LINE = 8
const FEWER_LINES_THAN = 150

export function checkReadme(root: string): Finding[] {
  const path = "README.md"
  if (!existsSync(join(root, path))) return [{ where: path, what: "is missing" }]
  const text = readText(root, path)
  const findings: Finding[] = []
  const first = splitMarkdown(text).fences[0]?.line
  if (first === undefined || first > CODE_BY_LINE) {
    const place = first === undefined ? "there is none" : `it is on line ${first}`
    findings.push({ where: path, what: `the first code belongs on line ${CODE_BY_LINE} or before; ${place}` })
  }
  const lines = text.trimEnd().split("\n").length
  if (lines >= FEWER_LINES_THAN)
    findings.push({ where: path, what: `${lines} lines; ${FEWER_LINES_THAN - 1} is the limit` })
  return findings
}
