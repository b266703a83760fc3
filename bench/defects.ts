/**
 * `npm run bench -- defects`: what goes wrong in other pools (docs/spec/peers.md), tried on the versions installed here, and the
 * same setups on corepool. Each in a process of its own, which is killed if it does not answer.
 */
import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import { otherDefects } from "./defects-others.ts"
import type { PeerDefect, Verdict } from "./defects-peer.ts"
import { piscinaDefects } from "./defects-piscina.ts"
import { rivalVersions } from "./rivals.ts"

const CHILD = fileURLToPath(new URL("./defects-child.js", import.meta.url))

/** For all parts of a setup together, with all that it waits for in vain. */
const PATIENCE = 30_000

export const peerDefects: readonly PeerDefect[] = [...piscinaDefects, ...otherDefects].sort(
  (a, b) => a.number - b.number,
)

function tryOut(number: number, peer: string): Promise<Verdict> {
  return new Promise((resolve) => {
    // What peers print about their dead threads is theirs.
    const child = fork(CHILD, [String(number), peer], { stdio: ["ignore", "ignore", "pipe", "ipc"] })
    let complaint = ""
    child.stderr?.on("data", (chunk: Buffer) => (complaint += chunk.toString()))
    const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE)
    child.once("message", (verdict: Verdict) => {
      child.removeAllListeners("exit")
      clearTimeout(timer)
      resolve(verdict)
    })
    child.once("exit", (code, signal) => {
      clearTimeout(timer)
      const why = /^\w*Error: .*/m.exec(complaint)?.[0] ?? ""
      resolve({ reproduced: undefined, seen: `the process ended (${signal ?? code}) ${why}`.trim() })
    })
  })
}

export async function runDefects(): Promise<void> {
  const versions = rivalVersions()
  const ours = new Map<number, Verdict>()
  console.log("\n## Defects of other pools, on the versions installed here\n")
  console.log("| # | peer | setup | peer shows it | what is seen | corepool |\n| --- | --- | --- | --- | --- | --- |")
  for (const { number, peer, setup } of peerDefects) {
    const theirs = await tryOut(number, peer)
    const our = ours.get(number) ?? (await tryOut(number, "corepool"))
    ours.set(number, our)
    const cells = [
      number,
      `${peer} ${versions[peer] ?? ""}`,
      setup,
      theirs.reproduced === undefined ? "no verdict" : theirs.reproduced ? "yes" : "no",
      theirs.seen,
      our.reproduced === false ? "passes" : `FAILS: ${our.seen}`,
    ]
    console.log(`| ${cells.map((cell) => String(cell).replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`)
  }
  if ([...ours.values()].some(({ reproduced }) => reproduced !== false)) process.exitCode = 1
}
