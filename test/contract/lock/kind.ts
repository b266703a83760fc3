import type { Lock } from "corepool"

/** A lock, and one beside it that whoever has it keeps all others from having the first. For most locks they are one. */
export interface LockPair {
  readonly lock: Lock
  readonly blocker: Lock
}

/** What the contract has to know about a kind of lock. */
export interface LockKind {
  readonly name: string
  readonly create: () => LockPair
  /** Whether one task at a time can have it; a read lock is had by many. */
  readonly isExclusive: boolean
}
