/** The words of a queue that threads share. shared-core.ts describes the protocol. */
import { LOCK_WORDS } from "../../lock/lock-sync.ts"
import { wholeLines } from "../../memory/layout.ts"

/** A list of cells. */
export const LIST = { FIRST: 0, LAST: 1, COUNT: 2, SIZE: 3 } as const

/** The words of the queue itself, after those of its lock. */
export const CONTROL = {
  /** 1 while a thread changes the queue. A thread that finds 1 on entry has got the lock from a dead thread. */
  BUSY: 0,
  /** How many deaths of threads the last sweep has dealt with. */
  DEATHS_SEEN: 1,
  CLOSED: 2,
  /** Never changes. */
  CAPACITY: 3,
  /** 1 if the flow that came last is served first; never changes. */
  LATEST_FIRST: 4,
  /** The ticket given out last. */
  TICKETS: 5,
  /** The ORDER of the element inserted last at each end. */
  HEAD_ORDER: 6,
  TAIL_ORDER: 7,
  /** Tickets of the leader, the taker that waits for the head to expire, and of that head. */
  LEADER: 8,
  LEADS_FOR: 9,
  /** The words of the store, and of four lists. */
  STORE: 10,
  ITEMS: 13,
  PUTTERS: 16,
  TAKERS: 19,
  LEAVING: 22,
  SIZE: 25,
} as const

/** Where the control words begin, and how many words the queue needs beyond those of the lock. */
export const CONTROL_BASE: number = wholeLines(LOCK_WORDS)
export const MORE_WORDS: number = CONTROL_BASE + CONTROL.SIZE - LOCK_WORDS

/** The words of the first cell of an element or of a waiting flow: `CELL.LINK`, and those from `CELL.OWN` on. */
export const ENTRY = {
  /** The link of a list. A GIVEN element is in no list: its taker. */
  NEXT: 0,
  /** What it is: see below. */
  STATE: 3,
  /** The link of a list; for an element in a heap its place there. */
  PREV: 4,
  /**
   * Different for each use of the cell, so that a thread that remembers it can tell whether the use is still the same.
   */
  TICKET: 5,
  /**
   * The place among the elements: ascending from head to tail. For a SERVED taker: its element. For a PENDING putter:
   * how many cells its element needs.
   */
  ORDER: 6,
  /**
   * Thread and wait node of the waiting flow, if there is one. For an element that expires: the two halves of its time.
   */
  THREAD: 7,
  NODE: 8,
  /** The kind of value, and flags. */
  SHAPE: 9,
} as const

/** States of a cell. */
export const FREE = 0
/** An element in the queue. */
export const IN = 1
/** An element whose putter waits for room, or for a taker. */
export const PUTTER = 2
/** A flow that waits for an element. */
export const TAKER = 3
/** An element that belongs to a taker, which has yet to fetch it. */
export const GIVEN = 4
/** A taker with an element to fetch. */
export const SERVED = 5
/** A flow that waited, and has yet to see that the queue was closed. */
export const REFUSED = 6
/** An element that a draining thread has taken out, but has not handed over yet. */
export const HELD = 7

/** Parts of the SHAPE. */
export const KIND = 0xff
/** The operation is at the first end of a deque, not the last. */
export const AT_FIRST = 0x100
/** The producer waits until the element has been received. */
export const TRANSFER = 0x200
/** A putter without its element: there was no memory for the element. */
export const PENDING = 0x400
