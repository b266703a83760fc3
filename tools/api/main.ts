/** `npm run api`: writes the API report. */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { apiReport, REPORT } from "./report.ts"

const text = await apiReport(process.cwd())
mkdirSync(dirname(REPORT), { recursive: true })
writeFileSync(REPORT, text)
console.log(REPORT)
