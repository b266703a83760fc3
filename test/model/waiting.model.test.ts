import assert from "node:assert/strict"
import test from "node:test"
import { add, block, listen, load, notify, read, sharedWords, store, wait } from "#atomics"
import { explore, type Limits, type Self } from "./explore.ts"
import { namedWords, violationIn } from "./support.ts"

test("[MC13] comparing and falling asleep is one step, and notify wakes all who sleep at the word", () => {
  const sleeper = (words: Int32Array): void => {
    while (load(words, 0) === 0) wait(words, 0, 0, Infinity)
  }
  const { executions } = explore({
    setup: () => sharedWords(2),
    threads: {
      a: sleeper,
      b: sleeper,
      waker: (words) => {
        store(words, 0, 1)
        notify(words, 0)
      },
    },
  })
  assert.ok(executions > 1)
})

test("[MC13] notify wakes nobody who sleeps at another word", () => {
  const violation = violationIn(() =>
    explore({
      setup: () => namedWords("cell", "x", "y"),
      threads: {
        sleeper: (cell) => wait(cell, 0, 0, Infinity),
        waker: (cell) => {
          store(cell, 0, 1)
          notify(cell, 1)
        },
      },
    }),
  )
  assert.deepEqual(violation.trace, [
    "sleeper  wait cell.x while 0: sleeps",
    "waker    store cell.x, 1",
    "waker    notify cell.y → nobody",
  ])
})

test("[MC13] who was woken takes its next step later, a plain one too", () => {
  const seen = new Set<number>()
  explore({
    setup: () => sharedWords(2),
    threads: {
      sleeper: (words) => {
        const before = performance.now()
        wait(words, 0, 0, 1)
        return performance.now() === before ? read(words, 1) : -1
      },
      waker: (words) => {
        notify(words, 0)
        store(words, 1, 1)
      },
    },
    finally: (_, { sleeper = NaN }) => void seen.add(sleeper),
  })
  assert.deepEqual(seen, new Set([-1, 0, 1]))
})

/** Waits twice for 10 ms; returns how many of the waits timed out. */
function timedOut(limits: Limits): number[] {
  const seen = new Set<number>()
  explore({
    setup: () => sharedWords(1),
    threads: {
      timed: (words) => {
        const before = performance.now()
        wait(words, 0, 0, 10)
        wait(words, 0, 0, 10)
        return (performance.now() - before) / 10
      },
      other: (words) => {
        add(words, 0, 1)
        notify(words, 0)
      },
    },
    finally: (_, { timed = -1 }) => void seen.add(timed),
    ...limits,
  })
  return [...seen].sort((one, other) => one - other)
}

test("[MC14] a wait times out at any moment, and its thread's clock tells so", () => {
  assert.deepEqual(timedOut({}), [0, 1, 2])
  assert.deepEqual(timedOut({ timeouts: 1 }), [0, 1])
})

test("[MC14] with a number, waits still time out if nobody can go on; with never, they do not", () => {
  const alone = (limits: Limits) =>
    explore({ setup: () => sharedWords(1), threads: { alone: (words) => wait(words, 0, 0, 10) }, ...limits })
  assert.equal(alone({ timeouts: 0 }).executions, 1)
  assert.equal(violationIn(() => alone({ timeouts: "never" })).kind, "lost wake-up")
  assert.deepEqual(timedOut({ timeouts: "never" }), [0])
})

test("[MC14] block takes its time from the clock of its thread alone", () => {
  const realBefore = performance.now()
  explore({
    setup: () => sharedWords(1),
    threads: {
      blocking: (words) => {
        const before = performance.now()
        load(words, 0)
        block(1e9)
        assert.equal(performance.now() - before, 1e9)
      },
      other: (words) => {
        const before = performance.now()
        add(words, 0, 1)
        assert.equal(performance.now(), before)
      },
    },
  })
  assert.ok(performance.now() - realBefore < 1e9)
})

test("[MC15] a listener is called once, after the body and the listeners before it have returned", () => {
  const ARMED = 2
  const ringTwice = (word: number) => (words: Int32Array) => {
    while (load(words, ARMED) === 0) wait(words, ARMED, 0, Infinity)
    notify(words, word)
    notify(words, word)
  }
  const seen = new Set<string>()
  explore({
    setup: () => sharedWords(3),
    threads: {
      listener: (words, self) => {
        const order: string[] = []
        const on = (word: number) => (): void => {
          order.push(`${word}(`)
          load(words, ARMED)
          order.push(")")
        }
        listen(words, 0, 0, on(0))
        listen(words, 1, 0, on(1))
        store(words, ARMED, 1)
        notify(words, ARMED)
        order.push("body ")
        self.until(() => order.length >= 5)
        return order
      },
      one: ringTwice(0),
      other: ringTwice(1),
    },
    finally: (_, { listener = [] }) => void seen.add(listener.join("")),
  })
  assert.deepEqual([...seen].sort(), ["body 0()1()", "body 1()0()"])
})

test("[MC15] a ring before the listener is registered is lost", () => {
  const violation = violationIn(() =>
    explore({
      setup: () => namedWords("door", "bell"),
      threads: {
        listener: (door, self) => {
          let rung = false
          listen(door, 0, 0, () => (rung = true))
          self.until(() => rung)
        },
        ringer: (door) => notify(door, 0),
      },
    }),
  )
  assert.deepEqual(violation.trace, [
    "ringer    notify door.bell → nobody",
    "listener  listen door.bell while 0 → true",
  ])
})

test("[MC15] no listener is registered if the value differs", () => {
  explore({
    setup: () => sharedWords(1),
    threads: {
      a: (words) =>
        assert.equal(
          listen(words, 0, 1, () => assert.fail("was rung")),
          false,
        ),
      b: (words) => notify(words, 0),
    },
  })
})

test("[MC15] a listener may listen again, and violations in it are found", () => {
  const run = (rings: number) =>
    explore({
      setup: () => namedWords("door", "bell"),
      threads: {
        listener: (door, self) => {
          let seen = 0
          let answered = 0
          const answer = (): void => {
            answered++
            assert.ok(answered < 3, "rung three times")
            arm()
          }
          const arm = (): void => {
            while (!listen(door, 0, seen, answer)) seen = load(door, 0)
          }
          arm()
          self.until(() => seen === rings)
        },
        ringer: (door) => {
          for (let ring = 0; ring < rings; ring++) {
            add(door, 0, 1)
            notify(door, 0)
          }
        },
      },
    })
  assert.ok(run(2).executions > 1)
  const violation = violationIn(() => run(3))
  assert.equal(violation.kind, "assertion")
  assert.match(violation.message, /ringer +notify door\.bell → listener 0 of listener/)
  assert.match(violation.message, /listener +the event loop calls listener 2/)
})

test("[MC17] what a thread awaits is told by its own objects, not by memory", () => {
  const looking = (words: Int32Array, self: Self): void => self.until(() => load(words, 0) === 0)
  assert.throws(() => explore({ setup: () => sharedWords(1), threads: { looking } }), {
    name: "ModelError",
    message: /condition of until/,
  })
})
