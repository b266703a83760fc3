/**
 * Sentences that need a second reading: [RP70] to [RP73] in docs/spec/repository.md.
 *
 * The subject of a sentence is a thing with a name. "Whoever waits is told" leaves the reader to find out which thread,
 * task or caller is meant; "the waiting thread gets an InterruptedError" does not. A machine cannot judge a sentence, but
 * it can count the pronouns that most often hide a subject. The counts are held to budgets that only fall.
 *
 * Counts are per part of the repository, and not per file: a file can move without a change to its budget.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { lineAt, listFiles, readText } from "./files.ts"
import type { Finding } from "./finding.ts"
import { splitMarkdown, withoutInlineCode } from "./markdown.ts"
import { Source } from "./source.ts"

export const BUDGET_FILE = "tools/check/wording-budget.json"

export const WIDEST = 120

const MEASURES = ["pronouns", "wide"] as const
type Measure = (typeof MEASURES)[number]
/** How many places of each kind a part of the repository has, or may have. */
type Budgets = Readonly<Record<string, Readonly<Record<Measure, number>>>>

interface Place {
  readonly part: string
  readonly measure: Measure
  readonly finding: Finding
}

/**
 * Pronouns that stand for something without a name. A "who" that follows its noun is fine, and so is a question. A line
 * break within a list is an indentation too, hence several spaces.
 */
const PRONOUNS: RegExp = new RegExp(
  [
    String.raw`\b(?:whoever|whomever|nobody|somebody|anybody|everybody|someone|anyone|everyone)\b`,
    String.raw`\b(?:ones?|those) +who\b`,
    String.raw`\bthe +ones? +that\b`,
    String.raw`\bwhat +(?:it|they|he) +(?:is|are|was|were) +(?:told|given|asked)\b`,
    String.raw`[;:] +who\b`,
  ].join("|"),
  "gi",
)
/** The same at the beginning of a sentence, where the capital letter tells. */
const OPENINGS = /\bWho\b(?![^.?!]*\?)|\bOnes? +that\b/g

/** Documents that are generated, and the list of changes, which tells of the past in the words of the past. */
const OTHER_DOCUMENTS = /^(?:CHANGELOG\.md$|docs\/(?:api|reference|site)\/)/

/** The text of a document or of comments, and the widest lines among its own. */
interface Prose {
  readonly text: string
  readonly wide: readonly number[]
}

export function checkWording(root: string): Finding[] {
  const budgets = readBudgets(root)
  const counts = countsIn(root)
  return [...new Set([...Object.keys(budgets), ...Object.keys(counts)])].sort().flatMap((part) =>
    MEASURES.flatMap((measure): Finding[] => {
      const allowed = budgets[part]?.[measure] ?? 0
      const count = counts[part]?.[measure] ?? 0
      if (count === allowed) return []
      const advice =
        count > allowed
          ? "To see the places: npm run check -- wording --list"
          : "To lower the budget: npm run check -- wording --lower"
      return [{ where: part, what: `${measure}: ${count}, and ${BUDGET_FILE} allows ${allowed}. ${advice}` }]
    }),
  )
}

/** Writes every count that is below its budget into the file of budgets. A budget never grows by this. */
export function lowerBudgets(root: string): void {
  const budgets = readBudgets(root)
  const counts = countsIn(root)
  const lowered = Object.entries(budgets).map(([part, budget]) => {
    const lower = (measure: Measure): number => Math.min(budget[measure], counts[part]?.[measure] ?? 0)
    return [part, { pronouns: lower("pronouns"), wide: lower("wide") }] as const
  })
  writeFileSync(join(root, BUDGET_FILE), `${JSON.stringify(Object.fromEntries(lowered), undefined, 2)}\n`)
}

function readBudgets(root: string): Budgets {
  return JSON.parse(readText(root, BUDGET_FILE)) as Budgets
}

function countsIn(root: string): Budgets {
  const counts: Record<string, Record<Measure, number>> = {}
  for (const { part, measure } of placesIn(root)) (counts[part] ??= { pronouns: 0, wide: 0 })[measure]++
  return counts
}

/** Every place that counts. */
export function listWording(root: string): Finding[] {
  return placesIn(root).map(({ finding }) => finding)
}

function placesIn(root: string): Place[] {
  const documents = listFiles(root, "", ".md").filter((path) => !OTHER_DOCUMENTS.test(path))
  return [
    ...documents.flatMap((path) => placesOf(path, proseOfDocument(readText(root, path)))),
    ...listFiles(root, "src", ".ts").flatMap((path) => placesOf(path, proseOfComments(new Source(root, path)))),
  ]
}

function placesOf(path: string, { text, wide }: Prose): Place[] {
  const part = partOf(path)
  const plain = text.replaceAll("\n", " ")
  const hidden = [...plain.matchAll(PRONOUNS), ...plain.matchAll(OPENINGS)]
  return [
    ...hidden.map((match): Place => {
      const where = `${path}:${lineAt(text, match.index)}`
      return { part, measure: "pronouns", finding: { where, what: `"${match[0]}" names nothing` } }
    }),
    ...wide.map((line): Place => {
      return { part, measure: "wide", finding: { where: `${path}:${line}`, what: `is wider than ${WIDEST}` } }
    }),
  ]
}

/** `src`, a folder of `docs`, or a file outside of these. */
function partOf(path: string): string {
  return /^(?:src|docs\/[^/]+)(?=\/)/.exec(path)?.[0] ?? path
}

/** The prose of Markdown, without fences and inline code. Tables cannot be broken into lines. */
function proseOfDocument(text: string): Prose {
  const lines = text.split("\n").map(() => "")
  const wide: number[] = []
  for (const { number, text: line } of splitMarkdown(text).prose) {
    lines[number - 1] = withoutInlineCode(line)
    if (!/^\s*\|/.test(line) && isWide(line)) wide.push(number)
  }
  return { text: lines.join("\n"), wide }
}

function proseOfComments(source: Source): Prose {
  const whole = source.text.split("\n")
  const lines = whole.map(() => "")
  const wide: number[] = []
  for (const { line, text } of source.commentLines()) {
    const comment = text.replace(/^[\s*]+/, "")
    lines[line - 1] += withoutInlineCode(comment)
    if (!comment.startsWith("|") && isWide(whole[line - 1] ?? "")) wide.push(line)
  }
  return { text: lines.join("\n"), wide }
}

/** An address cannot be broken, so it has no width. */
function isWide(line: string): boolean {
  return line.replaceAll(/\]\([^)]*\)|https?:\/\/\S+/g, "").length > WIDEST
}
