/** Small repositories with a seeded mistake, for the tests of the checks. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { TestContext } from "node:test"
import { fileURLToPath } from "node:url"
import type { Finding } from "../../tools/check/finding.ts"

/** The root of this repository. */
export const ROOT: string = fileURLToPath(new URL("../../..", import.meta.url))

/** Writes the files into a new folder, which is gone after the test, and returns its path. */
export function repository(t: TestContext, files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), "corepool-check-"))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

/** The same, where the packages installed here can be imported. */
export function repositoryWithPackages(t: TestContext, files: Readonly<Record<string, string>>): string {
  const root = repository(t, files)
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"))
  return root
}

/** One line per finding, to compare at a glance. */
export function told(findings: readonly Finding[]): string[] {
  return findings.map(({ where, what, warning }) => `${where} ${warning === true ? "(warning) " : ""}${what}`)
}
