/** The process of one setup: `defects-child.js <number> <peer>`, or `defects-child.js <number> corepool`. Answers with a Verdict. */
import type { Verdict } from "./defects-peer.ts"
import { peerDefects } from "./defects.ts"

const [number, peer] = [Number(process.argv[2]), process.argv[3]]

/** The same setup, with worker threads of corepool; it is not loaded where a peer is tried. */
async function tryCorepool(): Promise<Verdict> {
  const { setups } = await import("../test/defects/setups.ts")
  const { withPlatformPools } = await import("./defects-corepool.ts")
  const failures: string[] = []
  for (const setup of setups.filter(({ defect }) => defect === number)) {
    try {
      await withPlatformPools((newPool) => setup.run(newPool))
    } catch (error) {
      failures.push(`${setup.title}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return { reproduced: failures.length > 0, seen: failures.length > 0 ? failures.join("; ") : "as it should be" }
}

async function verdict(): Promise<Verdict> {
  if (peer === "corepool") return tryCorepool()
  const defect = peerDefects.find((one) => one.number === number && one.peer === peer)
  if (defect === undefined) throw new Error(`There is no defect ${number} of ${peer}`)
  return defect.reproduce()
}

// Some peers let an error escape that has nothing to do with the question; what the setup itself throws is told.
process.on("uncaughtException", () => undefined)
process.on("unhandledRejection", () => undefined)
const answer = await verdict().catch((error: unknown) => ({
  reproduced: undefined,
  seen: `the setup failed: ${error}`,
}))
process.send?.(answer, () => process.exit())
