/** The little of Markdown that the checks need: prose apart from fenced code, headings, links. */

export interface Line {
  readonly number: number
  readonly text: string
}

export interface Fence {
  /** The line of the opening marks. */
  readonly line: number
  /** The word after the opening marks: the language. */
  readonly language: string
  readonly code: string
}

const FENCE = /^\s*(`{3,}|~{3,})\s*(\S*)/

/** Splits a document into the lines of its prose and its fenced blocks. An unclosed fence runs to the end. */
export function splitMarkdown(text: string): { prose: Line[]; fences: Fence[] } {
  const prose: Line[] = []
  const fences: Fence[] = []
  let open: { line: number; marks: string; language: string; code: string[] } | undefined
  const close = (): void => {
    if (open !== undefined) fences.push({ line: open.line, language: open.language, code: open.code.join("\n") })
    open = undefined
  }
  for (const [index, line] of text.split("\n").entries()) {
    const [, marks, language] = FENCE.exec(line) ?? []
    if (open === undefined) {
      if (marks === undefined) prose.push({ number: index + 1, text: line })
      else open = { line: index + 1, marks, language: language ?? "", code: [] }
    } else if (marks?.startsWith(open.marks) === true && language === "") {
      close()
    } else {
      open.code.push(line)
    }
  }
  close()
  return { prose, fences }
}

export function withoutInlineCode(text: string): string {
  return text.replaceAll(/(`+)[^`]+\1/g, "")
}

/** What a line links to: `[text](target)`, images, and `[label]: target`. */
export function linkTargets(line: string): string[] {
  const text = withoutInlineCode(line)
  const inline = [...text.matchAll(/\]\(\s*<?([^)\s>]+)/g)].map((match) => match[1] ?? "")
  const reference = /^\s*\[[^\]]+\]:\s+<?([^\s>]+)/.exec(text)?.[1]
  return reference === undefined ? inline : [...inline, reference]
}

/** The anchors of a document, as GitHub makes them from headings, and those set by hand with `<a id="…">`. */
export function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>()
  for (const line of splitMarkdown(text).prose) {
    for (const match of line.text.matchAll(/<a\s+(?:id|name)="([^"]+)"/g)) anchors.add(match[1] ?? "")
    const heading = /^#{1,6}\s+(.+?)\s*#*$/.exec(line.text)?.[1]
    if (heading === undefined) continue
    const slug = slugOf(heading)
    let unique = slug
    for (let n = 1; anchors.has(unique); n++) unique = `${slug}-${n}`
    anchors.add(unique)
  }
  return anchors
}

function slugOf(heading: string): string {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-")
}
