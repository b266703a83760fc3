/**
 * A memoizer: each value is computed once, by the first who asks for it, however many ask at the same time.
 *
 * The memory holds futures, not values. That is what makes the second caller wait instead of computing again; and a
 * future can be cancelled, fail, or be given up by one of many. `Memoizer` is in the folder `support`.
 */
import { Executors, LinkedBlockingQueue, Thread, virtualThreads } from "corepool"
import { Memoizer } from "./support/memoizer.ts"

// Computations ask a question and wait for its answer; this program is the one who knows.
const questions = new LinkedBlockingQueue<string>()
const answers = new LinkedBlockingQueue<() => string>()

const memoizer = new Memoizer(async (question: string) => {
  console.log(`${Thread.currentThread().name} computes ${question}`)
  questions.add(question)
  const answer = await answers.take()
  return answer()
})

// Every caller is a thread of its own.
await using callers = Executors.newThreadPerTaskExecutor(virtualThreads({ name: "caller" }))
const ask = (question: string) => callers.submit(() => memoizer.get(question))

// A thousand callers, one computation.
const thousand = Array.from({ length: 1000 }, () => ask("a"))
await questions.take()
answers.add(() => "A")
const values = await Promise.all(thousand)
console.log(`${values.length} callers got ${[...new Set(values)].join(" and ")}`)

// A computation that is cancelled is started anew by those who wait for it.
const patient = [ask("b"), ask("b")]
await questions.take()
console.log(`cancelled: ${memoizer.cancel("b")}`)
await questions.take()
answers.add(() => "too late") // goes to the cancelled one, which has waited longer
answers.add(() => "B")
console.log(`both got ${(await Promise.all(patient)).join(" and ")}`)

// A failure is told to all who wait for it, and is not remembered.
const unlucky = [ask("c"), ask("c")]
await questions.take()
answers.add(() => {
  throw new Error("no answer")
})
for (const { status } of await Promise.allSettled(unlucky)) console.log(status)
const next = ask("c")
await questions.take()
answers.add(() => "C")
console.log(`the next one got ${await next}`)

// A caller that is interrupted goes. The others stay, also if it was the one that computed: then another one does.
const [computing, waiting, staying] = [ask("d"), ask("d"), ask("d")]
await questions.take()
waiting.cancel(true)
computing.cancel(true)
await questions.take()
answers.add(() => "D")
console.log(`${waiting.state}, ${computing.state}, and the one that stayed got ${await staying}`)

// Output:
// caller-1 computes a
// 1000 callers got A
// caller-1001 computes b
// cancelled: true
// caller-1001 computes b
// both got B and B
// caller-1003 computes c
// rejected
// rejected
// caller-1005 computes c
// the next one got C
// caller-1006 computes d
// caller-1008 computes d
// cancelled, cancelled, and the one that stayed got D
