/** What users see in their editors is documented, [RP63] and [RP65] in docs/spec/repository.md, and written down, [RP66]. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Declarations, TYPES } from "../api/declarations.ts"
import { undocumented, withoutExample } from "../api/documentation.ts"
import { apiReport, REPORT } from "../api/report.ts"
import { readText } from "./files.ts"
import type { Finding } from "./finding.ts"

export function checkDocumentation(root: string): Finding[] {
  if (!existsSync(join(root, TYPES))) return [{ where: TYPES, what: "is missing: npm run build" }]
  const declarations = new Declarations(root)
  return [
    ...undocumented(declarations).map(({ name, line }) => ({
      where: `${TYPES}:${line}`,
      what: `${name} has no comment`,
    })),
    ...withoutExample(root).map((name) => ({ where: "src", what: `${name} has no @example` })),
  ]
}

/** [RP66] */
export async function checkApiReport(root: string): Promise<Finding[]> {
  if (!existsSync(join(root, TYPES))) return [{ where: TYPES, what: "is missing: npm run build" }]
  const written = existsSync(join(root, REPORT)) ? readText(root, REPORT) : ""
  if (written === (await apiReport(root))) return []
  return [{ where: REPORT, what: "is out of date: `npm run api` writes it. Look at what has changed" }]
}
