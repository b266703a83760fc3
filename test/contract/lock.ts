/**
 * The contract of the `Lock` interface, registered once for each kind of lock: docs/spec/lock.md, rules LC.
 *
 * "Held" means: by a task that has the blocker, so that nobody else can have the lock.
 */
import { describe } from "node:test"
import { blocking } from "./lock/blocking.ts"
import { givingUp } from "./lock/giving-up.ts"
import { guarding } from "./lock/guarding.ts"
import type { LockKind } from "./lock/kind.ts"
import { locking } from "./lock/locking.ts"
import { owning } from "./lock/owning.ts"

export function lockContract(kind: LockKind): void {
  describe(`${kind.name} as a Lock`, () => {
    locking(kind)
    givingUp(kind)
    guarding(kind)
    owning(kind)
    blocking(kind)
  })
}
