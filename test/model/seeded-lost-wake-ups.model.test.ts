/** Small algorithms with a known bug each: the checker must find it, and must accept the corrected twin. Here somebody waits for ever. */
import assert from "node:assert/strict"
import test from "node:test"
import { add, compareAndSet, exchange, listen, load, notify, store, wait } from "#atomics"
import { explore, type Report } from "./explore.ts"
import { assertExplored, namedWords, violationIn } from "./support.ts"

const FLAG = 0
const PARKED = 1
const PERMIT = 2

/** One raises a flag and wakes the other if it is parked, which parks on its own word until the flag is raised. */
function parking(recheck: boolean): Report {
  return explore({
    setup: () => namedWords("park", "flag", "parked", "permit"),
    threads: {
      sleeper: (park) => {
        while (load(park, FLAG) === 0) {
          store(park, PERMIT, 0)
          store(park, PARKED, 1)
          if (!recheck || load(park, FLAG) === 0) wait(park, PERMIT, 0, Infinity)
          store(park, PARKED, 0)
        }
      },
      waker: (park) => {
        store(park, FLAG, 1)
        if (load(park, PARKED) === 0) return
        store(park, PERMIT, 1)
        notify(park, PERMIT)
      },
    },
  })
}

test("[MC30] parking without looking again is a lost wake-up", () => {
  const violation = violationIn(() => parking(false))
  assert.equal(violation.kind, "lost wake-up")
  assert.match(violation.message, /sleeper sleeps in wait park\.permit while 0/)
  assertExplored(parking(true), 20)
})

function handOver(order: "store, notify" | "notify, store"): Report {
  return explore({
    setup: () => namedWords("slot", "value"),
    threads: {
      taker: (slot) => {
        while (load(slot, 0) === 0) wait(slot, 0, 0, Infinity)
      },
      giver: (slot) => {
        if (order === "notify, store") notify(slot, 0)
        store(slot, 0, 7)
        if (order === "store, notify") notify(slot, 0)
      },
    },
  })
}

test("[MC31] notifying before storing is a lost wake-up", () => {
  assert.equal(violationIn(() => handOver("notify, store")).kind, "lost wake-up")
  assertExplored(handOver("store, notify"), 10)
})

/**
 * Two wait for one token, each with a state word: WAITING, GIVEN or GONE. One of them loses patience. The giver hands the
 * token to the first in line; a giver that does not check whether that one is still there gives it to a ghost.
 */
function handToFirst(claim: boolean): Report {
  const WAITING = 0
  const GIVEN = 1
  const GONE = 2
  return explore({
    setup: () => namedWords("line", "impatient", "patient"),
    threads: {
      impatient: (line) => {
        wait(line, 0, WAITING, 10)
        // Gives up; but if the token came in this very moment, it passes it on.
        if (compareAndSet(line, 0, WAITING, GONE)) return
        store(line, 1, GIVEN)
        notify(line, 1)
      },
      patient: (line) => {
        while (load(line, 1) !== GIVEN) wait(line, 1, WAITING, Infinity)
      },
      giver: (line) => {
        if (claim) {
          for (const place of [0, 1]) {
            if (!compareAndSet(line, place, WAITING, GIVEN)) continue
            notify(line, place)
            return
          }
        } else {
          store(line, 0, GIVEN)
          notify(line, 0)
        }
      },
    },
  })
}

test("[MC32] a wake-up given to a waiter that has given up is lost", () => {
  const violation = violationIn(() => handToFirst(false))
  assert.equal(violation.kind, "lost wake-up")
  assert.match(violation.message, /impatient +wait line\.impatient while 0, 10 ms: timed out/)
  assert.match(violation.message, /patient sleeps in wait line\.patient while 0/)
  assertExplored(handToFirst(true), 20)
})

const LOCK = 0
const INSIDE = 1

/** A lock that holds its owner's number; who finds it taken sleeps. */
function lockOfTheDead(repair: boolean): Report {
  const acquire = (lock: Int32Array, me: number): void => {
    for (;;) {
      if (compareAndSet(lock, LOCK, 0, me)) return
      const owner = load(lock, LOCK)
      if (owner !== 0) wait(lock, LOCK, owner, Infinity)
    }
  }
  const release = (lock: Int32Array): void => {
    store(lock, LOCK, 0)
    notify(lock, LOCK)
  }
  const user = (me: number) => (lock: Int32Array) => {
    acquire(lock, me)
    assert.equal(add(lock, INSIDE, 1), 0)
    add(lock, INSIDE, -1)
    release(lock)
  }
  return explore({
    setup: () => namedWords("lock", "owner", "inside"),
    threads: { mortal: user(1), survivor: user(2) },
    kill: "mortal",
    onKill: (lock) => {
      if (repair && load(lock, LOCK) === 1) {
        store(lock, INSIDE, 0)
        store(lock, LOCK, 0)
      }
      // Even if the lock is free: it may have died between freeing it and telling so.
      notify(lock, LOCK)
    },
  })
}

test("[MC37] a lock whose owner dies is a deadlock unless somebody frees it", () => {
  const violation = violationIn(() => lockOfTheDead(false))
  assert.equal(violation.kind, "lost wake-up")
  assert.match(violation.message, /mortal +is killed/)
  assert.match(violation.message, /survivor sleeps in wait lock\.owner while 1/)
  assertExplored(lockOfTheDead(true), 20)
})

const BELL = 0
const MAIL = 1

/** A thread that cannot block is rung when mail has come: the bell's word is a count of rings. */
function doorbell(armed: "before looking" | "after looking"): Report {
  return explore({
    setup: () => namedWords("door", "bell", "mail"),
    threads: {
      awaiting: (door, self) => {
        let got = false
        const look = (): void => {
          if (armed === "after looking") {
            got = exchange(door, MAIL, 0) === 1
            if (!got && !listen(door, BELL, load(door, BELL), look)) look()
          } else {
            const rings = load(door, BELL)
            got = exchange(door, MAIL, 0) === 1
            if (!got && !listen(door, BELL, rings, look)) look()
          }
        }
        look()
        self.until(() => got)
      },
      postman: (door) => {
        store(door, MAIL, 1)
        add(door, BELL, 1)
        notify(door, BELL)
      },
    },
  })
}

test("[MC39] a doorbell armed after looking is a lost wake-up", () => {
  const violation = violationIn(() => doorbell("after looking"))
  assert.equal(violation.kind, "lost wake-up")
  assert.match(violation.message, /awaiting awaits a ring of door\.bell/)
  assertExplored(doorbell("before looking"), 20)
})
