/** The contract of the family, for queues that have taken on their shared form. Rule ids are those of docs/spec/queue.md. */
import {
  ArrayBlockingQueue,
  DelayQueue,
  LinkedBlockingDeque,
  LinkedBlockingQueue,
  LinkedTransferQueue,
  PriorityBlockingQueue,
  SynchronousQueue,
} from "corepool"
import { blockingQueueContract, handOffOnlyContract } from "../../contract/blocking-queue.ts"
import { shared } from "./support.ts"

const notices = { put: true, timedOffer: true, take: true, timedPoll: true }
const numbers = { element: (n: number) => n, numberOf: (e: number) => e, isOrdered: true, isShared: true } as const

blockingQueueContract<number>({
  ...numbers,
  name: "shared ArrayBlockingQueue",
  create: (capacity) => shared(new ArrayBlockingQueue(capacity)),
  isBounded: true,
  noticesInterrupt: notices,
  noun: "Queue",
})

blockingQueueContract<number>({
  ...numbers,
  name: "shared LinkedBlockingQueue",
  create: (capacity) => shared(new LinkedBlockingQueue(capacity)),
  isBounded: true,
  noticesInterrupt: notices,
  noun: "Queue",
})

blockingQueueContract<number>({
  ...numbers,
  name: "LinkedBlockingDeque from a handle",
  create: (capacity) => LinkedBlockingDeque.from(new LinkedBlockingDeque<number>(capacity)),
  isBounded: true,
  noticesInterrupt: { ...notices, put: false, take: false },
  noun: "Deque",
})

blockingQueueContract<number>({
  ...numbers,
  name: "shared LinkedTransferQueue",
  create: () => shared(new LinkedTransferQueue()),
  isBounded: false,
  noticesInterrupt: { put: false, timedOffer: false, take: false, timedPoll: false },
  noun: "Queue",
})

for (const fair of [false, true]) {
  handOffOnlyContract<number>({
    ...numbers,
    name: fair ? "shared fair SynchronousQueue" : "shared SynchronousQueue",
    create: () => shared(new SynchronousQueue({ fair })),
    isBounded: false,
    noticesInterrupt: { put: false, timedOffer: false, take: false, timedPoll: false },
    noun: "Queue",
  })
}

const onlyTakes = { put: false, timedOffer: false, take: true, timedPoll: true }

blockingQueueContract<number>({
  ...numbers,
  name: "shared PriorityBlockingQueue",
  create: () => shared(new PriorityBlockingQueue()),
  isBounded: false,
  isOrdered: false,
  noticesInterrupt: onlyTakes,
  noun: "Queue",
})

blockingQueueContract<{ n: number; delay: number }>({
  name: "shared DelayQueue",
  create: () => shared(new DelayQueue()),
  element: (n) => ({ n, delay: 0 }),
  numberOf: ({ n }) => n,
  isBounded: false,
  isOrdered: false,
  isShared: true,
  noticesInterrupt: onlyTakes,
  noun: "Queue",
})
