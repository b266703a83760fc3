/** Runs the TypeScript compiler and turns its messages into findings. */
import { isAbsolute, relative, sep } from "node:path"
import type { Finding } from "./finding.ts"
import { type Outcome, runTool, saidBy } from "./run.ts"

/** `src/a.ts(3,7): error TS2304: Cannot find name 'x'.`; deeper lines explain the one before. */
const MESSAGE = /^(.+?)\((\d+),\d+\): (?:error|warning) (TS\d+: .*)$/

/**
 * Compiles in `cwd`; places are told relative to it. A compiler that fails without a message is a finding of its own.
 */
export async function compile(cwd: string, args: readonly string[]): Promise<Finding[]> {
  return messagesOf(await runTool("typescript", [...args, "--pretty", "false"], { cwd }, "tsc"), cwd)
}

/** What a compiler that was run in `cwd` has said. */
export function messagesOf(outcome: Outcome, cwd: string): Finding[] {
  const findings: Finding[] = []
  for (const line of outcome.stdout.split("\n")) {
    const [, file, at, what] = MESSAGE.exec(line) ?? []
    if (file === undefined || what === undefined) continue
    const path = isAbsolute(file) ? relative(cwd, file) : file
    findings.push({ where: `${path.split(sep).join("/")}:${at}`, what })
  }
  if (outcome.code !== 0 && findings.length === 0) findings.push({ where: ".", what: `tsc: ${saidBy(outcome)}` })
  return findings
}

/** The whole program compiles, type tests with their `@ts-expect-error` included. [RP14] */
export function checkTypes(root: string): Promise<Finding[]> {
  return compile(root, ["-b"])
}
