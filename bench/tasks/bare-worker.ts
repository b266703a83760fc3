/** A worker of the bare loop in platform-floor.ts: takes a task, adds two numbers, links the record to those that are done. */
import { workerData } from "node:worker_threads"
import { A, B, DONE, HEAD, IDLE, NEXT, OF_WORKER, operate, recordOf, RESULT, TAIL, wordsOf } from "../bare-ring.ts"

/** How often a worker looks for a task before it sleeps. */
const LOOKS = 2000

/** Without the operations that the loop below does itself. */
const OTHERS = { loads: OF_WORKER.loads - 3, stores: OF_WORKER.stores, changes: OF_WORKER.changes - 2 }

const words = workerData as Int32Array

function isEmpty(): boolean {
  return Atomics.load(words, HEAD) === Atomics.load(words, TAIL)
}

function waitForTask(): void {
  for (let i = 0; i < LOOKS; i++) if (!isEmpty()) return
  Atomics.store(words, IDLE, 1)
  const tail = Atomics.load(words, TAIL)
  if (Atomics.load(words, HEAD) === tail) Atomics.wait(words, TAIL, tail)
}

function run(task: number): void {
  const record = recordOf(task)
  const at = wordsOf(record)
  operate(words, record, OTHERS)
  words[at + RESULT] = (words[at + A] as number) + (words[at + B] as number)
  let last: number
  do {
    last = Atomics.load(words, DONE)
    words[at + NEXT] = last
  } while (Atomics.compareExchange(words, DONE, last, record + 1) !== last)
  if (last === 0) Atomics.notify(words, DONE)
}

for (;;) {
  const head = Atomics.load(words, HEAD)
  if (head === Atomics.load(words, TAIL)) waitForTask()
  else if (Atomics.compareExchange(words, HEAD, head, (head + 1) | 0) === head) run(head)
}
