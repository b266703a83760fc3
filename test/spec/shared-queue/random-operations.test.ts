/**
 * Random operations on queues that are shared at a random moment: with elements inside, and with flows waiting. Rule ids are
 * those of docs/spec/queue.md and docs/spec/shared-queue.md.
 */
import {
  DelayQueue,
  LinkedBlockingDeque,
  LinkedBlockingQueue,
  LinkedTransferQueue,
  PriorityBlockingQueue,
  SynchronousQueue,
} from "corepool"
import { test } from "node:test"
import { BoundedModel, Item, SharedDelayModel, SynchronousModel, UnboundedModel } from "../queue/models.ts"
import { behavesAs } from "../queue/random-operations.ts"
import { shared } from "./support.ts"

const isShared = true

test("[BQ60][TQ4][TQ5] LinkedBlockingQueue behaves as its model also when it is shared", () =>
  behavesAs(() => ({ queue: new LinkedBlockingQueue(3), model: new BoundedModel(3), isShared })))

test("[BQ60][TQ4][TQ5] LinkedBlockingDeque behaves as its model also when it is shared", () =>
  behavesAs(() => ({ queue: new LinkedBlockingDeque(3), model: new BoundedModel(3), isShared })))

test("[BQ60][TQ4][TQ5] fair SynchronousQueue behaves as its model also when it is shared", () =>
  behavesAs(() => ({ queue: new SynchronousQueue({ fair: true }), model: new SynchronousModel(true), isShared })))

test("[BQ60][TQ4][TQ5] SynchronousQueue behaves as its model also when it is shared", () =>
  behavesAs(() => ({ queue: new SynchronousQueue(), model: new SynchronousModel(false), isShared })))

test("[BQ60][TQ4][TQ5] LinkedTransferQueue behaves as its model also when it is shared", () =>
  behavesAs(() => ({ queue: new LinkedTransferQueue(), model: new UnboundedModel(), isShared })))

test("[BQ60][TQ4][TQ5] PriorityBlockingQueue behaves as its model also when it is shared", () =>
  behavesAs(() => ({
    queue: new PriorityBlockingQueue<Item>((a, b) => Item.prototype.compareTo.call(a, b)),
    model: new UnboundedModel((a, b) => a.compareTo(b)),
    isShared,
  })))

test("[BQ60][TQ5] DelayQueue behaves as its model when it is shared", () =>
  behavesAs(() => ({ queue: shared(new DelayQueue<Item>()), model: new SharedDelayModel(), isShared })))
