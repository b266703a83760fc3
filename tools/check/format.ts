/** Prettier: [RP16] in docs/spec/repository.md. */
import { runTool, saidBy } from "./run.ts"
import type { Finding } from "./finding.ts"

export async function checkFormat(root: string): Promise<Finding[]> {
  const args = ["--list-different", "--cache", "--cache-location", "build/prettier-cache.json", "."]
  const outcome = await runTool("prettier", args, { cwd: root })
  if (outcome.code === 0) return []
  if (outcome.code !== 1 || outcome.stderr !== "") return [{ where: ".", what: `prettier: ${saidBy(outcome)}` }]
  return outcome.stdout
    .trim()
    .split("\n")
    .map((where) => ({ where, what: "not formatted: npm run format" }))
}
