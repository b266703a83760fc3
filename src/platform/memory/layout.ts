/**
 * Where everything lies in the memory of a pool of platform threads. One buffer, of which every thread has a view; the
 * records of tasks are its end, and grow.
 *
 *     STATE     control word, sizes, counters                     (core/pool-state.ts)
 *     HEADER    who owns the pool, and what the owner is asked for
 *     WAITERS   the queue of idle workers                          (memory/wait/wait-queue.ts)
 *     WORKER_TABLE    a line for each worker                             (shared-worker.ts)
 *     COMPLETION_QUEUES     a line for each thread that submits                (completion-queues.ts)
 *     TIMES     how long tasks wait and run                        (core/pool-times.ts)
 *     RING      the tasks that wait, by the number of their slot   (memory/structures/ring.ts)
 *     SLOTS     which records are in use                           (memory/structures/slots.ts)
 *     TASKS     a record for each slot                             (task-records.ts)
 */
import { LINE, wholeLines } from "../../memory/layout.ts"
import { bitsFor } from "../../memory/capacity.ts"
import { Ring } from "../../memory/structures/ring.ts"
import { Slots } from "../../memory/structures/slots.ts"
import { QUEUE } from "../../memory/wait/combining-list.ts"
import { TIMES_WORDS } from "../../core/pool-times.ts"
import { STATE_WORDS } from "../../core/pool-state.ts"

export const HEADER = {
  OWNER: 0,
  OWNER_BELL: 1,
  /** How many tasks wait at most; 0 for a hand-over, −1 without a limit, NOTHING if none ever does. */
  BOUND: 2,
  /** Workers that wait and are not promised a task; only if BOUND is 0. */
  IDLE: 3,
  /** How many slots there are. */
  CAPACITY: 4,
  /**
   * 1 if the owner is to be told when there may be nothing to do any more: the process stays for what others have
   * submitted.
   */
  FOREIGN: 5,
  /** Which of the ready-made policies rejects tasks; 0 if it is a function of the owner's. */
  POLICY: 6,
  /** Which hooks the owner's class has; bits. */
  HOOKS: 7,
  /** Tasks that the owner's handler is to reject: a slot, linked to others by TASK.NEXT. */
  REJECTED: 8,
  /** What tells this pool from others, in two words. */
  IDENTITY: 9,
  /** The highest number that a worker ever had. */
  WORKERS: 11,
  /** The token of an idle worker that is wide awake and looks for tasks; see task-queue.ts. */
  SPINNER: 12,
  /** In which order tasks are taken: BY_ARRIVAL, BY_PRIORITY or BY_TIME. */
  ORDER: 13,
  /** The token of one that has been woken too often, and looks for tasks again in a moment. */
  BACKOFF: 14,
  /** The number of the worker that has found, as it left, that the pool has ended; 0 if it was another thread. */
  LAST: 15,
  /** 1 if a thread that is no worker ever took a task of another thread's out of the queue: see taker.ts. */
  TAKES: 16,
  /**
   * Odd while the owner deals with what a worker has left that has died; or even: how often it has begun or ended that.
   */
  REAPS: 17,
  SIZE: 18,
} as const

/** A value of BOUND. */
export const NOTHING = -2

/** Values of ORDER. */
export const BY_ARRIVAL = 0
export const BY_PRIORITY = 1
export const BY_TIME = 2

/** What is known of a worker. */
export const WORKER = {
  STATUS: 0,
  TOKEN: 1,
  TASK: 2,
  CLAIM: 3,
  PHASE: 4,
  /** Belongs to the place, not to the worker that has it now; and 6. */
  COMPLETED: 5,
  /** The handle of a task that was interrupted by another thread than the owner, which has to see that it stops. */
  STOP: 7,
  /** A hook that the owner is to call, and for which it waits; or how that went. */
  ASK: 8,
  /** Its bell, if it has one. */
  BELL: 9,
  /** Tasks that are under way beside the one in hand, linked by TASK.LINK. */
  BESIDE: 10,
  /** 1 if it is counted in HEADER.IDLE, or was until it was promised a task. */
  WAITS: 11,
  /** Of TASK: which use of its slot. */
  HANDLE: 12,
  /** A periodic task that it has run, and puts back into the queue. */
  RETURNS: 13,
  /** The task in the midst of which it runs the one in hand, linked by TASK.LINK to that beneath it, and so on. */
  BELOW: 14,
  /** What COMPLETED was, its low word, when the worker got TASK: as long as it still is, TASK is not counted. */
  COUNTED: 15,
  SIZE: 16,
} as const

/** What is known of a thread that submits. */
export const COMPLETION_QUEUE = {
  TOKEN: 0,
  BELL: 1,
  TOP: 2,
  /** The slot that the thread is about to take out of the queue, though it is no worker: see taker.ts. */
  CLAIM: 3,
  /**
   * 1 while the thread shuts the pool down, and has not handed over all that it took out of the queue: see endings.ts.
   */
  ENDS: 4,
  SIZE: 5,
} as const

/**
 * A task: from its submission to the moment when its submitter has its result. Two cache lines, of which a small task
 * needs the first one only: what most tasks do not have stands at the end.
 */
export const TASK = {
  STATE: 0,
  /**
   * The number of its submitter's box, and TAKEN if a thread that is no worker has taken it out of the queue: then LINK
   * says which.
   */
  COMPLETION_QUEUE: 1,
  /** In a box: the slot below. */
  NEXT: 2,
  /** What to call; of a task that is over, the number of its worker, if FLAGS say that somebody wants to know. */
  FUNCTION: 3,
  FLAGS: 4,
  KIND: 5,
  LENGTH: 6,
  BLOCK: 7,
  DATA: 8,
  /** In the list of a worker, BELOW or BESIDE: the next one. If it is TAKEN: the token of the thread that has it. */
  LINK: 22,
  /**
   * When it began to run, in ms of the clock that threads share, if FLAGS say that somebody wants to know; two words.
   */
  STARTED: 23,
  /** By what it is ordered, if it is: its priority, or when it is due, as STARTED; two words. */
  RANK: 25,
  /** And among equals by this. */
  SEQUENCE: 27,
  /** When it was submitted, as STARTED, if it is one of those that are measured; two words. */
  SUBMITTED: 28,
  /**
   * In ms, if it is run again and again, see timetable.ts; for a BY_CALENDAR task the time of day before which it must
   * not begin. Two words. Only if tasks have times.
   */
  PERIOD: 30,
  SIZE: 32,
} as const

/** The parts of KIND: that of the letter, whether something of it was posted, and how many references come after it. */
export const KIND_MASK = 0xff
export const POSTED = 0x100
export const REFERENCES_SHIFT = 9

/** How much a record has room for itself. */
export const INLINE_WORDS: number = TASK.LINK - TASK.DATA

/** Bits of HOOKS, and values of ASK; the last two are answers. */
export const BEFORE = 1
export const AFTER = 2
export const AFTER_AGAIN = 3
/** No hook: a command that another thread has submitted has thrown. */
export const UNCAUGHT = 4
/** As AFTER, but the task is to run again. */
export const AFTER_RUN = 5
export const DONE = 6
export const THREW = 7

/** A bit of FLAGS: nobody has a future of it. */
export const COMMAND = 1
/** Another one: somebody wants to know when it begins. */
export const TIMED = 2
/** Another: nobody wants what it returns. */
export const VOID = 8
/** And another: it is one of those that are measured. */
export const MEASURED = 4
/** And another: things can be posted to its submitter. */
export const REACHABLE = 16
/** And another: what it throws is told as what a command throws, though it has a future, and its worker lives on. */
export const TOLD = 32
/** And another: it is one run of a series by the calendar. */
export const BY_CALENDAR = 64
/** And another: its worker is noted, whatever becomes of it: its future has a `done()` that may throw. */
export const NOTED = 128

/** As many as threads can share memory. */
export const MOST_WORKERS = 1023
export const MOST_COMPLETION_QUEUES = 1023

/** The parts of TASK.BOX. */
export const COMPLETION_QUEUE_MASK = 0x3ff
export const TAKEN = 0x400

const HEADER_BASE = wholeLines(STATE_WORDS)
const WAITERS_BASE = HEADER_BASE + wholeLines(HEADER.SIZE)
const WORKER_TABLE_BASE = WAITERS_BASE + wholeLines(QUEUE.SIZE)
const COMPLETION_QUEUES_BASE = WORKER_TABLE_BASE + (MOST_WORKERS + 1) * LINE
const TIMES_BASE = COMPLETION_QUEUES_BASE + (MOST_COMPLETION_QUEUES + 1) * LINE
const RING_BASE = TIMES_BASE + wholeLines(TIMES_WORDS)

interface Bases {
  readonly HEADER: number
  readonly WAITERS: number
  /** Where worker 0 would be: they are numbered from 1. */
  readonly WORKER_TABLE: number
  readonly COMPLETION_QUEUES: number
  readonly TIMES: number
  readonly RING: number
}

export const BASE: Bases = {
  HEADER: HEADER_BASE,
  WAITERS: WAITERS_BASE,
  WORKER_TABLE: WORKER_TABLE_BASE,
  COMPLETION_QUEUES: COMPLETION_QUEUES_BASE,
  TIMES: TIMES_BASE,
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
