/** The words of a queue that threads share. What they mean to each other is told in shared-core.ts. */
import { LOCK_WORDS } from "../../lock/lock-sync.ts"
import { wholeLines } from "../../memory/layout.ts"

/** A list of cells. */
export const LIST = { FIRST: 0, LAST: 1, COUNT: 2, SIZE: 3 } as const

/** The words of the queue itself, after those of its lock. */
export const CONTROL = {
  /** 1 while somebody is changing something. Who finds it so has got the lock from a dead thread. */
  BUSY: 0,
  /** Up to which death those who had died were looked for. */
  DEATHS_SEEN: 1,
  CLOSED: 2,
  /** Never changes. */
  CAPACITY: 3,
  /** 1 if those who came last are served first; never changes. */
  LATEST_FIRST: 4,
  /** The ticket given out last. */
  TICKETS: 5,
  /** Where the next element at each end comes. */
  HEAD_ORDER: 6,
  TAIL_ORDER: 7,
  /** Tickets of the taker that waits for the head to expire, and of that head. */
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

/** Where they begin, and how many there are beyond those of the lock. */
export const CONTROL_BASE: number = wholeLines(LOCK_WORDS)
export const MORE_WORDS: number = CONTROL_BASE + CONTROL.SIZE - LOCK_WORDS

/** The words of the first cell of an element, or of somebody who waits: `CELL.LINK`, and those from `CELL.OWN` on. */
export const ENTRY = {
  /** The link of a list. Of a GIVEN element, which is in none: its taker. */
  NEXT: 0,
  /** What it is: see below. */
  STATE: 3,
  /** The link of a list; of an element in a heap its place there. */
  PREV: 4,
  /** Different for each use of the cell: who remembers it knows whether it is still the same. */
  TICKET: 5,
  /**
   * The place among the elements: ascending from head to tail. Of a SERVED taker: its element. Of a PENDING putter: how
   * many cells its element needs.
   */
  ORDER: 6,
  /** Whose wait it is, if anybody's: thread and wait node. Of an element that expires: the two halves of its time. */
  THREAD: 7,
  NODE: 8,
  /** The kind of value, and flags. */
  SHAPE: 9,
} as const

/** States of a cell. */
export const FREE = 0
/** An element in the queue. */
export const IN = 1
/** An element whose putter waits for room, or to be met. */
export const PUTTER = 2
/** Somebody who waits for an element. */
export const TAKER = 3
/** An element that is a taker's, who has yet to fetch it. */
export const GIVEN = 4
/** A taker with an element to fetch. */
export const SERVED = 5
/** Somebody who waited, and has yet to see that the queue was closed. */
export const REFUSED = 6
/** An element in the hands of a thread that is draining. */
export const HELD = 7

/** Parts of the SHAPE. */
export const KIND = 0xff
/** It is about the first end of a deque, not the last. */
export const AT_FIRST = 0x100
/** Somebody waits for the element to be received. */
export const TRANSFER = 0x200
/** A putter without its element: there was no memory for it. */
export const PENDING = 0x400
