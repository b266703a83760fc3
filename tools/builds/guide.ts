/** The tables of docs/guide/builds.md, made of the list of programs. */
import { type Case, type Kind, KINDS } from "./cases.ts"

const NAMES: Readonly<Record<string, string>> = {
  node20: "Node 20",
  node24: "Node 24",
  bun: "Bun",
  deno: "Deno",
}

/** As Markdown, unaligned: Prettier sees to that. */
export function tableOf(cases: readonly Case[], tool: string): string {
  const head = [tool, "runs on", "what to do", ...KINDS]
  const rows = cases.map((program) => [
    program.name,
    program.isPage === true ? "Chromium" : program.runtimes.map((name) => NAMES[name] ?? name).join(", "),
    program.how,
    ...KINDS.map((kind) => cell(program, kind)),
  ])
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")
}

function cell({ limit }: Case, kind: Kind): string {
  return limit?.kinds.includes(kind) === true ? "no" : "yes"
}

/** What cannot be, and what can be done instead. */
export function limitsOf(cases: readonly Case[]): string {
  return cases
    .flatMap(({ name, limit }) =>
      limit === undefined ? [] : [`- **${name}**: ${limit.reason}. Instead: ${limit.instead}.`],
    )
    .join("\n")
}

/** Without what a formatter may change: the width of columns, and where lines end. */
export function normalized(markdown: string): string {
  return markdown.replaceAll(/-{3,}/g, "---").replaceAll(/\s+/g, " ").trim()
}
