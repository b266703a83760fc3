/**
 * The numbered rules of docs/spec and the tests that name them, both ways round: [RP6] to [RP9] in
 * docs/spec/repository.md.
 */
import { listFiles, readText } from "./files.ts"
import type { Finding } from "./finding.ts"
import { splitMarkdown } from "./markdown.ts"
import { Source } from "./source.ts"

export interface Rule {
  readonly id: string
  /** `docs/spec/pool.md:12` */
  readonly where: string
}

const RULE = /^- \*\*([A-Z]{2,4}\d{1,3})\*\* \S/
/** Anything that a reader would take for a rule. */
const RULE_LIKE = /^\s*[-*+] +\*\*[A-Z]+[- ]?\d+/
const CITATION = /\[([A-Z]{2,4}\d{1,3})\]/g

/** The rules cited in a text, such as the title of a test: `[AB1][AB2] …` */
export function citedIn(text: string): string[] {
  return [...text.matchAll(CITATION)].map((match) => match[1] ?? "")
}

/** Every rule of docs/spec in order, also those told twice, and the lines that only look like one. */
export function readRules(root: string): { rules: Rule[]; malformed: string[] } {
  const rules: Rule[] = []
  const malformed: string[] = []
  for (const path of listFiles(root, "docs/spec", ".md")) {
    for (const { number, text } of splitMarkdown(readText(root, path)).prose) {
      const where = `${path}:${number}`
      const id = RULE.exec(text)?.[1]
      if (id !== undefined) rules.push({ id, where })
      else if (RULE_LIKE.test(text)) malformed.push(where)
    }
  }
  return { rules, malformed }
}

export function checkSpec(root: string): Finding[] {
  const { rules, malformed } = readRules(root)
  const findings: Finding[] = malformed.map((where) => ({ where, what: "not in the form `- **AB1** text`" }))
  const known = new Map<string, Rule>()
  for (const rule of rules) {
    const first = known.get(rule.id)
    if (first === undefined) known.set(rule.id, rule)
    else findings.push({ where: rule.where, what: `${rule.id} is taken: see ${first.where}` })
  }

  const tested = new Set<string>()
  for (const path of listFiles(root, "test", ".ts")) {
    for (const { line, title, mark } of new Source(root, path).tests()) {
      const where = `${path}:${line}`
      const ids = citedIn(title ?? "")
      if (title === undefined)
        findings.push({ where, what: "the title is computed: write the rules it names in the call" })
      else if (ids.length === 0) findings.push({ where, what: `the title names no rule: ${title}` })
      if (mark !== undefined) findings.push({ where, what: `\`${mark}\` without a reason` })
      for (const id of ids) {
        if (!known.has(id)) findings.push({ where, what: `names [${id}], which is in no file of docs/spec` })
        else if (mark === undefined) tested.add(id)
      }
    }
  }
  for (const rule of known.values()) {
    if (!tested.has(rule.id)) findings.push({ where: rule.where, what: `${rule.id} has no test` })
  }
  return findings
}
