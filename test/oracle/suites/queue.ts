/** Suite "queue": one blocking queue of integers, with actors `a1` … `a5` for whatever may block. */
import { type BlockingQueue, LinkedBlockingDeque, LinkedTransferQueue } from "corepool"
import { Actors } from "../actors.ts"
import { integer, type Json, type JsonObject, list, maybeInteger, ScenarioError, string } from "../json.ts"
import { VOID } from "../results.ts"
import { type Driver, NULL } from "./driver.ts"
import { DelayedElement, type Element, makeQueue, valueOf } from "./queue-elements.ts"

export class QueueDriver implements Driver {
  readonly #kind: string
  readonly #queue: BlockingQueue<Element>
  /** The order of a heap is no promise: what is read from one is sorted. */
  readonly #isHeap: boolean
  readonly #actors = new Actors()
  #elements = 0

  constructor(setup: JsonObject) {
    this.#kind = string(setup, "queue")
    this.#isHeap = this.#kind === "PriorityBlockingQueue" || this.#kind === "DelayQueue"
    this.#queue = makeQueue(setup)
  }

  async step(op: JsonObject): Promise<JsonObject> {
    const result = await this.#actors.step(op, () => this.#perform(op), { signature: () => `${this.#queue.size}` })
    const queue = this.#queue
    return {
      ...result,
      size: queue.size,
      remainingCapacity: queue.remainingCapacity,
      contents: this.#values(queue.toArray()),
      ...(isTransferQueue(queue) ? { waitingConsumerCount: queue.waitingConsumerCount } : {}),
      blocked: this.#actors.blocked(),
      completed: this.#actors.newlyCompleted(),
    }
  }

  close(): void {
    this.#actors.close()
  }

  // ------------------------------------------------------------------ elements

  #element(op: JsonObject): Element {
    return op["value"] === null ? NULL : this.#make(integer(op, "value"), maybeInteger(op, "delayMs") ?? 0)
  }

  #elementsOf(op: JsonObject): Element[] {
    return list(op, "values").map((value) => (value === null ? NULL : this.#make(Number(value), 0)))
  }

  #make(value: number, delayMs: number): Element {
    return this.#kind === "DelayQueue" ? new DelayedElement(value, delayMs, this.#elements++) : value
  }

  #values(elements: Iterable<Element>): Json[] {
    const values = [...elements].map((element) => Number(valueOf(element)))
    return this.#isHeap ? values.sort((a, b) => a - b) : values
  }

  // ------------------------------------------------------------------ ops

  /** A promise only if the op may wait. */
  #perform(op: JsonObject): unknown {
    const queue = this.#queue
    switch (string(op, "do")) {
      case "add":
        return queue.add(this.#element(op))
      case "offer":
        return queue.offer(this.#element(op))
      case "offerTimed":
        return queue.offer(this.#element(op), integer(op, "timeoutMs"))
      case "put":
        return queue.put(this.#element(op)).then(() => VOID)
      case "take":
        return queue.take().then(valueOf)
      case "poll":
        return valueOf(queue.poll())
      case "pollTimed":
        return queue.poll(integer(op, "timeoutMs")).then(valueOf)
      case "peek":
        return valueOf(queue.peek())
      case "element":
        return valueOf(queue.element())
      case "remove":
        return valueOf(queue.remove())
      case "removeValue":
        return queue.remove(this.#element(op))
      case "contains":
        return queue.contains(this.#element(op))
      case "containsAll":
        return queue.containsAll(this.#elementsOf(op))
      case "addAll":
        return queue.addAll(this.#elementsOf(op))
      case "removeAll":
        return queue.removeAll(this.#elementsOf(op))
      case "retainAll":
        return queue.retainAll(this.#elementsOf(op))
      case "removeIfEven":
        return queue.removeIf((element) => Number(valueOf(element)) % 2 === 0)
      case "drainTo":
        return this.#drain(maybeInteger(op, "max"))
      case "drainToSelf":
        return queue.drainTo(queue)
      case "drainToNull":
        return queue.drainTo(NULL)
      case "size":
        return queue.size
      case "isEmpty":
        return queue.isEmpty
      case "remainingCapacity":
        return queue.remainingCapacity
      case "toArray":
        return this.#values(queue.toArray())
      case "iterate":
        return this.#values(queue)
      case "iteratorRemove":
        return this.#iteratorRemove(this.#element(op))
      case "clear":
        queue.clear()
        return VOID
      case "interrupt":
        this.#actors.interrupt(string(op, "actor"))
        return VOID
      case "construct":
        makeQueue(op)
        return VOID
      default:
        if (isDeque(queue)) return this.#performOnDeque(queue, op)
        if (isTransferQueue(queue)) return this.#performOnTransferQueue(queue, op)
        throw unknown(op)
    }
  }

  #drain(max: number | undefined): Json[] {
    const drained: Element[] = []
    if (max === undefined) this.#queue.drainTo(drained)
    else this.#queue.drainTo(drained, max)
    return drained.map((element) => Number(valueOf(element)))
  }

  #iteratorRemove(sought: Element): number {
    const iterator = this.#queue[Symbol.iterator]()
    let removed = 0
    for (const element of iterator) {
      if (sought === null || valueOf(element) !== valueOf(sought)) continue
      iterator.remove()
      removed++
    }
    return removed
  }

  #performOnDeque(deque: LinkedBlockingDeque<Element>, op: JsonObject): unknown {
    switch (string(op, "do")) {
      case "addFirst":
        deque.addFirst(this.#element(op))
        return VOID
      case "addLast":
        deque.addLast(this.#element(op))
        return VOID
      case "offerFirst":
        return deque.offerFirst(this.#element(op))
      case "offerLast":
        return deque.offerLast(this.#element(op))
      case "putFirst":
        return deque.putFirst(this.#element(op)).then(() => VOID)
      case "putLast":
        return deque.putLast(this.#element(op)).then(() => VOID)
      case "takeFirst":
        return deque.takeFirst()
      case "takeLast":
        return deque.takeLast()
      case "pollFirst":
        return deque.pollFirst()
      case "pollLast":
        return deque.pollLast()
      case "pollLastTimed":
        return deque.pollLast(integer(op, "timeoutMs"))
      case "peekFirst":
        return deque.peekFirst()
      case "peekLast":
        return deque.peekLast()
      case "getFirst":
        return deque.getFirst()
      case "getLast":
        return deque.getLast()
      case "removeFirst":
        return deque.removeFirst()
      case "removeLast":
        return deque.removeLast()
      case "removeFirstOccurrence":
        return deque.removeFirstOccurrence(this.#element(op))
      case "removeLastOccurrence":
        return deque.removeLastOccurrence(this.#element(op))
      case "push":
        deque.push(this.#element(op))
        return VOID
      case "pop":
        return deque.pop()
      case "descendingIterate":
        return [...deque.descendingIterator()]
      default:
        throw unknown(op)
    }
  }

  #performOnTransferQueue(queue: LinkedTransferQueue<Element>, op: JsonObject): unknown {
    switch (string(op, "do")) {
      case "transfer":
        return queue.transfer(this.#element(op)).then(() => VOID)
      case "tryTransfer":
        return queue.tryTransfer(this.#element(op))
      case "tryTransferTimed":
        return queue.tryTransfer(this.#element(op), integer(op, "timeoutMs"))
      case "hasWaitingConsumer":
        return queue.hasWaitingConsumer
      case "getWaitingConsumerCount":
        return queue.waitingConsumerCount
      default:
        throw unknown(op)
    }
  }
}

function isDeque(queue: BlockingQueue<Element>): queue is LinkedBlockingDeque<Element> {
  return queue instanceof LinkedBlockingDeque
}

function isTransferQueue(queue: BlockingQueue<Element>): queue is LinkedTransferQueue<Element> {
  return queue instanceof LinkedTransferQueue
}

function unknown(op: JsonObject): ScenarioError {
  return new ScenarioError(`Suite queue has no op ${JSON.stringify(op)} on such a queue`)
}
