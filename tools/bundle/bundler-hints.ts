/**
 * What bundlers of users look for in the code of browsers, and what making it shorter takes away: the options of a
 * worker as plain literals (Vite refuses others), and the comments at the `import()` of modules of tasks, without which
 * webpack and Vite would look for these modules when they build.
 */
import { type Node, parseSync, Visitor } from "oxc-parser"
import { type Edit, edited } from "./edit.ts"

const LEFT_ALONE = "/* webpackIgnore: true *//* @vite-ignore */"

/** It has one worker (src/host/browser/threads/workers.ts) and one such import (src/host/browser/code/evaluation.ts). */
export function withBundlerHints(text: string): string {
  const workers: Edit[] = []
  const imports: Edit[] = []
  new Visitor({
    NewExpression({ callee, start, end }: { callee: Node; start: number; end: number }) {
      if (callee.type !== "Identifier" || callee.name !== "Worker") return
      workers.push({ start, end, text: text.slice(start, end).replaceAll("`", '"') })
    },
    ImportExpression({ source: { start } }: { source: { start: number } }) {
      imports.push({ start, end: start, text: LEFT_ALONE })
    },
  }).visit(parseSync("code.js", text, { sourceType: "module" }).program)
  if (workers.length !== 1 || imports.length !== 1) {
    throw new Error(`The code for browsers has ${workers.length} workers and ${imports.length} imports: one of each`)
  }
  return edited(text, [...workers, ...imports])
}
