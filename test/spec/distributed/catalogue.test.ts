/** The names of tasks. Rule ids are those of docs/spec/distributed.md. */
import { bind, tasksOf } from "corepool"
import { Catalogue } from "#src/distributed/job/catalogue.js"
import { callOf } from "#src/future/call.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { rejectionOf, thrownBy } from "../../support/harness.ts"
import * as module from "./catalogue.tasks.ts"

const MODULE = new URL("./catalogue.tasks.js", import.meta.url)

test("[DP10] tasks are the own enumerable functions, and no classes", () => {
  const catalogue = new Catalogue(module)
  assert.deepEqual([...catalogue.names].sort(), ["add", "default", "double", "shout"])
  assert.equal(catalogue.get("add"), module.add)
  for (const name of [
    "toString",
    "constructor",
    "__proto__",
    "hasOwnProperty",
    "valueOf",
    "Money",
    "answer",
    "then",
    "",
  ]) {
    assert.equal(catalogue.get(name), undefined, name)
  }
  const inherited = Object.create({ add: module.add }) as Record<string, unknown>
  inherited["own"] = module.double
  Object.defineProperty(inherited, "hidden", { value: module.shout, enumerable: false })
  const own = new Catalogue(inherited)
  assert.deepEqual(own.names, ["own"])
  const poisoned = new Catalogue(
    JSON.parse(`{"__proto__": 1, "constructor": 2}`, (_, v: unknown) => (v === 2 ? module.add : v)) as object,
  )
  assert.deepEqual(poisoned.names, ["constructor"], "one that is the object's own is a task as any")
  for (const wrong of [{}, { a: 1 }, [], null, undefined, 5, "tasks", () => 1]) {
    assert.ok(thrownBy(() => new Catalogue(wrong as object)) instanceof TypeError)
  }
})

test("[DP11] a function has its name in the catalogue, bound to arguments or not", () => {
  const catalogue = new Catalogue(module)
  assert.equal(catalogue.nameOf(module.add), "add")
  assert.equal(catalogue.nameOf(module.shout), "shout", "not `default`, which it is as well")
  assert.equal(catalogue.nameOf(callOf(bind(module.add, 1, 2)).fn), "add")
  assert.equal(new Catalogue({ plus: module.add }).nameOf(module.add), "plus")
  assert.equal(new Catalogue({ first: module.add, second: module.add }).nameOf(module.add), "first")
})

test("[DP12] a function that is not in it is refused by name, with what to do", () => {
  const catalogue = new Catalogue(module)
  const error = thrownBy(() => catalogue.nameOf(function resize() {}))
  assert.ok(error instanceof TypeError)
  assert.match(error.message, /got function resize: .*export the function from the module .*`add`/)
  assert.match(
    (
      thrownBy(() =>
        catalogue.nameOf(
          (
            () => () =>
              1
          )(),
        ),
      ) as Error
    ).message,
    /a function without a name/,
  )
  assert.ok(thrownBy(() => catalogue.nameOf(encodeURIComponent)) instanceof TypeError)
})

test("[DP13] references are a catalogue of what the module exports", async () => {
  const references = tasksOf<typeof import("./catalogue.tasks.ts")>(MODULE)
  const catalogue = new Catalogue(references)
  assert.equal(catalogue.nameOf(references.add), "add", "before anything is loaded")
  assert.ok(thrownBy(() => catalogue.nameOf(() => 1)) instanceof TypeError)
  await catalogue.load()
  assert.deepEqual([...catalogue.names].sort(), ["add", "default", "double", "shout"])
  assert.equal(catalogue.get("add"), references.add)
  for (const name of ["missing", "constructor", "Money", "answer"]) assert.equal(catalogue.get(name), undefined)
  assert.ok((await rejectionOf(new Catalogue(tasksOf("file:///nowhere.js")).load())) instanceof Error)
})

test("[DP13] a reference to a task is the task, and the other way round", () => {
  const references = tasksOf<typeof import("./catalogue.tasks.ts")>(MODULE)
  assert.equal(new Catalogue(module).nameOf(references.double), "double")
  assert.equal(new Catalogue(references).nameOf(module.double), "double")
  assert.equal(new Catalogue({ twice: references.double }).nameOf(module.double), "twice")
  assert.ok(thrownBy(() => new Catalogue({ add: module.add }).nameOf(references.double)) instanceof TypeError)
})
