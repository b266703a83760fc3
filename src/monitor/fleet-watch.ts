import { runtime } from "#host/runtime/clock"
import type { Fleet, FleetCounts, NodeRecord } from "../executor/fleet-records.ts"
import { liveFleets, titleOfFleet } from "../executor/live-fleets.ts"
import { propertyOf } from "../user-values.ts"
import { cut } from "./brevity.ts"
import type { FleetLine, NodeLine } from "./wire.ts"

/** How often a server is asked, in ms. */
const INTERVAL = 2000
/** How many nodes of an executor are listed. */
const MOST_NODES = 100

interface Known {
  counts: FleetCounts | undefined
  nodes: readonly NodeLine[]
  moreNodes: number
  problem: string | undefined
  /** When the server was last asked. */
  askedAt: number
  isAsked: boolean
}

/**
 * The state of the distributed executors, for the monitor. It asks their servers only while the monitor has a client,
 * once for all clients, and one question at a time.
 */
export class FleetWatch {
  readonly #given: readonly (readonly [name: string, fleet: Fleet])[] | undefined
  readonly #known = new WeakMap<Fleet, Known>()

  /** `given` are the executors to show; undefined for all of this thread. */
  constructor(given: readonly (readonly [name: string, fleet: Fleet])[] | undefined) {
    this.#given = given
  }

  lines(): FleetLine[] {
    const shown =
      this.#given ??
      liveFleets()
        .filter((fleet) => !fleet.isTerminated)
        .map((fleet) => [titleOfFleet(fleet)?.name ?? "", fleet] as const)
    return shown.map(([name, fleet]) => this.#line(name, fleet))
  }

  #line(name: string, fleet: Fleet): FleetLine {
    const known = this.#knownOf(fleet)
    if (!known.isAsked && !fleet.isTerminated && runtime.wallTime() - known.askedAt >= INTERVAL) {
      void this.#ask(fleet, known)
    }
    const { counts, nodes, moreNodes, problem } = known
    return {
      name: cut(name),
      engine: cut(titleOfFleet(fleet)?.engine ?? ""),
      state: fleet.isTerminated ? "terminated" : fleet.isShutdown ? "shutting down" : "running",
      outstanding: counts?.outstanding ?? 0,
      nodes,
      moreNodes,
      ...(counts === undefined ? {} : { counts }),
      ...(problem === undefined ? {} : { problem }),
    }
  }

  #knownOf(fleet: Fleet): Known {
    let known = this.#known.get(fleet)
    if (known === undefined) {
      known = { counts: undefined, nodes: [], moreNodes: 0, problem: undefined, askedAt: 0, isAsked: false }
      this.#known.set(fleet, known)
    }
    return known
  }

  async #ask(fleet: Fleet, known: Known): Promise<void> {
    known.isAsked = true
    known.askedAt = runtime.wallTime()
    try {
      const [counts, nodes] = await Promise.all([fleet.stats(), fleet.nodes()])
      // By the clock of the server, which no clock of this machine need agree with.
      const now = nodes.reduce((latest, { seenAt }) => Math.max(latest, seenAt), 0)
      known.counts = counts
      known.nodes = nodes.slice(0, MOST_NODES).map((node) => nodeLine(node, now))
      known.moreNodes = Math.max(0, nodes.length - MOST_NODES)
      known.problem = undefined
    } catch (error) {
      // Not its message, which might name more of the server than a reader of the page should know.
      const name = propertyOf(error, "name")
      known.problem = `the server does not answer${typeof name === "string" ? ` (${name.slice(0, 100)})` : ""}`
    } finally {
      known.isAsked = false
    }
  }
}

function nodeLine(node: NodeRecord, now: number): NodeLine {
  const { id, name, host, pid, concurrency, running, isDraining, startedAt, seenAt } = node
  return {
    id,
    name: cut(name),
    host: cut(host),
    pid,
    concurrency,
    running,
    isDraining,
    age: now - startedAt,
    silence: now - seenAt,
  }
}
