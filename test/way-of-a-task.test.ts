/**
 * How long the way of a submitted task is, counted in the code as it runs. docs/design/architecture.md describes the
 * way; a change that makes it longer should be worth it.
 */
import { Executors } from "#src/index.js"
import assert from "node:assert/strict"
import type { Profiler, Session } from "node:inspector"
import test from "node:test"

type Way = readonly { readonly file: string; readonly name: string }[]

const SOURCES = "/build/src/"
/** V8 has functions for the fields of a class. They stand nowhere in the source. */
const OF_FIELDS = /^<(?:instance_members|static)_initializer>$/

const isNode = process.versions["bun"] === undefined && process.versions["deno"] === undefined
const skip = isNode ? false : "only Node has an inspector that counts calls"

test("[RP120] the way of a task is short", { skip }, async () => {
  const { Session: NewSession } = await import("node:inspector")
  const session = new NewSession()
  session.connect()
  await using pool = Executors.newFixedThreadPool(2)
  const add = (a: number, b: number): number => a + b
  for (let i = 0; i < 100; i++) assert.equal(await pool.submit(add, i, 2), i + 2)
  await ask(session, "Profiler.enable")
  await ask(session, "Profiler.startPreciseCoverage", { callCount: true, detailed: false })
  const ways: Way[] = []
  for (let i = 0; i < 20; i++) {
    session.post("Profiler.takePreciseCoverage") // sets the counts to 0
    const future = pool.submit(add, i, 2)
    const calls = await ask(session, "Profiler.takePreciseCoverage")
    ways.push(functionsIn(calls as Profiler.TakePreciseCoverageReturnType))
    assert.equal(await future, i + 2)
  }
  session.disconnect()
  // A submission wakes a worker or finds one awake, and a timer may have to be set: this is the one in the middle.
  const way = ways.sort((a, b) => a.length - b.length)[10] ?? []
  const files = new Set(way.map(({ file }) => file))
  const told = [...files].map((file) => `${file}: ${way.filter((it) => it.file === file).map(({ name }) => name)}`)
  assert.ok(way.length > 30, `only ${way.length} functions were seen`)
  assert.ok(way.length <= 59 && files.size <= 23, `${way.length} functions, ${files.size} files\n${told.join("\n")}`)
})

function functionsIn({ result }: Profiler.TakePreciseCoverageReturnType): Way {
  return result
    .filter(({ url }) => url.includes(SOURCES))
    .flatMap(({ url, functions }) => {
      const file = url.slice(url.indexOf(SOURCES) + SOURCES.length)
      return functions
        .filter(({ functionName, ranges }) => ranges[0]?.count !== 0 && !OF_FIELDS.test(functionName))
        .map(({ functionName, ranges }) => ({ file, name: functionName || `@${ranges[0]?.startOffset}` }))
    })
}

/** Its answers come before `post` returns: no call of the event loop is counted. */
function ask(session: Session, method: string, params?: object): Promise<object | undefined> {
  return new Promise((resolve, reject) => {
    session.post(method, params, (error, answer) => {
      if (error === null) resolve(answer)
      else reject(error)
    })
  })
}
