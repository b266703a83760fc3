/**
 * The contract of a queue engine, registered once for each kind: docs/spec/distributed-engine.md, rules QE.
 */
import { describe } from "node:test"
import { clocks } from "./queue-engine/clocks.ts"
import { jobs } from "./queue-engine/jobs.ts"
import type { EngineKind } from "./queue-engine/kind.ts"
import { listening } from "./queue-engine/listening.ts"
import { locks } from "./queue-engine/locks.ts"
import { running } from "./queue-engine/running.ts"

export type { EngineKind } from "./queue-engine/kind.ts"

export function testQueueEngine(kind: EngineKind): void {
  describe(`${kind.name} as a queue engine`, () => {
    jobs(kind)
    running(kind)
    listening(kind)
    // Most of what they do is wait for locks that run out.
    describe("locks", { concurrency: 4 }, () => {
      locks(kind)
      clocks(kind)
    })
  })
}
