/**
 * The contract of the family, for queues of which one thread does the short operations and another one waits. Rule ids are
 * those of docs/spec/queue.md.
 */
import {
  ArrayBlockingQueue,
  DelayQueue,
  LinkedBlockingDeque,
  LinkedBlockingQueue,
  LinkedTransferQueue,
  PriorityBlockingQueue,
  SynchronousQueue,
} from "corepool"
import { after } from "node:test"
import { blockingQueueContract, handOffOnlyContract } from "../../contract/blocking-queue.ts"
import { Remote } from "./remote.ts"

const remote = new Remote()
after(() => remote[Symbol.asyncDispose]())

const notices = { put: true, timedOffer: true, take: true, timedPoll: true }
const common = { element: (n: number) => n, numberOf: (e: number) => e, isShared: true, isRemote: true } as const

blockingQueueContract<number>({
  ...common,
  name: "ArrayBlockingQueue of two threads",
  create: (capacity) => remote.reach("ArrayBlockingQueue", new ArrayBlockingQueue<number>(capacity)),
  isOrdered: true,
  isBounded: true,
  noticesInterrupt: notices,
  noun: "Queue",
})

blockingQueueContract<number>({
  ...common,
  name: "LinkedBlockingQueue of two threads",
  create: (capacity) => remote.reach("LinkedBlockingQueue", new LinkedBlockingQueue<number>(capacity)),
  isOrdered: true,
  isBounded: true,
  noticesInterrupt: notices,
  noun: "Queue",
})

blockingQueueContract<number>({
  ...common,
  name: "LinkedBlockingDeque of two threads",
  create: (capacity) => remote.reach("LinkedBlockingDeque", new LinkedBlockingDeque<number>(capacity)),
  isOrdered: true,
  isBounded: true,
  noticesInterrupt: { ...notices, put: false, take: false },
  noun: "Deque",
})

blockingQueueContract<number>({
  ...common,
  name: "LinkedTransferQueue of two threads",
  create: () => remote.reach("LinkedTransferQueue", new LinkedTransferQueue<number>()),
  isOrdered: true,
  isBounded: false,
  noticesInterrupt: { put: false, timedOffer: false, take: false, timedPoll: false },
  noun: "Queue",
})

blockingQueueContract<number>({
  ...common,
  name: "PriorityBlockingQueue of two threads",
  create: () => remote.reach("PriorityBlockingQueue", new PriorityBlockingQueue<number>()),
  isOrdered: false,
  isBounded: false,
  noticesInterrupt: { ...notices, put: false, timedOffer: false },
  noun: "Queue",
})

blockingQueueContract<{ n: number; delay: number }>({
  name: "DelayQueue of two threads",
  create: () => remote.reach("DelayQueue", new DelayQueue<{ n: number; delay: number }>()),
  element: (n) => ({ n, delay: 0 }),
  numberOf: ({ n }) => n,
  isShared: true,
  isRemote: true,
  isOrdered: false,
  isBounded: false,
  noticesInterrupt: { ...notices, put: false, timedOffer: false },
  noun: "Queue",
})

handOffOnlyContract<number>({
  ...common,
  name: "SynchronousQueue of two threads",
  create: () => remote.reach("SynchronousQueue", new SynchronousQueue<number>()),
  isOrdered: true,
  isBounded: false,
  noticesInterrupt: { put: false, timedOffer: false, take: false, timedPoll: false },
  noun: "Queue",
})
