/** Writes the tables of docs/guide/builds.md anew: `node build/tools/builds/update.js && npm run format`. */
import { readFileSync, writeFileSync } from "node:fs"
import { BUNDLERS, RUNNERS } from "./cases.ts"
import { limitsOf, tableOf } from "./guide.ts"
import { PAGES } from "./pages.ts"

const GUIDE = "docs/guide/builds.md"

export function between(name: string, text: string): RegExpExecArray | null {
  return new RegExp(`(?<=<!-- ${name} -->\\n)[^]*(?=<!-- /${name} -->)`).exec(text)
}

let text = readFileSync(GUIDE, "utf8")
for (const [name, tool, cases] of [
  ["bundlers", "bundler", BUNDLERS],
  ["runners", "runner", RUNNERS],
  ["pages", "bundler", PAGES],
] as const) {
  const old = between(name, text)?.[0]
  if (old === undefined) throw new Error(`${GUIDE} has no place for ${name}`)
  text = text.replace(
    `<!-- ${name} -->\n${old}`,
    () => `<!-- ${name} -->\n\n${tableOf(cases, tool)}\n\n${limitsOf(cases)}\n\n`,
  )
}
writeFileSync(GUIDE, text)
