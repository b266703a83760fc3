/** Which function a URL and a name stand for, when several claim them. */
import assert from "node:assert/strict"
import { test } from "node:test"
import { pathToFileURL } from "node:url"
import { runInThisContext } from "node:vm"
import { IllegalStateError, parallelMap, TaskNotPortableError } from "corepool"
import { find, findNow, referenceOf, functionInPlaceOf } from "#src/task/reference.js"
import { task, tasksOf } from "#src/task/task.js"
import { rejectionOf, thrownBy } from "../../support/harness.ts"
import { Folder } from "../worker/support.ts"

type Unary = (n: number) => number

/** A folder with one module that defines tasks; its URL. */
class Module extends Folder {
  readonly url: string

  constructor(text: string) {
    super()
    this.url = pathToFileURL(this.write("tasks.mjs", `import { task, tasksOf } from "corepool"\n${text}`)).href
  }
}

test("[TK13] the third argument is the name under which a function is found", async () => {
  const url = "file:///named.js"
  const add = task(url, (a: number, b: number) => a + b, "add")
  assert.deepEqual(referenceOf(add), { module: url, name: "add" })
  const t = task(url, function t(n: number): number {
    return n < 1 ? 0 : 1 + t(n - 1)
  }, "depth") // prettier-ignore
  assert.deepEqual(referenceOf(t), { module: url, name: "depth" })
  assert.equal(findNow({ module: url, name: "add" })?.fn, add)
  assert.equal(findNow({ module: url, name: "depth" })?.fn, t)
  class C {
    static {
      task(url, this, "Named")
    }
  }
  assert.equal(findNow({ module: url, name: "Named" })?.fn, C)
  for (const name of ["", 7, null]) {
    assert.throws(() => task(url, add, name as never), {
      name: "TypeError",
      message: /^Expected `name` to be the name/,
    })
  }
  await assert.rejects(() => find({ module: url, name: "t" }), TaskNotPortableError)
})

/** As `task(url, (n) => …)` passes it: the engine gives no name to it. */
function nameless<F>(fn: [F]): F {
  return fn[0]
}

test("[TK21] a function without a name is found by its text", async () => {
  const url = "file:///nameless.js"
  const add = task(url, nameless([(a: number, b: number) => a + b]))
  const multiply = task(url, nameless([(a: number, b: number) => a * b]))
  assert.equal(add.name, "")
  const references = [referenceOf(add), referenceOf(multiply)] as { module: string; name: string }[]
  assert.equal(new Set(references.map(({ name }) => name)).size, 2)
  assert.equal((await find(references[0] as never)).fn, add)
  assert.equal((await find(references[1] as never)).fn, multiply)
  // With the white space that another compiler leaves, it is the same name, and not the same function.
  const spaced = runInThisContext("[(a       , b       )         => a + b][0]") as typeof add
  assert.throws(() => task(url, spaced), IllegalStateError)
  assert.deepEqual(referenceOf(task("file:///other.js", spaced)), { ...references[0], module: "file:///other.js" })
})

test("[TK21] one that the thread does not find says what to write", async () => {
  const plain = "data:text/javascript,export function add() {}"
  const lost = task(plain, nameless([(n: number) => n - 1]))
  await assert.rejects(
    () => find({ ...(referenceOf(lost) as { module: string; name: string }), module: `${plain};` }),
    /defines no function without a name that has the same text.*arrow function.*minified build.*task\(import\.meta\.url, fn, "name"\)/,
  )
})

test("[TK3] [TK13] a function with neither name nor text is told of the third argument", () => {
  const bound = Object.defineProperty(Math.abs.bind(undefined), "name", { value: "" })
  assert.throws(() => task("file:///bound.js", bound), /^TypeError: .*task\(import\.meta\.url, fn, "name"\)/)
})

test("[TK14] a second, different function under one URL and name is refused", () => {
  const url = "file:///twice.js"
  const first = task(url, function e(n: number): number {
    return n < 2 ? 1 : n * e(n - 1)
  })
  const second = function e(n: number): number {
    return n < 2 ? n : e(n - 1) + e(n - 2)
  }
  const error = thrownBy(() => task(url, second)) as Error
  assert.ok(error instanceof IllegalStateError)
  assert.match(
    error.message,
    /^file:\/\/\/twice\.js defines two tasks as `e`: «function e\(n\).*» and «function e\(n\).*»\. /,
  )
  assert.match(error.message, /task\(import\.meta\.url, fn, "name"\)/)
  assert.equal(findNow({ module: url, name: "e" })?.fn, first)
  assert.ok("source" in referenceOf(second)) // it has become no task
  task(url, second, "fib")
  assert.equal(findNow({ module: url, name: "fib" })?.fn, second)
})

test("[TK14] functions without a text of their own are different ones", () => {
  const url = "file:///bound.js"
  const add = (a: number, b: number): number => a + b
  task(url, add.bind(undefined, 1), "plus")
  assert.throws(() => task(url, add.bind(undefined, 2), "plus"), IllegalStateError)
})

test("[TK14] a function that makes tasks and is called twice makes two different ones", () => {
  const url = "file:///maker.js"
  const adder = (k: number): Unary =>
    task(url, function add(n: number): number {
      return n + k
    })
  adder(1)
  const error = thrownBy(() => adder(2)) as Error
  assert.ok(error instanceof IllegalStateError)
  assert.match(
    error.message,
    /Their texts are the same, .* may use different variables.*task\(import\.meta\.url, fn, "name"\)$/,
  )
  assert.doesNotMatch(error.message, /bundler/)
})

test("[TK15] the same function may be defined twice, and have two names", () => {
  const url = "file:///same.js"
  const fn = (n: number): number => n
  task(url, fn)
  task(url, fn)
  task(url, fn, "other")
  assert.equal(findNow({ module: url, name: "fn" })?.fn, fn)
  assert.equal(findNow({ module: url, name: "other" })?.fn, fn)
})

test("[TK15] a module may be evaluated twice under its URL", async () => {
  const text = `export const twice = define(url, function twice(n) { return 2 * n })`
  const url = "file:///evaluated.js"
  // As a test runner or a hot reload does: the text of the module is compiled again.
  const evaluate = (edit = ""): Unary => {
    const body = edit + text.replace("export const twice =", "return")
    // oxlint-disable-next-line typescript/no-implied-eval -- evaluating it anew is the point
    return (new Function("define", "url", body) as (...args: unknown[]) => Unary)(task, url)
  }
  const first = evaluate()
  const again = evaluate() // at once
  await Promise.resolve()
  const last = evaluate("/* something above was edited */\n\n") // later
  for (const fn of [first, again, last]) {
    assert.deepEqual(referenceOf(fn), { module: url, name: "twice" })
    assert.equal(fn(4), 8)
  }
})

/** Two tasks under one name which cannot be told apart by what they are. */
const IN_LOOP = "const made = [1, 2].map((k) => task(import.meta.url, function add(n) { return n + k }))"

test("[TK16] of several functions under one name none is run, unless the module exports one of them so", async () => {
  using vague = new Module(`${IN_LOOP}; export const first = made[0], second = made[1]`)
  const error = (await rejectionOf(find({ module: vague.url, name: "add" }))) as Error
  assert.ok(error instanceof TaskNotPortableError)
  assert.match(error.message, /defines 2 tasks as `add`, and exports none of them under that name/)
  const { second } = tasksOf<{ second: Unary }>(vague.url)
  assert.equal((await find(referenceOf(second))).fn(10), 12)
  using clear = new Module(`${IN_LOOP}; export const add = made[0]`)
  assert.equal((await find({ module: clear.url, name: "add" })).fn(10), 11)
})

test("[TK16] an export that is a task of another name is not taken for the one meant", async () => {
  using module = new Module(`
    export const e = task(import.meta.url, function t(n) { return n })
    export const plain = (n) => n`)
  const error = (await rejectionOf(find({ module: module.url, name: "e" }))) as Error
  assert.ok(error instanceof TaskNotPortableError)
  assert.match(error.message, /has no task `e`; what it exports under that name is its task `t`/)
  assert.equal((await find({ module: module.url, name: "t" })).fn(3), 3)
  assert.equal((await find({ module: module.url, name: "plain" })).fn(3), 3)
})

test("[TK16] a task that runs in the thread that defines it is that very function", async () => {
  const both = [1, 2].map((k) => task("file:///loop.js", (n: number) => n + k, "add"))
  const [first, second] = both as [Unary, Unary]
  assert.deepEqual(await parallelMap(new Float64Array([10]), first), new Float64Array([11]))
  assert.deepEqual(await parallelMap(new Float64Array([10]), second), new Float64Array([12]))
})

test("[TK17] a reference to an export is that export, whatever task has its name", async () => {
  using module = new Module(`
    export const double = task(import.meta.url, function helper(n) { return 2 * n })
    export function helper(n) { return -n }`)
  const { url } = module
  const { helper, double } = tasksOf<{ helper: Unary; double: Unary }>(url)
  assert.equal((await find(referenceOf(double))).fn(4), 8)
  assert.equal((await find(referenceOf(helper))).fn(4), -4)
  assert.equal(await helper(4), -4)
  assert.equal((await find({ module: url, name: "helper" })).fn(4), 8)
  const again = functionInPlaceOf(referenceOf(helper)) as (n: number) => Promise<number>
  assert.equal(await again(4), -4)
  assert.deepEqual(referenceOf(again), referenceOf(helper))
})

test("[TK17] a reference that is what the module exports is refused, and not followed for ever", async () => {
  using module = new Module(`export const { twice } = tasksOf(import.meta.url, { twice: (n) => 2 * n })`)
  const { twice } = tasksOf<{ twice: Unary }>(module.url)
  const expected = { code: "ERR_COREPOOL_TASK_NOT_PORTABLE", message: /`twice` is only a reference to that export: / }
  await assert.rejects(find(referenceOf(twice)), expected)
  await assert.rejects(twice(4), expected)
})
