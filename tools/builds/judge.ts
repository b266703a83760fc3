/** What a program has printed, held against what it should have. */
import { type Case, type Kind, KINDS, RESULTS } from "./cases.ts"

export type Verdict = "ok" | "cannot" | "FAIL"

export interface Judged {
  readonly verdicts: Readonly<Record<Kind, Verdict>>
  /** What is wrong, if anything is. */
  readonly complaints: readonly string[]
}

/** `printed` is all that the program has printed, by lines such as `module: 42` among others. */
export function judge({ limit }: Case, printed: string): Judged {
  const complaints: string[] = []
  const verdictOn = (kind: Kind): Verdict => {
    const said = new RegExp(`^\\s*${kind}: (?<result>.*)$`, "m").exec(printed)?.groups?.["result"]?.trim()
    const isRight = said === RESULTS[kind]
    if (limit?.kinds.includes(kind) !== true) {
      if (isRight) return "ok"
      complaints.push(`${kind}: expected ${RESULTS[kind]}, got ${said ?? "nothing"}`)
    } else if (isRight) complaints.push(`${kind}: works, and is listed as what it cannot do: take it off the list`)
    else if (limit.error.test(said ?? printed)) return "cannot"
    else complaints.push(`${kind}: fails with another error than the one listed: ${said ?? "nothing"}`)
    return "FAIL"
  }
  const verdicts = Object.fromEntries(KINDS.map((kind) => [kind, verdictOn(kind)])) as Record<Kind, Verdict>
  return { verdicts, complaints: complaints.length === 0 ? [] : [...complaints, printed.trim()] }
}

/** A program that could not be built, or not be run. */
export function failed(error: unknown): Judged {
  const verdicts = Object.fromEntries(KINDS.map((kind) => [kind, "FAIL"])) as Record<Kind, Verdict>
  return { verdicts, complaints: [error instanceof Error ? error.message : String(error)] }
}
