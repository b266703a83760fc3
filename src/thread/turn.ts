/**
 * Turns of the event loop. A worker whose tasks never wait for anything outside, or wait only for promises, would go on
 * from microtask to microtask and starve timers and I/O. So after each task it asks whether its turn is over, and if so
 * lets the event loop go round.
 */
import { now } from "../time/timer.ts"
import { runtime } from "#host/runtime/clock"

/** How long workers may keep the loop busy, in ms: short beside a frame, long beside a task. */
const BUDGET = 8

/** The clock is read once in so many tasks at most, and after each one while they are slow. */
const MOST_TASKS_PER_LOOK = 32

let turn: Promise<void> | undefined
let started = 0
let lastLook = 0
let tasksPerLook = 1
let tasksToLook = 1

/** Whether the workers of this event loop have used up their time. To be called after each task. */
export function turnIsOver(): boolean {
  if (--tasksToLook > 0) return false
  const time = now()
  tasksPerLook = time - lastLook > BUDGET / 4 ? 1 : Math.min(tasksPerLook * 2, MOST_TASKS_PER_LOOK)
  tasksToLook = tasksPerLook
  lastLook = time
  if (turn === undefined) void beginTurn()
  return time - started > BUDGET
}

/** Settles when the event loop has gone round once. */
export function nextTurn(): Promise<void> {
  return turn ?? beginTurn()
}

function beginTurn(): Promise<void> {
  started = now()
  turn = new Promise((resolve) => {
    runtime.afterTurn(() => {
      turn = undefined
      resolve()
    })
  })
  return turn
}
