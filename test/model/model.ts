/** What a test says about its model, and what it is told. */

/** What a body is told about itself. */
export interface Self {
  readonly name: string
  /**
   * The thread has not finished before the condition holds, though its body has returned: it awaits, and listeners
   * have to bring it about. An execution that ends before is a lost wake-up.
   */
  until(condition: () => boolean): void
}

/** How far the exploration goes. All optional. */
export interface Limits {
  /** How many may die in one execution; 1 unless told. */
  kills?: number
  /** Whether a thread that may be killed may be so between two plain writes, too; true unless told. */
  killAtWrites?: boolean

  /** Plain reads and writes are scheduling points as well: finds races on plain words. */
  plainSteps?: boolean
  /**
   * When a wait with a time limit times out: at any moment ("any", unless told); at any moment, but only so many times
   * in an execution, and otherwise if nobody can go on; or "never", so that to rely on the limit is a lost wake-up.
   */
  timeouts?: "any" | "never" | number
  /**
   * How often in a row a thread may `pause` without any change by others before it is held until there is one, or
   * nobody else can go on; 1 unless told. Code that spins so often and then parks needs as many.
   */
  spins?: number
  /** How often a thread may be left for another one though it could go on; unlimited unless told. */
  preemptions?: number
  /** An execution with more steps is a livelock; 1,000 unless told. */
  steps?: number
  /** A model with more states is refused with a ModelError, for nothing is left out silently; a million unless told. */
  states?: number
}

export interface Model<S, R extends Record<string, unknown>> extends Limits {
  /** Allocates and fills the words that threads share. Called once; what it returns must not change afterwards. */
  setup: () => S
  /** The threads, by name. Each builds all its own objects: it is called again and again, from the beginning. */
  threads: { readonly [Name in keyof R]: (shared: S, self: Self) => R[Name] }
  /** Called before a body or a listener is run, by whichever thread: sets what the library keeps per thread. */
  enter?: (shared: S, name: string) => void
  /** Must hold between any two steps: throws, or returns false. Reads words through `#atomics` only. */
  invariant?: (shared: S) => boolean | void
  /** Looks at the end of an execution, and at what the bodies returned: undefined for a thread that was killed. */
  finally?: (shared: S, outcomes: { readonly [Name in keyof R]: R[Name] | undefined }) => void

  /** Threads that may die before any of their steps, in their sleep, and after their end. */
  kill?: (keyof R & string) | readonly (keyof R & string)[]
  /** Runs as a further thread once a thread was killed. */
  onKill?: (shared: S, killed: string) => void
}

/** How much was explored. A test should demand that it was not next to nothing. */
export interface Report {
  /** Ends that were reached, on different ways. */
  executions: number
  states: number
  /** Moves that were taken, all executions together. */
  moves: number
}
