/** The kinds of synchronizers in suite sync. */
import { type JsonObject, ScenarioError, string } from "../../json.ts"
import { CountDownLatchSubject } from "./count-down-latch.ts"
import { CyclicBarrierSubject } from "./cyclic-barrier.ts"
import { ReadWriteLockSubject } from "./read-write-lock.ts"
import { ReentrantLockSubject } from "./reentrant-lock.ts"
import { SemaphoreSubject } from "./semaphore.ts"
import type { Posted, Subject } from "./subject.ts"

interface Kind {
  make(setup: JsonObject): Subject
  open(posted: Posted): Subject
}

const kinds: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ["Semaphore", SemaphoreSubject],
  ["ReentrantLock", ReentrantLockSubject],
  ["ReentrantReadWriteLock", ReadWriteLockSubject],
  ["CountDownLatch", CountDownLatchSubject],
  ["CyclicBarrier", CyclicBarrierSubject],
])

function kindOf(setup: JsonObject): Kind {
  const kind = kinds.get(string(setup, "sync"))
  if (kind === undefined) throw new ScenarioError(`No such synchronizer: ${JSON.stringify(setup)}`)
  return kind
}

/** A new synchronizer. */
export function makeSubject(setup: JsonObject): Subject {
  return kindOf(setup).make(setup)
}

/** The one that another thread has made and posted. */
export function openSubject(posted: Posted): Subject {
  return kindOf(posted.setup).open(posted)
}
