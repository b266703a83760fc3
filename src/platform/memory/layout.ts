/**
 * The layout of the memory of a pool of platform threads. It is one buffer, of which every thread has a view. The
 * records of tasks are at its end and grow.
 *
 *     STATE               control word, sizes, counters                      (core/pool-state.ts)
 *     HEADER              the owner of the pool, and requests to the owner
 *     WAITERS             the queue of idle workers                          (memory/wait/wait-queue.ts)
 *     GATE                the queue of workers of a paused pool              (shared-gate.ts)
 *     TURN                the queue of idle workers, if there is a limiter   (sync/pacing.ts)
 *     WORKER_TABLE        a line for each worker                             (worker-line.ts)
 *     COMPLETION_QUEUES   a line for each thread that submits                (completion-queues.ts)
 *     TIMES               how long tasks wait and run                        (core/pool-times.ts)
 *     EVENTS              whether code listens, and rings of events          (worker-events.ts)
 *     RING                the slots of the tasks that wait                   (memory/structures/ring.ts)
 *     SLOTS               which records are in use                           (memory/structures/slots.ts)
 *     TASKS               a record for each slot                             (task-records.ts)
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
  /** How many tasks may wait; 0 for a hand-over, −1 without a limit, NOTHING if no task ever waits. */
  BOUND: 2,
  /** How many workers wait without having been promised a task; only if BOUND is 0. */
  IDLE: 3,
  /** How many slots there are. */
  CAPACITY: 4,
  /**
   * 1 if workers ring the owner when they become idle: guests have submitted tasks, and the process stays alive until
   * these are done.
   */
  FOREIGN: 5,
  /** Which of the ready-made policies rejects tasks; 0 if the policy is a function of the owner. */
  POLICY: 6,
  /** Which hooks the owner's class has; bits. */
  HOOKS: 7,
  /** Tasks that the owner's handler has to reject: the top slot, linked to the others by TASK.NEXT. */
  REJECTED: 8,
  /** The identity of this pool, in two words. */
  IDENTITY: 9,
  /** The highest number that any worker has had. */
  WORKERS: 11,
  /** The token of the spinner: see task-queue.ts. */
  SPINNER: 12,
  /** In which order tasks are taken: BY_ARRIVAL, BY_PRIORITY or BY_TIME. */
  ORDER: 13,
  /** The token of the worker that backs off: see task-queue.ts. */
  BACKOFF: 14,
  /** The number of the worker that found, as it left, that the pool has ended; 0 if another thread found it. */
  LAST: 15,
  /** 1 if a thread that is no worker ever took another thread's task out of the queue: see taker.ts. */
  TAKES: 16,
  /**
   * Odd while the owner settles what a dead worker has left. The owner counts it up when it begins and when it ends.
   */
  REAPS: 17,
  /** 1 if a guest wants to know when the pool is quiescent: the owner rings all threads then. */
  WATCHED: 18,
  /** 1 if forks of scopes were ever submitted. */
  SCOPES: 19,
  SIZE: 20,
} as const

/** A value of BOUND. */
export const NOTHING = -2

/** Values of ORDER. */
export const BY_ARRIVAL = 0
export const BY_PRIORITY = 1
export const BY_TIME = 2

/** The words of a worker's line: see worker-line.ts. */
export const WORKER = {
  STATUS: 0,
  TOKEN: 1,
  TASK: 2,
  CLAIM: 3,
  PHASE: 4,
  /** Two words. They belong to the line, not to the worker that has the line now. */
  COMPLETED: 5,
  /**
   * The handle of a task that a thread other than the owner has interrupted; the owner has to make sure that it stops.
   */
  STOP: 7,
  /** The hook for which this worker waits and which the owner has to call; afterwards the owner's answer. */
  ASK: 8,
  /** The bell of the worker, if it has one. */
  BELL: 9,
  /** Tasks under way beside the current one (TASK), linked by TASK.LINK. */
  BESIDE: 10,
  /** 1 if the worker is counted in HEADER.IDLE, or was until it was promised a task. */
  WAITS: 11,
  /** The handle of TASK: it tells one use of the slot from the next. */
  HANDLE: 12,
  /** A periodic task that the worker has run and is putting back into the queue. */
  RETURNS: 13,
  /**
   * The task inside of which the worker runs TASK, linked by TASK.LINK to the task inside of which that runs, and so
   * on.
   */
  BELOW: 14,
  /** The low word of COMPLETED when the worker got TASK. As long as the two are equal, TASK is not counted. */
  COUNTED: 15,
  SIZE: 16,
} as const

/** The words of a completion queue: see completion-queues.ts. */
export const COMPLETION_QUEUE = {
  TOKEN: 0,
  BELL: 1,
  TOP: 2,
  /** The slot that the thread, though no worker, is about to take out of the queue: see taker.ts. */
  CLAIM: 3,
  /**
   * 1 from before the thread shuts the pool down until it has handed over all that it took out of the queue: see
   * endings.ts.
   */
  ENDS: 4,
  /** 1 while the thread resumes the pool: see endings.ts. */
  RESUMES: 5,
  SIZE: 6,
} as const

/**
 * The words of a task's record, in use from the submission until the submitter has the result. A record is two cache
 * lines, of which a small task needs only the first: what most tasks do not have stands at the end.
 */
export const TASK = {
  STATE: 0,
  /**
   * The number of the submitter's completion queue. TAKEN is added if a thread that is no worker has taken the task out
   * of the pool's queue; LINK then has the token of that thread.
   */
  COMPLETION_QUEUE: 1,
  /** In a completion queue: the slot below. */
  NEXT: 2,
  /** The number of the function. Of a task that is over: its worker, if that was noted (`TaskRecords.workerOf`). */
  FUNCTION: 3,
  FLAGS: 4,
  KIND: 5,
  LENGTH: 6,
  BLOCK: 7,
  DATA: 8,
  /** In a worker's list, BELOW or BESIDE: the next slot. If the task is TAKEN: the token of the thread that has it. */
  LINK: 22,
  /**
   * When the task began to run, in ms of the clock that all threads share; only if it is TIMED or MEASURED. Two words.
   */
  STARTED: 23,
  /**
   * The rank in an ordered queue: a priority, or the time at which the task is due, on the clock of STARTED. Two words.
   */
  RANK: 25,
  /** The order among tasks of equal rank. */
  SEQUENCE: 27,
  /** When the task was submitted, on the clock of STARTED; only if it is MEASURED. Two words. */
  SUBMITTED: 28,
  /**
   * The period in ms if the task is periodic, see timetable.ts; of a BY_CALENDAR task the time of day before which it
   * must not begin. Two words. Only if tasks have times.
   */
  PERIOD: 30,
  SIZE: 32,
} as const

/**
 * The parts of KIND: the kind of the encoded value; ENCLOSED if the contents of moved buffers lie behind it; POSTED if
 * some of it went by message; how many references follow it.
 */
export const KIND_MASK = 0x7f
export const ENCLOSED = 0x80
export const POSTED = 0x100
export const REFERENCES_SHIFT = 9

/** How many words of a value fit into the record. */
export const INLINE_WORDS: number = TASK.LINK - TASK.DATA

/** Bits of HOOKS (BEFORE, AFTER), and values of ASK. DONE and THREW are the answers of the owner. */
export const BEFORE = 1
export const AFTER = 2
export const AFTER_AGAIN = 3
/** No hook: a command that another thread has submitted has thrown. */
export const UNCAUGHT = 4
/** As AFTER, but the task will run again. */
export const AFTER_RUN = 5
export const DONE = 6
export const THREW = 7

/** Bits of FLAGS. COMMAND: the task has no future. */
export const COMMAND = 1
/** The submitter wants to know when the task begins. */
export const TIMED = 2
/** The result is not wanted. */
export const VOID = 8
/** The task is one of those whose times are measured. */
export const MEASURED = 4
/** Other threads can send messages to the submitter. */
export const REACHABLE = 16
/** Errors of the task are reported as those of a command are, though it has a future. Its worker does not end. */
export const REPORTED = 32
/** The task is one run of a series by the calendar. */
export const BY_CALENDAR = 64
/** The worker is always noted, whatever the outcome: the future has a `done()` that may throw. */
export const NOTED = 128
/** The last of the arguments are stores for the task: see executor/propagation.ts. */
export const CARRIES = 256
/** Code listens to events of the task. */
export const OBSERVED = 512
/** The task was forked. */
export const IS_FORKED = 1024
/** The submitter may block, and reads no messages then: a large result goes through shared memory. */
export const DEAF = 2048
/** The task is a fork of a scope: it ends if its submitter dies (orphaned-forks.ts). */
export const SCOPED = 4096

/** As many as there can be threads that share memory. */
export const MOST_WORKERS = 1023
export const MOST_COMPLETION_QUEUES = 1023
/** The completion queue of the owner of the pool. */
export const OWN_QUEUE = 1

/** The parts of TASK.COMPLETION_QUEUE. */
export const COMPLETION_QUEUE_MASK = 0x3ff
export const TAKEN = 0x400

const HEADER_BASE = wholeLines(STATE_WORDS)
const WAITERS_BASE = HEADER_BASE + wholeLines(HEADER.SIZE)
const GATE_BASE = WAITERS_BASE + wholeLines(QUEUE.SIZE)
const TURN_BASE = GATE_BASE + wholeLines(QUEUE.SIZE)
const WORKER_TABLE_BASE = TURN_BASE + wholeLines(QUEUE.SIZE)
const COMPLETION_QUEUES_BASE = WORKER_TABLE_BASE + (MOST_WORKERS + 1) * LINE
const TIMES_BASE = COMPLETION_QUEUES_BASE + (MOST_COMPLETION_QUEUES + 1) * LINE
const EVENTS_BASE = TIMES_BASE + wholeLines(TIMES_WORDS)
const RING_BASE = EVENTS_BASE + wholeLines(MOST_WORKERS + 1)

interface Bases {
  readonly HEADER: number
  readonly WAITERS: number
  readonly GATE: number
  readonly TURN: number
  /** Where the line of worker 0 would be: workers are numbered from 1. */
  readonly WORKER_TABLE: number
  readonly COMPLETION_QUEUES: number
  readonly TIMES: number
  /** A word that says whether code listens to events, and then one for each worker. */
  readonly EVENTS: number
  readonly RING: number
}

export const BASE: Bases = {
  HEADER: HEADER_BASE,
  WAITERS: WAITERS_BASE,
  GATE: GATE_BASE,
  TURN: TURN_BASE,
  WORKER_TABLE: WORKER_TABLE_BASE,
  COMPLETION_QUEUES: COMPLETION_QUEUES_BASE,
  TIMES: TIMES_BASE,
  EVENTS: EVENTS_BASE,
  RING: RING_BASE,
}

/** The most tasks that can be queued, running, or done and not yet received by their submitters. */
export const MOST_TASKS: number = 2 ** 20 - 1

/** How many cells the ring for this number of slots has. */
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
