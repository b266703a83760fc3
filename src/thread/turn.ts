/**
 * Turns of the event loop. A worker whose tasks never wait for anything outside, or wait only for promises, would go on from
 * microtask to microtask and starve timers and I/O. So after each task it asks whether its turn is over, and if so gives the loop one.
 */
import { now } from "../time/timer.ts"

/** How long workers may keep the loop busy, in ms: short beside a frame, long beside a task. */
const BUDGET = 8

/** The clock is read once in so many tasks. */
const TASKS_PER_LOOK = 32

let turn: Promise<void> | undefined
let started = 0
let tasks = 0

/** Whether the workers of this loop have had their time. Call after each task. */
export function turnIsOver(): boolean {
  if (++tasks % TASKS_PER_LOOK !== 0) return false
  if (turn === undefined) beginTurn()
  return now() - started > BUDGET
}

/** Settles when the event loop has gone round once. */
export function nextTurn(): Promise<void> {
  return turn ?? beginTurn()
}

function beginTurn(): Promise<void> {
  started = now()
  turn = new Promise((resolve) => {
    setImmediate(() => {
      turn = undefined
      resolve()
    })
  })
  return turn
}
