/**
 * Makes the comments of the published types short enough for the package: half of a type's bytes are comments. An editor shows the beginning of a
 * contract first; the whole contract, and its examples, are in the sources and in docs/reference.
 *
 * - A comment has its first paragraph, and as many of the next ones as fit; what it says of memory effects; and its tags, except examples.
 * - A paragraph is one line: an editor breaks it as it likes.
 */
import { parseSync } from "oxc-parser"
import { type Edit, edited } from "./edit.ts"

/** How many characters of a comment are packed, in whole paragraphs. The first one is packed in any case. */
const ENOUGH = 250

/** The text of a file of types, with short comments. */
export function withPackedComments(name: string, text: string): string {
  const edits: Edit[] = []
  for (const { type, value, start, end } of parseSync(name, text, { sourceType: "module" }).comments) {
    if (type === "Block" && value.startsWith("*")) edits.push({ start, end, text: packed(value.slice(1)) })
  }
  return edited(text, edits)
}

/** A comment that has this text, without the marks around it. */
export function packed(comment: string): string {
  const paragraphs = paragraphsOf(comment)
  const kept: string[] = []
  let length = 0
  for (const paragraph of paragraphs) {
    if (paragraph.startsWith("@example")) break
    const isWanted = paragraph.startsWith("@") || paragraph.startsWith("**Memory effects.**")
    if (kept.length > 0 && !isWanted && length + paragraph.length > ENOUGH) continue
    kept.push(paragraph)
    length += paragraph.length
  }
  const [only = "", ...others] = kept
  return others.length === 0 && !only.includes("\n") ? `/** ${only} */` : `/**\n${kept.join("\n\n")}\n*/`
}

/** Lines of prose are joined; those of code, lists and tables stay, and every tag begins a line. */
function paragraphsOf(comment: string): string[] {
  const lines = comment.split("\n").map((line) => line.replace(/^\s*\* ?/, "").trimEnd())
  const text = lines.join("\n").trim()
  return text
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.replaceAll(/(?<!^ {4}.*|^\|.*)\n(?! {4}|\||- |@|```)/gm, " "))
}
