/**
 * Code that can stand between the quotes of String.raw`…` as it is. Published files of code are such texts (text-files.ts): a bundler does not change a string, and who reads the
 * file has the code without having to take the string apart.
 *
 * Neither a backtick nor `${` may be in it. A minifier writes most strings with backticks. They get other quotes here, and what has expressions in it becomes a call
 * of `concat`, which makes strings of them in the same way.
 */
import { parseSync, Visitor } from "oxc-parser"
import { type Edit, edited } from "./edit.ts"

/** The text of a script, without a backtick. */
export function rawText(name: string, code: string): string {
  const { program, errors } = parseSync(name, code, { sourceType: "script" })
  if (errors.length > 0) throw new Error(`${name}: ${errors[0]?.message}`)
  const edits: Edit[] = []
  const raw = new Set<number>()
  new Visitor({
    TaggedTemplateExpression({ start, tag, quasi }) {
      if (!code.slice(tag.start, tag.end).endsWith(".raw"))
        // of String, which may have another name
        throw new Error(`${name}: a tagged template cannot be in a published text`)
      raw.add(quasi.start)
      edits.push({ start, end: quasi.start, text: "" })
    },
    TemplateLiteral({ start, end, quasis, expressions }) {
      const strings = quasis.map(({ value }) => (raw.has(start) ? value.raw : (value.cooked ?? "")))
      if (expressions.length === 0) {
        edits.push({ start, end, text: quoted(strings[0] ?? "") })
        return
      }
      strings.forEach((string, at) => {
        const before = at === 0 ? start : (expressions[at - 1]?.end ?? start)
        const after = expressions[at]?.start ?? end
        const own = string === "" ? "" : quoted(string)
        const [head, tail] = [own === "" ? "" : `,${own}`, at === expressions.length ? ")" : ","]
        edits.push({ start: before, end: after, text: at === 0 ? `${quoted(string)}.concat(` : `${head}${tail}` })
      })
    },
    Literal({ start, end }) {
      const text = code.slice(start, end)
      const plain = text.replaceAll("${", "$\\x7b").replaceAll(/\\?`/g, "\\x60")
      if (plain !== text) edits.push({ start, end, text: plain })
    },
  }).visit(program)
  const text = edited(code, edits).replaceAll("${", "$ {") // what is left of these is `class extends $ {`
  if (text.includes("`")) throw new Error(`${name}: a backtick is left`)
  return text
}

function quoted(string: string): string {
  return JSON.stringify(string)
    .replaceAll("`", "\\x60")
    .replaceAll("${", "$\\x7b")
    .replaceAll(/[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`)
}
