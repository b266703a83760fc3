/** What the compiler knows about queues: one name, at once or with a wait, and what each gives back. */
import {
  ArrayBlockingQueue,
  type BlockingQueue,
  DelayQueue,
  LinkedBlockingQueue,
  PriorityBlockingQueue,
  type Shared,
} from "corepool"
import { typeOf } from "./same.ts"

declare const queue: BlockingQueue<string>

export async function waitingChangesTheResult(): Promise<void> {
  typeOf(queue.offer("a")).is<boolean>()
  typeOf(queue.offer("a", 100)).is<Promise<boolean>>()
  typeOf(queue.poll()).is<string | undefined>()
  typeOf(queue.poll({ timeout: 100 })).is<Promise<string | undefined>>()
  typeOf(queue.put("a")).is<Promise<void>>()
  typeOf(queue.take()).is<Promise<string>>()
  for await (const element of queue) typeOf(element).is<string>()
}

export function elementsHaveTheirType(): void {
  typeOf([...queue]).is<string[]>()
  typeOf(queue.drainTo(["a"])).is<number>()
  // @ts-expect-error an element of another type
  queue.add(1)
  // @ts-expect-error an array of another type
  queue.drainTo([1])
  // @ts-expect-error a wait is given in milliseconds or as an object
  void queue.poll("100")
}

export function constructorsAskForWhatTheyNeed(): void {
  typeOf(new LinkedBlockingQueue<string>()).is<LinkedBlockingQueue<string>>()
  // @ts-expect-error an array queue has a capacity
  typeOf(new ArrayBlockingQueue<string>())
  // @ts-expect-error elements of a delay queue have a delay
  typeOf(new DelayQueue<string>())
}

export function blockingGivesTheValueItself(): void {
  typeOf(queue.offerSync("a", 100)).is<boolean>()
  typeOf(queue.takeSync()).is<string>()
  typeOf(queue.pollSync(100)).is<string | undefined>()
  // @ts-expect-error a limit is given in milliseconds
  queue.pollSync()
}

export function whatArrivesIsOpened(shared: Shared): void {
  typeOf(ArrayBlockingQueue.from<string>(shared)).is<ArrayBlockingQueue<string>>()
  typeOf(LinkedBlockingQueue.from<string>(queue)).is<LinkedBlockingQueue<string>>()
  typeOf(PriorityBlockingQueue.from<string>(shared, (a, b) => a.length - b.length)).is<PriorityBlockingQueue<string>>()
  typeOf(DelayQueue.from<{ delay: number; text: string }>(shared).takeSync().text).is<string>()
  // @ts-expect-error what was not posted
  ArrayBlockingQueue.from("queue")
}
