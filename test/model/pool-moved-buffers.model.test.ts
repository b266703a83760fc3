/**
 * Moved buffers under every interleaving: requests of a worker for them, and short ones that lie in the record of their
 * task. Rules: docs/spec/transport.md.
 */
import { load, sharedWords, store } from "#atomics"
import { decodeArguments, encodeArguments } from "#src/codec/arguments.js"
import { decode } from "#src/codec/codec.js"
import { COMPLETING, EXCEPTIONAL } from "#src/future/task-state.js"
import { withoutRoom } from "#src/platform/submit/failure.js"
import { REQUEST_BOX, RequestBox } from "#src/platform/transport/request-box.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { explore, name } from "./explore.ts"
import { hire, member, type PoolModel, poolOf } from "./pool.ts"
import { assertExplored } from "./support.ts"
import { check } from "./synchronizers.ts"

// ------------------------------------------------------------------ requests

/** Identities of pools have 53 bits. */
const REQUESTS = [
  [2 ** 53 - 1, 1],
  [2 ** 52 + 7, 2],
  [8, 3],
] as const

for (const kill of ["worker", "submitter"] as const) {
  test(`[TX35] requests come whole, once and in order, and the ${kill} may die`, () => {
    const report = explore({
      setup: () => {
        const words = sharedWords(REQUEST_BOX)
        name(words, "box", { task: 0, pool: 1, low: 2 })
        return words
      },
      threads: {
        /** How many it has put in. */
        worker: (words) => {
          const box = new RequestBox(words, 0)
          let put = 0
          for (const [pool, task] of REQUESTS) if (put === task - 1 && box.put(pool, task)) put++
          return put
        },
        submitter: (words) => {
          const box = new RequestBox(words, 0)
          return [box.take(), box.take()].filter((request) => request !== undefined)
        },
      },
      kill: [kill],
      finally: (words, { worker, submitter }) => {
        const left = new RequestBox(words, 0).take()
        const got = [...(submitter ?? []), ...(left === undefined ? [] : [left])]
        const first = got[0]?.[1] ?? 1
        if (submitter !== undefined) assert.equal(first, 1, "none is lost")
        assert.deepEqual(got, REQUESTS.slice(first - 1, first - 1 + got.length), "whole, once and in order")
        if (worker !== undefined && submitter !== undefined) assert.equal(got.length, worker)
      },
    })
    assertExplored(report, 20)
  })
}

// ------------------------------------------------------------------ short buffers in the record

const EMPTIED = 0

/** A task with a moved buffer that the pool has accepted, and whose submitter is about to empty the buffer. */
function accepted(): PoolModel {
  const shared = poolOf({ threads: ["s", "a", "owner"], tasks: 1 })
  hire(shared, "a")
  const { tasks } = member(shared, "s")
  assert.ok(tasks.enclose(1, encodeArguments(["sent"]), []))
  return shared
}

function sealing(shared: PoolModel): void {
  store(shared.notes, EMPTIED, 1)
  member(shared, "s").tasks.seal(1)
}

test("[TX34] a worker reads the record only when the buffer is empty, whenever the submitter dies", () =>
  check(4, {
    setup: accepted,
    threads: {
      s: sealing,
      a: (shared) => {
        const { tasks } = member(shared, "a", 1)
        if (!tasks.isSealed(1)) return // it asks the submitter, and hears if that has died
        assert.equal(load(shared.notes, EMPTIED), 1)
        assert.deepEqual(decodeArguments(tasks.read(1), tasks.enclosedIn(1)), ["sent"])
      },
    },
    kill: "s",
    finally: (shared) => {
      if (member(shared, "owner").tasks.isSealed(1)) assert.equal(load(shared.notes, EMPTIED), 1)
    },
  }))

for (const kill of ["s", "owner"] as const)
  test(`[TX34] an outcome that another thread writes meanwhile stays as it is (${kill} may die)`, () =>
    check(10, {
      setup: accepted,
      threads: {
        s: sealing,
        owner: (shared) => {
          const { tasks } = member(shared, "owner")
          assert.ok(tasks.leaveNew(1, COMPLETING))
          assert.ok(tasks.fill(1, withoutRoom()))
          tasks.settle(1, EXCEPTIONAL)
        },
      },
      kill,
      finally: (shared) => {
        const { tasks } = member(shared, "s")
        if (tasks.stateOf(1) !== EXCEPTIONAL) return
        assert.ok(tasks.isWhole(1))
        assert.ok(decode(tasks.read(1)) instanceof RangeError)
      },
    }))
