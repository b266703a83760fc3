/**
 * Where everything lies in the memory of a pool of platform threads. One buffer, of which every thread has a view; the
 * records of tasks are its end, and grow.
 *
 *     STATE     control word, sizes, counters                     (pool/pool-state.ts)
 *     HEADER    who owns the pool, and what the owner is asked for
 *     WAITERS   the queue of idle workers                          (memory/wait-queue.ts)
 *     ROSTER    a line for each worker                             (shared-roster.ts)
 *     BOXES     a line for each thread that submits                (boxes.ts)
 *     RING      the tasks that wait, by the number of their slot   (memory/ring.ts)
 *     SLOTS     which records are in use                           (memory/slots.ts)
 *     TASKS     a record for each slot                             (task-records.ts)
 */
import { LINE, wholeLines } from "../memory/layout.ts"
import { bitsFor } from "../memory/capacity.ts"
import { Ring } from "../memory/ring.ts"
import { Slots } from "../memory/slots.ts"
import { QUEUE } from "../memory/tended-list.ts"
import { STATE_WORDS } from "../pool/pool-state.ts"

export const HEADER = {
  OWNER: 0,
  OWNER_BELL: 1,
  /** How many tasks wait at most; 0 for a hand-over, −1 without a limit. */
  BOUND: 2,
  /** Workers that wait and are not promised a task; only if BOUND is 0. */
  IDLE: 3,
  /** How many slots there are. */
  CAPACITY: 4,
  /** How many tasks of other threads than the owner are queued or running. */
  FOREIGN: 5,
  SIZE: 6,
} as const

/** What is known of a worker. */
export const WORKER = {
  STATUS: 0,
  TOKEN: 1,
  TASK: 2,
  CLAIM: 3,
  PHASE: 4,
  COMPLETED: 5, // and 6
  /** Whether it waits for a task that is handed over. */
  WAITING: 7,
  SIZE: 8,
} as const

/** What is known of a thread that submits. */
export const BOX = { TOKEN: 0, BELL: 1, TOP: 2, SIZE: 3 } as const

/** A task: from its submission to the moment when its submitter has its result. */
export const TASK = {
  STATE: 0,
  BOX: 1,
  NEXT: 2,
  /** What to call; of a command that has failed, the number of its worker. */
  FUNCTION: 3,
  FLAGS: 4,
  KIND: 5,
  LENGTH: 6,
  BLOCK: 7,
  /** When it began to run, in ms of the clock that threads share, if FLAGS say that somebody wants to know; two words. */
  STARTED: 8,
  DATA: 10,
  SIZE: 32,
} as const

/** A bit of FLAGS: nobody has a future of it. */
export const COMMAND = 1

/** As many as threads can share memory. */
export const MOST_WORKERS = 1023
export const MOST_BOXES = 1023

const HEADER_BASE = wholeLines(STATE_WORDS)
const WAITERS_BASE = HEADER_BASE + wholeLines(HEADER.SIZE)
const ROSTER_BASE = WAITERS_BASE + wholeLines(QUEUE.SIZE)
const BOXES_BASE = ROSTER_BASE + (MOST_WORKERS + 1) * LINE
const RING_BASE = BOXES_BASE + (MOST_BOXES + 1) * LINE

interface Bases {
  readonly HEADER: number
  readonly WAITERS: number
  /** Where worker 0 would be: they are numbered from 1. */
  readonly ROSTER: number
  readonly BOXES: number
  readonly RING: number
}

export const BASE: Bases = {
  HEADER: HEADER_BASE,
  WAITERS: WAITERS_BASE,
  ROSTER: ROSTER_BASE,
  BOXES: BOXES_BASE,
  RING: RING_BASE,
}

/** The most tasks that can be queued, running, or done and not yet heard of. */
export const MOST_TASKS: number = 2 ** 20 - 1

/** How many places a ring for so many slots has. */
export function ringPlaces(capacity: number): number {
  return 2 ** Math.max(bitsFor(capacity), 1)
}

export function slotsBase(capacity: number): number {
  return RING_BASE + wholeLines(Ring.wordsFor(ringPlaces(capacity)))
}

/** Where the record of slot 0 would be. */
export function tasksBase(capacity: number): number {
  return slotsBase(capacity) + wholeLines(Slots.wordsFor(capacity, 0)) - TASK.SIZE
}
