import assert from "node:assert/strict"
import test from "node:test"
import { add, block, listen, load, notify, sharedWords, store, wait, write } from "#atomics"
import { explore, type Limits } from "./explore.ts"
import { assertExplored, namedWords, violationIn } from "./support.ts"

/** The contents of memory that a reaper may find. */
function foundBy(body: (words: Int32Array) => void, limits: Limits = {}): string[] {
  const found = new Set<string>()
  explore({
    setup: () => sharedWords(3),
    threads: { mortal: body },
    kill: "mortal",
    onKill: (words, killed) => {
      assert.equal(killed, "mortal")
      return [0, 1, 2].map((index) => load(words, index))
    },
    finally: (words, { mortal }) => {
      if (mortal === undefined) found.add(words.join(""))
    },
    ...limits,
  })
  return [...found].sort()
}

test("[MC23] a thread dies before each of its steps, and takes none afterwards", () => {
  const body = (words: Int32Array): number => {
    store(words, 0, 1)
    store(words, 1, 1)
    return add(words, 2, 1)
  }
  assert.deepEqual(foundBy(body), ["000", "100", "110", "111"])
})

test("[MC23] as many die as are allowed to, and there is no execution without the living", () => {
  const run = (kills: number) => {
    const dead = new Set<string>()
    explore({
      setup: () => sharedWords(1),
      threads: { a: (words) => add(words, 0, 1), b: (words) => add(words, 0, 1), c: (words) => add(words, 0, 1) },
      kill: ["a", "b"],
      finally: (_, { a, b, c }) => {
        assert.notEqual(c, undefined)
        dead.add(`${a === undefined ? "a" : ""}${b === undefined ? "b" : ""}`)
      },
      kills,
    })
    return [...dead].sort()
  }
  assert.deepEqual(run(0), [""])
  assert.deepEqual(run(1), ["", "a", "b"])
  assert.deepEqual(run(2), ["", "a", "ab", "b"])
})

test("[MC23] a kill of a thread that does not exist is refused", () => {
  const threads: Record<string, () => void> = { a: () => undefined }
  assert.throws(() => explore({ setup: () => 0, threads, kill: "b" }), { message: "There is no thread b to kill" })
})

test("[MC24] it dies also between two plain writes", () => {
  const body = (words: Int32Array): number => {
    store(words, 0, 1)
    write(words, 1, 1)
    write(words, 2, 1)
    return 0
  }
  assert.deepEqual(foundBy(body), ["000", "100", "110", "111"])
  assert.deepEqual(foundBy(body, { killAtWrites: false }), ["000", "111"])
})

test("[MC25] the dead neither sleep nor listen, and nobody waits for them", () => {
  const run = (mortal: (words: Int32Array, until: (condition: () => boolean) => void) => void): void => {
    // Nobody tells the others of the death; if the dead counted as waiting, that would be a lost wake-up.
    const report = explore({
      setup: () => sharedWords(1),
      threads: {
        mortal: (words, self) => mortal(words, (condition) => self.until(condition)),
        waker: (words) => {
          store(words, 0, 1)
          notify(words, 0)
        },
      },
      kill: "mortal",
    })
    assertExplored(report, 10)
  }
  run((words) => wait(words, 0, 0, Infinity))
  run((words, until) => {
    let rung = false
    if (!listen(words, 0, 0, () => (rung = true))) return
    until(() => rung)
  })
})

test("[MC25] a notify is not lost on somebody dead", () => {
  const violation = violationIn(() =>
    explore({
      setup: () => sharedWords(2),
      threads: {
        mortal: (words) => wait(words, 0, 0, Infinity),
        waker: (words) => notify(words, 0),
      },
      kill: "mortal",
    }),
  )
  // The one violation here is that the living sleeper may come too late.
  assert.deepEqual(violation.trace, ["waker   notify memory0[0] → nobody", "mortal  wait memory0[0] while 0: sleeps"])
})

test("[MC28] a thread that blocks for ever is not missed, and does not go on", () => {
  const report = explore({
    setup: () => namedWords("words", "x"),
    threads: {
      resting: (words) => {
        add(words, 0, 1)
        block(Infinity)
        assert.fail("it went on")
      },
      other: (words) => add(words, 0, 1),
    },
    finally: (words, { resting }) => {
      assert.equal(load(words, 0), 2)
      assert.equal(resting, undefined)
    },
  })
  assertExplored(report, 5)
})
