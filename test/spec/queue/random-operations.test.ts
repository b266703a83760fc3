/** Rule ids are those of docs/spec/queue.md. */
import {
  ArrayBlockingQueue,
  DelayQueue,
  LinkedBlockingDeque,
  LinkedBlockingQueue,
  LinkedTransferQueue,
  PriorityBlockingQueue,
  SynchronousQueue,
} from "corepool"
import { test } from "node:test"
import { BoundedModel, DelayModel, SynchronousModel, UnboundedModel } from "./models.ts"
import { behavesAs } from "./random-operations.ts"

test("[BQ60][BQ21][BQ22] ArrayBlockingQueue behaves as its model", () =>
  behavesAs(() => ({ queue: new ArrayBlockingQueue(3), model: new BoundedModel(3, false) })))

test("[BQ60][BQ21][BQ22] LinkedBlockingQueue behaves as its model", () =>
  behavesAs(() => ({ queue: new LinkedBlockingQueue(3), model: new BoundedModel(3) })))

test("[BQ60][LQ1] LinkedBlockingQueue without a limit behaves as its model", () =>
  behavesAs(() => ({ queue: new LinkedBlockingQueue(), model: new BoundedModel(Infinity) })))

test("[BQ60][LD9] LinkedBlockingDeque behaves as its model", () =>
  behavesAs(() => ({ queue: new LinkedBlockingDeque(3), model: new BoundedModel(3) })))

test("[BQ60][SQ5] fair SynchronousQueue behaves as its model", () =>
  behavesAs(() => ({ queue: new SynchronousQueue({ fair: true }), model: new SynchronousModel(true) })))

test("[BQ60][SQ6] SynchronousQueue behaves as its model", () =>
  behavesAs(() => ({ queue: new SynchronousQueue(), model: new SynchronousModel(false) })))

test("[BQ60][PQ1][PQ3] PriorityBlockingQueue behaves as its model", () =>
  behavesAs(() => ({
    queue: new PriorityBlockingQueue(),
    model: new UnboundedModel((a, b) => a.compareTo(b)),
  })))

test("[BQ60][DQ1][DQ8] DelayQueue behaves as its model", () =>
  behavesAs(() => ({ queue: new DelayQueue(), model: new DelayModel() })))

test("[BQ60][LT3][LT6][LT7] LinkedTransferQueue behaves as its model", () =>
  behavesAs(() => ({ queue: new LinkedTransferQueue(), model: new UnboundedModel() })))
