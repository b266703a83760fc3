import assert from "node:assert/strict"
import test from "node:test"
import {
  add,
  block,
  compareAndSet,
  exchange,
  listen,
  load,
  notify,
  pause,
  read,
  sharedWords,
  store,
  wait,
  write,
} from "#atomics"
import { Counter } from "#src/memory/structures/counter.js"
import { explore, ModelError } from "./explore.ts"
import { violationIn } from "./support.ts"

test("[MC7] outside of the model a call does at once what it says", () => {
  const words = sharedWords(2)
  store(words, 0, 5)
  assert.equal(add(words, 0, 2), 5)
  assert.equal(exchange(words, 0, -1), 7)
  assert.equal(compareAndSet(words, 0, 7, 1), false)
  assert.equal(compareAndSet(words, 0, -1, 2 ** 31), true)
  assert.equal(load(words, 0), -(2 ** 31))
  write(words, 1, 3)
  assert.equal(read(words, 1), 3)
  notify(words, 0)
  pause()
  block(1)
  wait(words, 0, 0, Infinity)
  wait(words, 1, 3, 1)
})

test("[MC7] words that the set-up has not allocated are a thread's own", () => {
  const { executions, moves } = explore({
    setup: () => 0,
    threads: {
      a: () => {
        const own = sharedWords(1)
        const local = new Int32Array(1)
        assert.equal(add(own, 0, 1) + add(local, 0, 1), 0)
        assert.equal(load(own, 0) + load(local, 0), 2)
      },
    },
  })
  assert.deepEqual({ executions, moves }, { executions: 1, moves: 0 })
})

test("[MC7] one word is one word through every view", () => {
  const violation = violationIn(() =>
    explore({
      setup: () => sharedWords(8),
      threads: {
        a: (words) => {
          const view = new Int32Array(words.buffer, 12, 2)
          store(view, 1, load(view, 1) + 1)
        },
        b: (words) => store(words, 4, load(words, 4) + 1),
      },
      finally: (words) => assert.equal(load(words.subarray(4), 0), 2),
    }),
  )
  assert.equal(violation.kind, "final check")
})

test("[MC7] the library's own code runs over the stand-in", () => {
  // The low half is about to wrap, so one of the increments carries; a reader may see 2³² too few, but not for long.
  const seen = new Set<number>()
  explore({
    setup: () => {
      const words = sharedWords(2)
      store(words, 0, -2)
      return words
    },
    threads: {
      a: (words) => new Counter(words, 0).increment(),
      b: (words) => new Counter(words, 0).increment(),
      reader: (words) => new Counter(words, 0).value,
    },
    finally: (words, { reader = -1 }) => {
      seen.add(reader)
      assert.equal(new Counter(words, 0).value, 2 ** 32)
    },
  })
  assert.deepEqual(seen, new Set([0, 2 ** 32 - 2, 2 ** 32 - 1, 2 ** 32]))
})

test("[MC8] what would never end, or does not exist, is refused", () => {
  const words = sharedWords(1)
  assert.throws(() => wait(words, 0, 0, Infinity), ModelError)
  assert.throws(() => listen(words, 0, 0, () => undefined), ModelError)
  const foreign = (): void => wait(words, 0, 0, Infinity)
  assert.throws(() => explore({ setup: () => 0, threads: { foreign } }), ModelError)
  for (const index of [-1, 1, NaN]) {
    assert.throws(() => load(words, index), RangeError)
    assert.throws(() => write(words, index, 1), RangeError)
  }
})

test("[MC9] a body that does something else when it is run again is refused", () => {
  let runs = 0
  const different = (words: Int32Array): void => {
    if (runs++ % 2 === 0) store(words, 0, 1)
    else store(words, 1, 1)
    store(words, 0, 2)
  }
  const other = (words: Int32Array): number => load(words, 0) + load(words, 1)
  assert.throws(() => explore({ setup: () => sharedWords(2), threads: { different, other } }), {
    name: "ModelError",
    message:
      /different is not deterministic: step 1 was store with 1, 0 at address 0, and when replayed it came to store/,
  })
  let ends = false
  const shorter = (words: Int32Array): void => {
    if (ends) return
    ends = true
    store(words, 0, 1)
  }
  assert.throws(() => explore({ setup: () => sharedWords(1), threads: { shorter } }), {
    name: "ModelError",
    message: /shorter is not deterministic: step 1 .* it ended/,
  })
})

test("[MC9] an asynchronous body is refused", () => {
  const later = async (): Promise<void> => Promise.resolve()
  assert.throws(() => explore({ setup: () => 0, threads: { later } }), { name: "ModelError", message: /asynchronous/ })
})

test("[MC10] a body that keeps the suspension to itself is refused", () => {
  const swallow = (words: Int32Array): void => {
    try {
      store(words, 0, 1)
    } catch {
      // as seeded
    }
  }
  const replace = (words: Int32Array): void => {
    try {
      store(words, 0, 1)
    } catch (cause) {
      throw new TypeError("as seeded", { cause })
    }
  }
  const setup = (): Int32Array => sharedWords(1)
  assert.throws(() => explore({ setup, threads: { swallow } }), {
    name: "ModelError",
    message: "swallow caught the suspension and went on",
  })
  assert.throws(() => explore({ setup, threads: { replace } }), {
    name: "ModelError",
    message: "replace caught the suspension and threw something else: TypeError: as seeded",
  })
})

test("[MC11] finally blocks do nothing while a thread is being suspended", () => {
  const report = explore({
    setup: () => sharedWords(2),
    threads: {
      a: (words) => {
        try {
          add(words, 0, 1)
        } finally {
          add(words, 1, 1)
        }
      },
      b: (words) => [load(words, 1), load(words, 0)],
    },
    finally: (words, { b = [] }) => {
      assert.deepEqual([...words], [1, 1])
      assert.ok((b[0] ?? 0) <= (b[1] ?? 0), "the finally block came first")
    },
  })
  assert.equal(report.executions, 3)
})

test("[MC12] enter is called before each run of a body or a listener", () => {
  let current = ""
  explore({
    setup: () => sharedWords(1),
    enter: (words, name) => {
      assert.equal(words.length, 1)
      current = name
    },
    threads: {
      a: (words, self) => {
        let rung = false
        const armed = listen(words, 0, 0, () => {
          assert.equal(current, "a")
          load(words, 0)
          assert.equal(current, "a")
          rung = true
        })
        assert.equal(current, self.name)
        self.until(() => rung || !armed)
      },
      b: (words, self) => {
        store(words, 0, 1)
        notify(words, 0)
        assert.equal(current, self.name)
      },
    },
  })
})
