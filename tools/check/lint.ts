/** oxlint with type information, as `.oxlintrc.json` says: [RP15] in docs/spec/repository.md. */
import { binOf, runTool, saidBy } from "./run.ts"
import type { Finding } from "./finding.ts"

interface Report {
  readonly diagnostics: readonly {
    readonly message: string
    readonly code?: string
    readonly help?: string
    readonly filename: string
    readonly labels: readonly { readonly span: { readonly line: number } }[]
  }[]
}

export async function checkLint(root: string): Promise<Finding[]> {
  const outcome = await runTool("oxlint", ["--format", "json"], {
    cwd: root,
    env: { OXLINT_TSGOLINT_PATH: binOf("oxlint-tsgolint", "tsgolint") },
  })
  const findings = parse(outcome.stdout)?.diagnostics.map((found): Finding => {
    const line = found.labels[0]?.span.line
    const help = found.help === undefined ? "" : ` (${found.help})`
    return {
      where: line === undefined ? found.filename : `${found.filename}:${line}`,
      what: `${found.code ?? "oxlint"}: ${found.message}${help}`,
    }
  })
  // Half a run, such as without type information, must not pass for a clean one.
  if (findings === undefined || (outcome.code !== 0 && findings.length === 0)) {
    return [{ where: ".", what: `oxlint: ${saidBy(outcome)}` }]
  }
  return findings
}

function parse(text: string): Report | undefined {
  try {
    return JSON.parse(text) as Report
  } catch {
    return undefined // what it printed instead is told as a finding
  }
}
