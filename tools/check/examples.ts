/**
 * The examples run and print what they say: [RP17] in docs/spec/repository.md. The expectation stands where a
 * reader looks for it, at the end of the source:
 *
 *     // Output:
 *     // 78498
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { listFiles, readText } from "./files.ts"
import type { Finding } from "./finding.ts"
import { runNode, saidBy } from "./run.ts"

/** Far above what an example needs; it only keeps one that hangs from holding up the check for ever. */
const TIME_LIMIT = 60_000

export async function checkExamples(root: string): Promise<Finding[]> {
  // Folders below hold what examples share, for instance the modules of their tasks.
  const examples = listFiles(root, "examples", ".ts").filter((path) => path.split("/").length === 2)
  const findings: Finding[] = []
  for (const path of examples) findings.push(...(await checkExample(root, path)))
  return findings
}

async function checkExample(root: string, where: string): Promise<Finding[]> {
  const expected = expectedOutput(readText(root, where))
  if (expected === undefined) return [{ where, what: "does not end in a comment `// Output:` with what it prints" }]
  const built = join("build", where.replace(/\.ts$/, ".js"))
  if (!existsSync(join(root, built))) return [{ where, what: `${built} is missing: npm run build` }]

  const outcome = await runNode(["--enable-source-maps", "--conditions=shipped", built], {
    cwd: root,
    timeout: TIME_LIMIT,
  })
  if (outcome.code !== 0) return [{ where, what: saidBy(outcome) }]
  const printed = trimLines(outcome.stdout)
  if (printed === expected) return []
  return [{ where, what: `printed\n${printed}\ninstead of\n${expected}` }]
}

/** The text of the comment that ends the source, after its line `// Output:`. */
export function expectedOutput(source: string): string | undefined {
  const lines = source.trimEnd().split("\n")
  const start = lines.lastIndexOf("// Output:")
  if (start === -1) return undefined
  const block = lines.slice(start + 1)
  if (!block.every((line) => line.startsWith("//"))) return undefined
  return trimLines(block.map((line) => line.replace(/^\/\/ ?/, "")).join("\n"))
}

function trimLines(text: string): string {
  return text.replaceAll(/[ \t]+$/gm, "").trimEnd()
}
