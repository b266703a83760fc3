/** Small algorithms with a known bug each: the checker must find it, and must accept the corrected twin. Here somebody gets what it should not. */
import assert from "node:assert/strict"
import test from "node:test"
import { add, compareAndSet, exchange, load, pause, read, store, write } from "#atomics"
import { explore, type Report } from "./explore.ts"
import { assertExplored, namedWords, violationIn } from "./support.ts"

const HEAD = 0
const node = (reference: number): number => reference & 0xff

/** A stack of nodes 1, 2 on top of each other; next[n] lies at word n. A tag in the head grows with each change. */
function treiberStack(tagged: boolean): Report {
  const bump = (head: number): number => (tagged ? (head & ~0xff) + 0x100 : 0)
  const pop = (stack: Int32Array): number => {
    for (;;) {
      const head = load(stack, HEAD)
      if (node(head) === 0) return 0
      const next = load(stack, node(head))
      if (compareAndSet(stack, HEAD, head, bump(head) | next)) return node(head)
    }
  }
  const push = (stack: Int32Array, pushed: number): void => {
    for (;;) {
      const head = load(stack, HEAD)
      store(stack, pushed, node(head))
      if (compareAndSet(stack, HEAD, head, bump(head) | pushed)) return
    }
  }
  return explore({
    setup: () => {
      const stack = namedWords("stack", "head", "next1", "next2")
      store(stack, HEAD, 1)
      store(stack, 1, 2)
      return stack
    },
    threads: {
      one: (stack) => [pop(stack)],
      other: (stack) => {
        const first = pop(stack)
        const second = pop(stack)
        if (first !== 0) push(stack, first)
        return [second]
      },
    },
    finally: (stack, { one = [], other = [] }) => {
      const held = [...one, ...other].filter((each) => each !== 0)
      for (let each = node(load(stack, HEAD)); each !== 0; each = load(stack, each)) {
        assert.ok(!held.includes(each), `node ${each} is on the stack and in use`)
        held.push(each)
      }
      assert.equal(held.length, 2)
    },
  })
}

test("[MC33] a stack without tags falls for ABA", () => {
  const violation = violationIn(() => treiberStack(false))
  assert.equal(violation.kind, "final check")
  assertExplored(treiberStack(true), 20)
})

function increments(atomic: boolean): Report {
  const increment = (counter: Int32Array): void => {
    if (atomic) add(counter, 0, 1)
    else store(counter, 0, load(counter, 0) + 1)
  }
  return explore({
    setup: () => namedWords("counter", "value"),
    threads: { a: increment, b: increment },
    finally: (counter) => assert.equal(load(counter, 0), 2),
  })
}

test("[MC34] an increment in two steps is a lost update", () => {
  const violation = violationIn(() => increments(false))
  assert.equal(violation.kind, "final check")
  assert.deepEqual(violation.trace, [
    "a  load counter.value → 0",
    "b  load counter.value → 0",
    "b  store counter.value, 1",
    "a  store counter.value, 1",
  ])
  assert.equal(increments(true).executions, 2)
})

/** Each announces itself and enters if the other has not; whoever looks first and announces then may be wrong. */
function dekker(announceFirst: boolean, plainSteps: boolean): Report {
  const enter = (mine: number, other: number) => (want: Int32Array) => {
    if (announceFirst) write(want, mine, 1)
    const free = read(want, other) === 0
    if (!announceFirst) write(want, mine, 1)
    return free
  }
  return explore({
    setup: () => namedWords("want", "a", "b"),
    threads: { a: enter(0, 1), b: enter(1, 0) },
    finally: (_, { a, b }) => assert.ok(!(a === true && b === true), "both have entered"),
    plainSteps,
  })
}

test("[MC35] a race on plain words shows if plain steps are scheduling points", () => {
  assert.equal(violationIn(() => dekker(false, true)).kind, "final check")
  assertExplored(dekker(true, true), 10)
  // Otherwise plain steps happen with the step before, as they may if a lock protects them.
  assert.equal(dekker(false, false).executions, 2)
})

const LOCK = 0
const INSIDE = 1

function spinLock(atomic: boolean): Report {
  const body = (lock: Int32Array): void => {
    if (atomic) while (!compareAndSet(lock, LOCK, 0, 1)) pause()
    else {
      while (load(lock, LOCK) !== 0) pause()
      store(lock, LOCK, 1)
    }
    add(lock, INSIDE, 1)
    add(lock, INSIDE, -1)
    store(lock, LOCK, 0)
  }
  return explore({
    setup: () => namedWords("lock", "state", "inside"),
    threads: { a: body, b: body, c: body },
    invariant: (lock) => assert.ok(load(lock, INSIDE) <= 1, "two are inside"),
  })
}

test("[MC36] a spin lock that tests and sets in two steps lets two in", () => {
  const violation = violationIn(() => spinLock(false))
  assert.equal(violation.kind, "invariant")
  assert.match(violation.message, /two are inside/)
  assertExplored(spinLock(true), 20)
})

/** Each wants both forks. The polite ones put theirs down if they cannot have the other: for ever, in step. */
function philosophers(ordered: boolean): Report {
  const eat = (first: number, second: number) => (forks: Int32Array) => {
    const [one, other] = ordered ? [0, 1] : [first, second]
    for (;;) {
      while (exchange(forks, one, 1) === 1) pause()
      if (exchange(forks, other, 1) === 0) break
      store(forks, one, 0)
      pause()
    }
    store(forks, other, 0)
    store(forks, one, 0)
  }
  return explore({
    setup: () => namedWords("forks", "left", "right"),
    threads: { a: eat(0, 1), b: eat(1, 0) },
    steps: 200,
  })
}

test("[MC38] two that give way to each other for ever are a livelock", () => {
  const violation = violationIn(() => philosophers(false))
  assert.equal(violation.kind, "livelock")
  assert.equal(violation.trace.length, 201)
  assertExplored(philosophers(true), 20)
})
