/** What is not made of its properties. Rules: docs/spec/codec.md. */
import {
  AbstractExecutorService,
  ExecutorCompletionService,
  Executors,
  NotSerializableError,
  ReentrantLock,
  ReentrantReadWriteLock,
  Semaphore,
  Thread,
  virtualThreads,
} from "corepool"
import { copyOf, encode } from "#src/codec/codec.js"
import assert from "node:assert/strict"
import { AsyncLocalStorage, AsyncResource, createHook } from "node:async_hooks"
import { createHash } from "node:crypto"
import { channel, tracingChannel } from "node:diagnostics_channel"
import { EventEmitter } from "node:events"
import { statSync } from "node:fs"
import { Session } from "node:inspector"
import { SourceMap } from "node:module"
import { Server } from "node:net"
import { Readable } from "node:stream"
import { StringDecoder } from "node:string_decoder"
import { test } from "node:test"
import { createTracing } from "node:trace_events"
import { createContext, runInContext } from "node:vm"
import { thrownBy } from "../../support/harness.ts"

const isNode = process.versions["bun"] === undefined && process.versions["deno"] === undefined

/** The refusal, also if there is a list for attachments. */
function refusalOf(value: unknown): string {
  const messages = [() => copyOf([value]), () => encode([value], [])].map((attempt) => {
    const error = thrownBy(attempt)
    assert.ok(error instanceof NotSerializableError)
    return error.message
  })
  assert.match(messages[1] as string, / in `\[0\]` /)
  return messages[1] as string
}

const OF_THE_LANGUAGE: readonly [source: string, name: RegExp][] = [
  ["(function* () {})()", /Generator/],
  ["(async function* () {})()", /AsyncGenerator/],
  ["[1].values()", /Array Iterator/],
  ["new Map([[1, 2]]).entries()", /Map Iterator/],
  ["new Set([1]).values()", /Set Iterator/],
  ["'a'[Symbol.iterator]()", /String Iterator/],
  ["'a'.matchAll(/a/g)", /RegExp String Iterator/],
  ["new Intl.Segmenter().segment('a')", /Segments/],
  ["new Intl.Segmenter().segment('a')[Symbol.iterator]()", /Segment(?:er)? String Iterator/],
  ["new Intl.Collator()", /Collator/],
  ["new Intl.NumberFormat()", /NumberFormat/],
  ["new WeakMap()", /WeakMap/],
  ["new WeakSet()", /WeakSet/],
  ["new WeakRef({})", /WeakRef/],
  ["new FinalizationRegistry(() => undefined)", /FinalizationRegistry/],
  ["Promise.resolve(1)", /Promise/],
  ["new WebAssembly.Table({ initial: 1, element: 'anyfunc' })", /Table/],
  ["Math", /^Math/],
  ["JSON", /^JSON/],
  ["Reflect", /^Reflect/],
  ["Atomics", /^Atomics/],
  ["Intl", /^Intl/],
  ["(function () { return arguments })()", /arguments/],
  ["(function () { return arguments })(1)", /./],
  ["new Proxy({}, {})", /proxy/],
  ["new Proxy(() => 1, {})", /function/],
]

test("[CD22] objects of the engine are refused by name, in this realm and in others", () => {
  const context = createContext()
  for (const [source, name] of OF_THE_LANGUAGE) {
    // oxlint-disable-next-line typescript/no-implied-eval -- the same text in both realms
    const here = (new Function(`return ${source}`) as () => unknown)()
    assert.match(refusalOf(here), name, source)
    if (isNode) assert.match(refusalOf(runInContext(source, context)), name, `${source} of another realm`)
  }
})

test("[CD22] iterators that a program derives from those of the language are refused, too", () => {
  class Counter {
    next(): IteratorResult<number> {
      return { done: true, value: undefined }
    }
  }
  Object.setPrototypeOf(Counter.prototype, Object.getPrototypeOf(Object.getPrototypeOf([].values())) as object)
  refusalOf(new Counter())
})

test("[CD22] modules and globalThis are refused", async () => {
  assert.match(refusalOf(await import("node:path")), /^A module/)
  assert.match(refusalOf(globalThis), /^GlobalThis/)
})

test("[CD22] what traces or inspects the program is refused by name, in every runtime", () => {
  for (const [value, name] of [
    [createTracing({ categories: ["corepool.test"] }), /Tracing/],
    [new Session(), /Session/],
    [new (class extends Session {})(), /cannot be copied/],
  ] as const) {
    assert.match(refusalOf(value), name)
  }
})

test(
  "[CD6][CD22] objects of the runtime are refused by name",
  { skip: isNode ? false : "about the classes of Node" },
  () => {
    const timeout = setTimeout(() => undefined, 1)
    const immediate = setImmediate(() => undefined)
    clearTimeout(timeout)
    clearImmediate(immediate)
    for (const [value, name] of [
      [timeout, /Timeout/],
      [immediate, /Immediate/],
      [new EventEmitter(), /EventEmitter/],
      [new EventTarget(), /EventTarget/],
      [new Readable(), /Readable/],
      [new Server(), /Server/],
      [createHash("sha1"), /Hash/],
      [new StringDecoder(), /StringDecoder/],
      [new AsyncResource("test"), /AsyncResource/],
      [new AsyncLocalStorage(), /AsyncLocalStorage/],
      [createHook({}), /AsyncHook/],
      [channel("corepool.test"), /Channel/],
      [tracingChannel("corepool.test"), /TracingChannel/],
      [new Session(), /Session/],
      [
        new SourceMap({
          version: 3,
          file: "",
          sources: [],
          sourcesContent: [],
          names: [],
          mappings: "",
          sourceRoot: "",
        }),
        /SourceMap/,
      ],
      [new URLSearchParams("a=1"), /URLSearchParams/],
      [new Headers(), /Headers/],
      [new AbortController().signal, /AbortSignal/],
      [new (class extends Readable {})(), /cannot be copied/],
      [new (class Own extends URL {})("http://a"), /Own/],
    ] as const) {
      assert.match(refusalOf(value), name)
    }
  },
)

test("[CD22] instances of the program's own classes are made of their fields", () => {
  class Plain {
    a = 1
  }
  class Emitting extends EventTarget {
    b = 2
  }
  class Borrowing {
    c = 3
  }
  Object.assign(Borrowing.prototype, { map: Array.prototype.map, next: Array.prototype.pop })
  assert.deepEqual(copyOf([new Plain(), new Emitting(), new Borrowing()]), [{ a: 1 }, { b: 2 }, { c: 3 }])
  assert.equal((copyOf(new (class extends EventEmitter {})()) as { _eventsCount?: number })._eventsCount ?? 0, 0)
  assert.equal((copyOf(statSync(".")) as { size: number }).size, statSync(".").size)
  assert.deepEqual(copyOf([{}, Object.create(null), Object.create({ a: 1 }), { [Symbol.toStringTag]: "Math" }]), [
    {},
    {},
    {},
    {},
  ])
})

test("[CD23] objects of corepool that belong to a thread are refused", async () => {
  class Own extends AbstractExecutorService {
    execute(): void {}
    shutdown(): void {}
    shutdownNow(): [] {
      return []
    }
    awaitTermination(): Promise<boolean> {
      return Promise.resolve(true)
    }
    get isShutdown(): boolean {
      return false
    }
    get isTerminated(): boolean {
      return false
    }
  }
  await using pool = Executors.newFixedThreadPool(1, virtualThreads())
  const lock = new ReentrantLock()
  using guard = lock.lockSync()
  using reading = new ReentrantReadWriteLock().readLock.lockSync()
  using permits = await new Semaphore(1).acquire()
  for (const [value, what] of [
    [guard, /LockGuard.*send the lock/],
    [reading, /LockGuard.*send the lock/],
    [permits, /send the semaphore/],
    [Thread.currentThread(), /Thread.*send its name/],
    [virtualThreads().newThread(() => undefined), /Thread.*send its name/],
    [new ExecutorCompletionService(pool), /ExecutorCompletionService.*send the executor/],
    [new Own(), /Own.*only pools of platform threads/],
    [Executors.unconfigurableExecutorService(new Own()), /only pools of platform threads/],
  ] as const) {
    assert.match(refusalOf(value), what)
  }
})
