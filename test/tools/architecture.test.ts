import assert from "node:assert/strict"
import test from "node:test"
import { checkArchitecture } from "../../tools/check/architecture.ts"
import { repository, told } from "./fixture.ts"

const MANIFEST = JSON.stringify({
  name: "pack",
  imports: {
    "#atomics": { model: "./build/model.js", default: "./build/src/memory/atomics.js" },
    "#host/*": { default: "./build/src/host/node/*.js" },
    "#src/*": "./build/src/*",
  },
  peerDependencies: { "@scope/peer": "*" },
})

test("[RP1] imports of the own folder and of those below are fine", (t) => {
  const root = repository(t, {
    "package.json": MANIFEST,
    "src/checks.ts": "",
    "src/errors.ts": `import "./checks.ts"`,
    "src/memory/atomics.ts": `import "../errors.ts"`,
    "src/memory/flow/flow.ts": `import "#atomics"; import "./waiting.ts"`,
    "src/memory/flow/waiting.ts": "",
    "src/future/future.ts": `import "#atomics"; import "../queue/ring.ts"`,
    "src/queue/ring.ts": `import "#src/memory/atomics.js"`,
  })
  assert.deepEqual(told(checkArchitecture(root)), [])
})

test("[RP1] an import of a folder above is found: by value, by type, by re-export, dynamic, by alias", (t) => {
  const root = repository(t, {
    "package.json": MANIFEST,
    "src/pool/pool.ts": "export type Pool = 1",
    "src/errors.ts": `import "./pool/pool.ts"`,
    "src/checks.ts": `import type { Pool } from "./pool/pool.ts"`,
    "src/memory/a.ts": `export * from "../pool/pool.ts"`,
    "src/memory/b.ts": `\nexport const pool = () => import("../pool/pool.ts")`,
    "src/memory/c.ts": `export type P = import("../pool/pool.ts").Pool`,
    "src/time/d.ts": `import "#src/pool/pool.js"`,
    "src/time/e.ts": `import "#atomics"`,
    "src/memory/f.ts": `import "./flow/g.ts"`,
    "src/memory/flow/g.ts": "",
  })
  assert.deepEqual(told(checkArchitecture(root)), [
    "src/checks.ts:1 checks imports src/pool/pool.ts: pool stands above it",
    "src/errors.ts:1 errors imports src/pool/pool.ts: pool stands above it",
    "src/memory/a.ts:1 memory imports src/pool/pool.ts: pool stands above it",
    "src/memory/b.ts:2 memory imports src/pool/pool.ts: pool stands above it",
    "src/memory/c.ts:1 memory imports src/pool/pool.ts: pool stands above it",
    "src/memory/f.ts:1 memory imports src/memory/flow/g.ts: memory/flow stands above it",
    "src/time/d.ts:1 time imports src/pool/pool.ts: pool stands above it",
    "src/time/e.ts:1 time imports src/memory/atomics.ts: memory stands above it",
  ])
})

test("[RP1] a folder that stands in no layer is found", (t) => {
  const root = repository(t, { "package.json": MANIFEST, "src/misc/things.ts": "" })
  assert.deepEqual(told(checkArchitecture(root)), [
    "src/misc/things.ts misc stands in no layer: add it to FOLDERS in tools/check/architecture.ts",
  ])
})

test("[RP2] an index imports everything; nothing else imports an index, not even by the name of the package", (t) => {
  const root = repository(t, {
    "package.json": MANIFEST,
    "src/index.ts": `export * from "./queue/index.ts"; export * from "./pool/pool.ts"`,
    "src/queue/index.ts": `export * from "../pool/pool.ts"`,
    "src/pool/pool.ts": "",
    "src/pool/a.ts": `import "../queue/index.ts"`,
    "src/pool/b.ts": `import "pack"`,
    "src/pool/c.ts": `import "pack/queue"`,
  })
  assert.deepEqual(told(checkArchitecture(root)), [
    "src/pool/a.ts:1 imports src/queue/index.ts: only an index.ts imports an index.ts",
    "src/pool/b.ts:1 imports src/index.ts: only an index.ts imports an index.ts",
    "src/pool/c.ts:1 imports src/queue/index.ts: only an index.ts imports an index.ts",
  ])
})

test("[RP3] a circle is found", (t) => {
  const root = repository(t, {
    "package.json": MANIFEST,
    "src/queue/a.ts": `import "./b.ts"`,
    "src/queue/b.ts": `import { type C } from "./c.ts"`,
    "src/queue/c.ts": `export { a } from "./a.ts"`,
    "src/queue/d.ts": `import "./a.ts"; import "./c.ts"`,
    "src/queue/e.ts": `import "./e.ts"`,
  })
  assert.deepEqual(told(checkArchitecture(root)), [
    "src/queue/a.ts imports go in a circle: queue/a.ts → queue/b.ts → queue/c.ts → queue/a.ts",
    "src/queue/e.ts imports go in a circle: queue/e.ts → queue/e.ts",
  ])
})

test("[RP3] a circle closed by a type is found between folders, and allowed inside one", (t) => {
  const root = repository(t, {
    "package.json": MANIFEST,
    "src/queue/a.ts": `import type { B } from "../future/b.ts"`,
    "src/future/b.ts": `import "../queue/a.ts"`,
    "src/queue/c.ts": `import type { D } from "./d.ts"; export type * from "./d.ts"`,
    "src/queue/d.ts": `import "./c.ts"`,
    "src/queue/e.ts": `import type { F } from "./f.ts"; import "./f.ts"`,
    "src/queue/f.ts": `import "./e.ts"`,
  })
  assert.deepEqual(told(checkArchitecture(root)), [
    "src/queue/a.ts:1 queue imports src/future/b.ts: future stands above it",
    "src/future/b.ts imports go in a circle: future/b.ts → queue/a.ts → future/b.ts",
    "src/queue/e.ts imports go in a circle: queue/e.ts → queue/f.ts → queue/e.ts",
  ])
})

test("[RP61] calls of `call`, `apply` and `bind` are found, but not those of an object in a private field", (t) => {
  const root = repository(t, {
    "package.json": MANIFEST,
    "src/primordials.ts": "export const f = bind.bind(call)",
    "src/host/node/runtime/clock.ts": "export const now = clock.now.bind(clock)",
    "src/distributed/bullmq/redis.ts": `await client.call("TIME")`,
    "src/errors.ts": "// fn.call(it)\nisIt.call(this, x)",
    "src/memory/a.ts": "map?.get?.apply(it, [])\nfn.bind(it)",
    "src/memory/b.ts": "class B { #calls = 1; m() { this.#calls.call(); bind(1) } }",
  })
  assert.deepEqual(told(checkArchitecture(root)), [
    "src/errors.ts:2 calls call(): a program may take it away, use what src/primordials.ts has",
    "src/memory/a.ts:1 calls apply(): a program may take it away, use what src/primordials.ts has",
    "src/memory/a.ts:2 calls bind(): a program may take it away, use what src/primordials.ts has",
  ])
})

test("[RP35] clocks and timers of the runtime are found outside their home, but not in comments, strings and types", (t) => {
  const root = repository(t, {
    "package.json": MANIFEST,
    "src/host/node/runtime/clock.ts": `import { setTimeout } from "node:timers"; export const wall = Date.now`,
    "src/time/timer.ts":
      "// setTimeout\nexport const name = `setTimeout`; export type Handle = Own.Timeout; new Date(0)",
    "src/queue/a.ts": `export const later = setImmediate`,
    "src/queue/b.ts": "\nexport const then = Date.now()\nglobalThis.queueMicrotask(() => host.hrtime())",
  })
  assert.deepEqual(told(checkArchitecture(root)), [
    "src/queue/a.ts:1 names setImmediate: a program may replace it, use that of src/host/node/runtime/clock.ts",
    "src/queue/b.ts:3 names queueMicrotask: a program may replace it, use that of src/host/node/runtime/clock.ts",
    "src/queue/b.ts:3 names hrtime: a program may replace it, use that of src/host/node/runtime/clock.ts",
    "src/queue/b.ts:2 names Date.now: a program may replace it, use that of src/host/node/runtime/clock.ts",
  ])
})

test("[RP4] Atomics and SharedArrayBuffer are found outside src/memory, in values and in types, but not in comments", (t) => {
  const root = repository(t, {
    "package.json": MANIFEST,
    "src/memory/atomics.ts": "Atomics.load(new Int32Array(new SharedArrayBuffer(4)), 0)",
    "src/queue/a.ts": "// Atomics\n/** SharedArrayBuffer */\nexport const text = `Atomics`",
    "src/queue/b.ts": "\nglobalThis.Atomics.notify(words, 0)",
    "src/queue/c.ts": "export type Block = SharedArrayBuffer | undefined",
  })
  assert.deepEqual(told(checkArchitecture(root)), [
    "src/queue/b.ts:2 names Atomics: only src/memory does",
    "src/queue/c.ts:1 names SharedArrayBuffer: only src/memory does",
  ])
})

test("[RP5] a foreign import is found; node: and types of optional peers are not foreign", (t) => {
  const root = repository(t, {
    "package.json": MANIFEST,
    "src/host/node/code/a.ts": `import "node:fs"; import type { P } from "@scope/peer/deep"; export type Q = P | import("@scope/peer").R`,
    "src/time/b.ts": `import "fs"`,
    "src/time/c.ts": `import "@scope/other"`,
    "src/time/d.ts": `\nexport const peer = () => import("@scope/peer")`,
  })
  assert.deepEqual(told(checkArchitecture(root)), [
    "src/time/b.ts:1 imports fs: neither in src, nor node:, nor an optional peer",
    "src/time/c.ts:1 imports @scope/other: neither in src, nor node:, nor an optional peer",
    "src/time/d.ts:2 imports @scope/peer, an optional peer, which is looked for when it is needed",
  ])
})

test("[RP74] what is the runtime's is found outside src/host, in values and in types, but not in comments and strings", (t) => {
  const root = repository(t, {
    "package.json": MANIFEST,
    "src/host/node/threads/ports.ts": `import { MessageChannel } from "node:worker_threads"; process.on("exit", () => Buffer.alloc(1))`,
    "src/queue/a.ts": `// process\nexport const text = "Buffer"; import { newPorts } from "#host/threads/ports"`,
    "src/queue/b.ts": `import type { Worker } from "node:worker_threads"; export { x } from "node:fs"`,
    "src/queue/c.ts": "globalThis.process.exit()\nexport type Port = MessagePort | Buffer",
    "src/queue/d.ts": `import "../host/node/threads/ports.ts"\nimport "#src/host/node/threads/ports.js"`,
  })
  assert.deepEqual(told(checkArchitecture(root)), [
    "src/queue/b.ts:1 imports node:worker_threads: only src/host/ does",
    "src/queue/b.ts:1 imports node:fs: only src/host/ does",
    "src/queue/c.ts:1 names process, which is the runtime's: only src/host/ does",
    "src/queue/c.ts:2 names MessagePort, which is the runtime's: only src/host/ does",
    "src/queue/c.ts:2 names Buffer, which is the runtime's: only src/host/ does",
    "src/queue/d.ts:1 imports ../host/node/threads/ports.ts: name it #host/…",
  ])
})

test("[RP75] a file outside src/host that asks which runtime this is is found", (t) => {
  const root = repository(t, {
    "package.json": MANIFEST,
    "src/host/node/runtime/runtime.ts": `export const isBun = "bun" in process.versions`,
    "src/host/node/values/bytes.ts": `export { isBun as countsSharedMemory } from "../runtime/runtime.ts"`,
    "src/memory/a.ts": `import { countsSharedMemory } from "#host/values/bytes"`,
    "src/memory/b.ts": `import { isBun } from "#host/runtime/runtime"`,
  })
  assert.deepEqual(told(checkArchitecture(root)), [
    "src/memory/b.ts:1 asks which runtime this is: only src/host/ does, and offers what differs",
  ])
})

test("[RP39] what the entry of virtual threads loads is theirs: not of platform threads, nor more of the runtime", (t) => {
  const root = repository(t, {
    "package.json": MANIFEST,
    "src/virtual/index.ts": `export * from "../pool/pool.ts"; import type { P } from "../platform/p.ts"; export type Q = P`,
    "src/pool/pool.ts": `import "../queue/queue.ts"; import "#host/runtime/clock"; import "#host/threads/workers"; import type { R } from "@scope/peer"`,
    "src/queue/queue.ts": `\nimport "../codec/codec.ts"; import "./shared/shared-queue.ts"; import "../memory/flow/flow.ts"`,
    "src/queue/shared/shared-queue.ts": "",
    "src/codec/codec.ts": "",
    "src/host/node/runtime/clock.ts": `import "node:timers"; import "node:os"`,
    "src/host/node/threads/workers.ts": `import "node:worker_threads"`,
    "src/memory/flow/flow.ts": `import "../space.ts"`,
    "src/memory/space.ts": "",
    "src/platform/p.ts": `export type P = 1; import "#host/threads/workers"`,
  })
  assert.deepEqual(told(checkArchitecture(root)), [
    "src/pool/pool.ts:1 imports src/host/node/threads/workers.ts, and is loaded by src/virtual/index.ts",
    "src/queue/queue.ts:2 imports src/codec/codec.ts, and is loaded by src/virtual/index.ts",
    "src/queue/queue.ts:2 imports src/queue/shared/shared-queue.ts, and is loaded by src/virtual/index.ts",
    "src/host/node/runtime/clock.ts:1 imports node:os, and is loaded by src/virtual/index.ts",
    "src/memory/flow/flow.ts:1 imports src/memory/space.ts, and is loaded by src/virtual/index.ts",
  ])
})
