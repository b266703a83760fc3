/**
 * The contract of the BlockingQueue family, registered once for each kind: docs/spec/queue.md, rules BQ.
 *
 * Elements are inserted with ascending numbers, so that the order of insertion is the order of a priority or delay
 * queue too.
 */
import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { bulk } from "./blocking-queue/bulk.ts"
import { closing } from "./blocking-queue/closing.ts"
import { whenFull } from "./blocking-queue/full.ts"
import { givingUp } from "./blocking-queue/giving-up.ts"
import { handingOver } from "./blocking-queue/handing-over.ts"
import { holding } from "./blocking-queue/holding.ts"
import type { QueueKind } from "./blocking-queue/kind.ts"
import { looking } from "./blocking-queue/looking.ts"
import { receiving } from "./blocking-queue/receiving.ts"
import { refusing } from "./blocking-queue/refusing.ts"

/** For kinds that hold elements. */
export function blockingQueueContract<E>(kind: QueueKind<E>): void {
  describe(`${kind.name} as a BlockingQueue`, () => {
    forEveryKind(kind)
    holding(kind)
    bulk(kind)
    looking(kind)
    if (kind.isBounded) whenFull(kind)
    else neverFull(kind)
  })
}

/** For SynchronousQueue, which never holds anything: only what two parties can do who wait for each other. */
export function handOffOnlyContract<E>(kind: QueueKind<E>): void {
  describe(`${kind.name} as a BlockingQueue`, () => forEveryKind(kind))
}

function forEveryKind<E>(kind: QueueKind<E>): void {
  handingOver(kind)
  givingUp(kind)
  // A pool's threads are told at once, which another thread cannot do. No pool has such a queue.
  if (kind.isRemote !== true) receiving(kind)
  refusing(kind)
  closing(kind)
}

/** What holds where there is no limit. */
function neverFull<E>({ create, element, numberOf }: QueueKind<E>): void {
  test("[BQ3][BQ4] putting never waits where there is no limit", async () => {
    const queue = create(1)
    for (let n = 1; n <= 100; n++) {
      await queue.put(element(n))
      assert.equal(await queue.offer(element(100 + n), 0), true)
    }
    assert.equal(queue.size, 200)
    assert.equal(numberOf(queue.peek() as E), 1)
  })
}
