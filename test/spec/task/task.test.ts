import { TaskNotPortableError } from "corepool"
import { FunctionTable } from "#src/platform/memory/function-table.js"
import { GrowingWords } from "#src/memory/growing-words.js"
import { find, findNow, give, type Given, referenceOf } from "#src/task/reference.js"
import { compile } from "#src/task/compile.js"
import { task, tasksOf } from "#src/task/task.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { rejectionOf, thrownBy } from "../../support/harness.ts"
import { double, otherName } from "./task-module.ts"

const plain = new URL("plain-module.js", import.meta.url)

test("[TK1] a task is the function itself, and is found in its module", async () => {
  assert.equal(double(4), 8)
  assert.deepEqual(referenceOf(double), { module: new URL("task-module.js", import.meta.url).href, name: "double" })
  const found = await find(referenceOf(double))
  assert.equal(found.fn, double)
  const fn = (): void => undefined
  assert.equal(task(import.meta.url, fn), fn)
})

test("[TK2] references to a module's exports load it only when called", async () => {
  const nowhere = tasksOf<{ f(): void }>("file:///nowhere.js")
  assert.deepEqual(referenceOf(nowhere.f), {
    module: "file:///nowhere.js",
    name: "f",
    isExport: true,
  })
  const { add } = tasksOf<typeof import("./plain-module.ts")>(plain)
  assert.equal(await add(2, 3), 5)
  assert.equal((await find(referenceOf(add))).fn(2, 3), 5)
  const tasks = tasksOf<typeof import("./plain-module.ts")>(plain)
  assert.equal(tasks.add, tasks.add)
  assert.equal(await Promise.resolve(tasks), tasks)
})

test("[TK3] what names no module or no function is refused", () => {
  for (const url of ["./fib.js", "", undefined, 7]) {
    assert.throws(() => tasksOf(url as never), {
      name: "TypeError",
      message: /^Expected `moduleUrl` to be the absolute/,
    })
    assert.throws(() => task(url as never, double), TypeError)
  }
  assert.throws(() => task(import.meta.url, 7 as never), TypeError)
})

test("[TK4] a task that cannot be found says why", async () => {
  const missing = (await rejectionOf(find({ module: "file:///nowhere.js", name: "f" }))) as Error
  assert.ok(missing instanceof TaskNotPortableError)
  assert.ok(missing.cause instanceof Error)
  assert.match(missing.message, /file:\/\/\/nowhere\.js/)
  const { subtract } = tasksOf<{ subtract(): number }>(plain)
  const unknown = (await rejectionOf(find(referenceOf(subtract)))) as Error
  assert.match(unknown.message, /exports no function `subtract`; it exports `add`\. .*arrow function.*minified build/)
  assert.equal((await find(referenceOf(otherName))).fn, otherName) // by another name, but it is a task
  await assert.rejects(() => subtract(), /exports no function `subtract`/)
})

test("[TK5] a task of the program's own entry module is refused", () => {
  const entry = process.argv[1]
  assert.ok(entry !== undefined)
  const fn = task(new URL(`file://${entry}`), function entryTask() {})
  const error = thrownBy(() => referenceOf(fn)) as Error
  assert.ok(error instanceof TaskNotPortableError)
  assert.match(error.message, /`entryTask` is defined in the module with which the program starts/)
})

class Methods {
  static async later(x: number): Promise<number> {
    return await Promise.resolve(x + 1)
  }

  twice(x: number): number {
    return 2 * x
  }

  *count(n: number): Generator<number> {
    for (let i = 0; i < n; i++) yield i
  }

  ["computed" + String(1)](x: number): number {
    return x
  }
}

/** The function as another thread would have it. */
async function sent(fn: (...args: never[]) => unknown): Promise<(...args: unknown[]) => unknown> {
  return (await find(structuredClone(referenceOf(fn)))).fn
}

test("[TK6] any function that can be written is sent as source", async () => {
  const method = (of: object, name: string): never => Reflect.get(of, name) as never
  assert.equal((await sent((a: number, b: number) => a * b))(6, 7), 42)
  assert.equal(
    (
      await sent(function named(n: number): number {
        return n < 2 ? 1 : n * named(n - 1)
      })
    )(5),
    120,
  )
  assert.equal((await sent(method(Methods.prototype, "twice")))(4), 8)
  assert.equal(await (await sent(method(Methods, "later")))(4), 5)
  assert.deepEqual([...((await sent(method(Methods.prototype, "count")))(3) as Iterable<number>)], [0, 1, 2])
  assert.equal((await sent(method(Methods.prototype, "computed1")))(3), 3)
  assert.equal(await (await sent(async (x: number) => await Promise.resolve(x)))(9), 9)
  assert.equal((await sent({ get: (x: number) => x }.get))(1), 1)
})

test("[TK7] what has no source, or cannot be called, is refused", () => {
  for (const fn of [Math.max, double.bind(undefined, 2), Array.prototype.push, Methods]) {
    assert.throws(() => referenceOf(fn as never), TaskNotPortableError)
  }
})

test("[TK8] a captured variable is named; another error stays what it is", async () => {
  const captured = Number("7") // a plain 7 is put in its place by Bun
  const found = await find(referenceOf((n: number) => n + captured))
  const error = found.explain(thrownBy(() => found.fn(1))) as Error
  assert.ok(error instanceof TaskNotPortableError)
  assert.match(error.message, /refers to `captured`, which does not exist in the thread/)
  assert.ok(error.cause instanceof ReferenceError)
  const other = new RangeError("something else")
  assert.equal(found.explain(other), other)
  assert.equal(found.explain("captured is not defined"), "captured is not defined")
})

test("[TK9] the marks of tools that keep the names of functions do no harm", async () => {
  const kept = compile("((n) => { const inner = __name(() => n, 'inner'); return inner() })", "kept", undefined)
  assert.equal((await sent(kept))(5), 5)
})

test("[TK10] a reference is plain data, and the same each time", () => {
  const fn = (n: number): number => n
  assert.equal(referenceOf(fn), referenceOf(fn))
  assert.deepEqual(structuredClone(referenceOf(fn)), referenceOf(fn))
})

type Unary = (n: number) => number

test("[TK11] a function of functions is found by other threads with all of them, and can be told again", async () => {
  const { add } = tasksOf<typeof import("./plain-module.ts")>(new URL("plain-module.js?given", import.meta.url))
  const apply = ({ functions: [first, second], self }: Given<readonly Unary[]>, n: number): [number, unknown] => [
    (first?.(n) ?? 0) + (second?.(n) ?? 0),
    self,
  ]
  const made = give(apply, [double, (n: number) => n + 1])
  const [sum, self] = made(10)
  assert.equal(sum, 31)
  assert.equal(self, made)
  const found = await find(structuredClone(referenceOf(made)))
  const [sumThere, selfThere] = found.fn(10) as [number, () => void]
  assert.equal(sumThere, 31)
  assert.deepEqual(referenceOf(selfThere), referenceOf(made))

  const unloaded = give(apply as never, [double, add])
  assert.equal(findNow(referenceOf(unloaded)), undefined) // the module of one of them has yet to be loaded
  await find(referenceOf(unloaded))
  assert.notEqual(findNow(referenceOf(unloaded)), undefined)

  const captive = await find(referenceOf(give(apply, [(n: number) => n + sum, double])))
  const error = captive.explain(thrownBy(() => captive.fn(1)))
  assert.ok(error instanceof TaskNotPortableError)
  assert.match(error.message, /`sum`/)
})

test("[TK12] a function keeps its number when a thread that was told it gives it back", () => {
  const words = GrowingWords.reserve(2 ** 17, 2 ** 18)
  const here = new FunctionTable(words)
  const there = new FunctionTable(words)
  const inPlace = (n: number): number => n
  for (const fn of [double, inPlace]) {
    const number = here.numberOf(fn)
    const found = there.resolve(number)
    assert.ok(found)
    assert.equal(there.numberOf(found.fn), number)
  }
  assert.notEqual(here.numberOf(double), here.numberOf(inPlace))
})
