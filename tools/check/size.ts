/** The length of source files: [RP13] in docs/spec/repository.md. A long file has more than one idea. */
import { listFiles, readText } from "./files.ts"
import type { Finding } from "./finding.ts"

const LONG = 300
const TOO_LONG = 400

export function checkSize(root: string): Finding[] {
  return listFiles(root, "src", ".ts").flatMap((where): Finding[] => {
    const lines = readText(root, where).replace(/\n$/, "").split("\n").length
    if (lines > TOO_LONG) return [{ where, what: `${lines} lines; ${TOO_LONG} is the limit` }]
    if (lines > LONG) return [{ where, what: `${lines} lines; past ${LONG}, look for a second idea`, warning: true }]
    return []
  })
}
