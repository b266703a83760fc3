import assert from "node:assert/strict"
import test from "node:test"
import { add, exchange, load, notify, pause, read, sharedWords, store, wait, write } from "#atomics"
import { explore, ModelError, name } from "./explore.ts"
import { namedWords, violationIn } from "./support.ts"

/** The different ends, each as text, sorted. */
function endsOf(run: (seen: (end: unknown) => void) => void): string[] {
  const ends = new Set<string>()
  run((end) => ends.add(JSON.stringify(end)))
  return [...ends].sort()
}

test("[MC1] all orders of two times two steps are explored, and counted", () => {
  const seen: string[] = []
  const twice = (words: Int32Array): string => `${add(words, 0, 1)}${add(words, 0, 1)}`
  const report = explore({
    setup: () => sharedWords(1),
    threads: { a: twice, b: twice },
    finally: (_, { a, b }) => seen.push(`${a} ${b}`),
  })
  assert.deepEqual(seen.sort(), ["01 23", "02 13", "03 12", "12 03", "13 02", "23 01"])
  // 1 beginning, 2 states after one step, 4 after two, 6 after three, 6 ends.
  assert.deepEqual(report, { executions: 6, states: 19, moves: 18 })
})

test("[MC1] three threads: every permutation of one step each", () => {
  const once = (words: Int32Array): number => add(words, 0, 1)
  const { executions } = explore({ setup: () => sharedWords(1), threads: { a: once, b: once, c: once } })
  assert.equal(executions, 6)
})

test("[MC2] steps on private words multiply nothing, and hide nothing", () => {
  const body = (mine: number, privateSteps: number) => (words: Int32Array) => {
    for (let step = 0; step < privateSteps; step++) store(words, mine, step)
    const seen = exchange(words, 0, mine)
    for (let step = 0; step < privateSteps; step++) add(words, mine, load(words, 3))
    return seen
  }
  const run = (privateSteps: number) => {
    let states = 0
    const ends = endsOf((seen) => {
      ;({ states } = explore({
        setup: () => sharedWords(4),
        threads: { a: body(1, privateSteps), b: body(2, privateSteps) },
        finally: (_, outcome) => seen(outcome),
      }))
    })
    return { states, ends }
  }
  assert.deepEqual(run(0).ends, ['{"a":0,"b":1}', '{"a":2,"b":0}'])
  assert.deepEqual(run(9).ends, run(0).ends)
  // Nine steps before the first exchange are one step: the one that a thread takes when it is its turn.
  assert.deepEqual(run(9).states, run(1).states)
})

test("[MC2] what the invariant reads is seen between any two steps", () => {
  const body = (mine: number) => (words: Int32Array) => {
    store(words, mine, 1)
    store(words, mine, 0)
  }
  const violation = violationIn(() =>
    explore({
      setup: () => sharedWords(2),
      threads: { a: body(0), b: body(1) },
      invariant: (words) => load(words, 0) + load(words, 1) < 2,
    }),
  )
  assert.equal(violation.kind, "invariant")
})

test("[MC3] plain steps are taken with the step before them, unless they are steps themselves", () => {
  const run = (plainSteps: boolean) =>
    endsOf((seen) => {
      explore({
        setup: () => sharedWords(3),
        threads: {
          writer: (words) => {
            add(words, 0, 1)
            write(words, 1, 1)
            write(words, 2, 1)
          },
          reader: (words) => {
            add(words, 0, 1)
            return [read(words, 1), read(words, 2)]
          },
        },
        finally: (_, { reader }) => seen(reader),
        plainSteps,
      })
    })
  assert.deepEqual(run(false), ["[0,0]", "[1,1]"])
  assert.deepEqual(run(true), ["[0,0]", "[0,1]", "[1,0]", "[1,1]"])
})

test("[MC4] a bound of preemptions limits the orders", () => {
  const twice = (words: Int32Array): string => `${add(words, 0, 1)}${add(words, 0, 1)}`
  const run = (preemptions: number) =>
    endsOf((seen) => {
      explore({
        setup: () => sharedWords(1),
        threads: { a: twice, b: twice },
        finally: (_, { a }) => seen(a),
        preemptions,
      })
    })
  assert.deepEqual(run(0), ['"01"', '"23"'])
  assert.deepEqual(run(1), ['"01"', '"03"', '"12"', '"23"'])
  assert.deepEqual(run(2), ['"01"', '"02"', '"03"', '"12"', '"13"', '"23"'])
})

test("[MC5] too many states are refused", () => {
  const often = (words: Int32Array): void => {
    for (let step = 0; step < 10; step++) add(words, 0, 1)
  }
  assert.throws(() => explore({ setup: () => sharedWords(1), threads: { a: often, b: often }, states: 100 }), {
    name: "ModelError",
    message: /More than 100 states/,
  })
})

test("[MC16] a thread that spins is held until something changes", () => {
  const pauses: number[] = []
  explore({
    setup: () => sharedWords(2),
    threads: {
      spinner: (words) => {
        let count = 0
        for (; load(words, 0) === 0; count++) pause()
        return count
      },
      other: (words) => {
        store(words, 1, 1)
        store(words, 0, 1)
      },
    },
    finally: (_, { spinner = -1 }) => pauses.push(spinner),
    spins: 2,
  })
  // Two in vain, one because of the store that is none of its business, two in vain again, and one because the store
  // that it hopes for comes after it has looked.
  assert.deepEqual([Math.min(...pauses), Math.max(...pauses)], [0, 6])
})

test("[MC16] who spins a few times and parks then does so even if nobody else can go on", () => {
  const report = explore({
    setup: () => sharedWords(2),
    threads: {
      spinner: (words) => {
        for (let spins = 0; spins < 10; spins++) pause()
        store(words, 1, 1)
        notify(words, 1)
      },
      waiter: (words) => {
        while (load(words, 1) === 0) wait(words, 1, 0, Infinity)
      },
    },
  })
  assert.ok(report.executions > 0)
})

test("[MC17] nobody can go on and somebody has not finished", () => {
  const violation = violationIn(() =>
    explore({
      setup: () => namedWords("cell", "x", "y"),
      threads: {
        sleeper: (cell) => wait(cell, 1, 0, Infinity),
        // Has finished, and is not mentioned.
        other: (cell) => store(cell, 0, 1),
        awaiting: (_, self) => self.until(() => false),
      },
    }),
  )
  assert.equal(violation.kind, "lost wake-up")
  assert.match(
    violation.message,
    /^lost wake-up: sleeper sleeps in wait cell\.y while 0; awaiting awaits without listening\n/,
  )
})

test("[MC18] what a body throws is a violation, with its cause", () => {
  const seeded = new RangeError("as seeded")
  const violation = violationIn(() =>
    explore({
      setup: () => sharedWords(1),
      threads: {
        a: (words) => store(words, 0, 1),
        b: (words) => {
          if (load(words, 0) === 1) throw seeded
        },
      },
    }),
  )
  assert.equal(violation.kind, "assertion")
  assert.match(violation.message, /b threw RangeError: as seeded/)
  assert.equal(violation.cause, seeded)
})

test("[MC19] the invariant may throw or be false, and sees no moment within a step", () => {
  const model = {
    setup: () => sharedWords(2),
    threads: {
      a: (words: Int32Array) => {
        add(words, 0, 1)
        write(words, 1, 1)
        write(words, 1, 2)
      },
    },
  }
  const when = (seen: number) =>
    violationIn(() =>
      explore({ ...model, invariant: (words) => assert.notEqual(load(words, 1), seen, `${seen} was seen`) }),
    )
  assert.match(when(2).message, /^invariant: AssertionError: 2 was seen/)
  assert.equal(violationIn(() => explore({ ...model, invariant: () => false })).kind, "invariant")
  explore({ ...model, invariant: (words) => load(words, 1) !== 1 })
})

test("[MC20] the final check is given what bodies returned, and may not change memory for other executions", () => {
  const seen: unknown[] = []
  explore({
    setup: () => sharedWords(1),
    threads: { a: (words) => add(words, 0, 1), b: (words) => ({ found: add(words, 0, 1) }) },
    kill: "a",
    finally: (words, outcomes) => {
      seen.push({ ...outcomes, sum: load(words, 0) })
      store(words, 0, 100)
    },
  })
  assert.deepEqual(seen, [
    { a: 0, b: { found: 1 }, sum: 2 },
    // a died after its end, and before b had begun or finished.
    { a: undefined, b: { found: 1 }, sum: 2 },
    { a: 1, b: { found: 0 }, sum: 2 },
    { a: undefined, b: { found: 0 }, sum: 2 },
    { a: undefined, b: { found: 0 }, sum: 1 },
  ])
  const violation = violationIn(() => explore({ setup: () => 0, threads: {}, finally: () => assert.fail("as seeded") }))
  assert.equal(violation.kind, "final check")
})

test("[MC21] an execution without end is a livelock, also if no other thread could notice", () => {
  const forEver = (words: Int32Array): void => {
    for (;;) add(words, 0, 1)
  }
  const violation = violationIn(() => explore({ setup: () => sharedWords(1), threads: { a: forEver }, steps: 300 }))
  assert.equal(violation.kind, "livelock")
  assert.equal(violation.trace.length, 301)
  // The message leaves out the middle.
  assert.equal(violation.message.split("\n").length, 102)
})

test("[MC22] a trace has the names of words and the fewest preemptions", () => {
  const increment = (words: Int32Array): void => {
    for (let times = 0; times < 3; times++) store(words, 2, load(words, 2) + 1)
  }
  const violation = violationIn(() =>
    explore({
      setup: () => {
        const words = sharedWords(4)
        name(words.subarray(2), "tail", { sum: 0 })
        return words
      },
      threads: { a: increment, bee: increment },
      finally: (words) => assert.equal(load(words, 2), 6),
    }),
  )
  // One preemption, between a load and its store: whoever was left finishes last.
  const who = violation.trace.map((line) => line.split(" ")[0])
  assert.equal(who.filter((each, at) => at > 0 && each !== who[at - 1]).length, 2)
  assert.equal(violation.trace[0], "a    load tail.sum → 0")
})

test("[MC27] a model inside of another is refused", () => {
  const inner = (): void => void explore({ setup: () => 0, threads: {} })
  assert.throws(() => explore({ setup: () => 0, threads: { a: inner } }), ModelError)
})
