/** What the clocks of all hosts have in common. */

/** The runtime's clocks and timers. `Timeout` is a timer that was started. */
export interface Clocks<Timeout> {
  /** Milliseconds since about when corepool was loaded in this thread. Never goes back. */
  now: () => number
  /** Milliseconds on a clock that all threads of the process read alike; where there is none, on the wall clock. */
  sharedNow: () => number
  /** When the clock of `now` began, on the clock of `sharedNow`. */
  readonly origin: number
  /** Milliseconds since 1970, by the wall clock. */
  wallTime: () => number
  startTimeout: (fire: () => void, delay: number) => Timeout
  stopTimeout: (timeout: Timeout | undefined) => void
  startInterval: (fire: () => void, delay: number) => Timeout
  /** After the event loop has gone round once. */
  afterTurn: (call: () => void) => void
  /** At the end of the present job. An error that `call` throws is an uncaught error. */
  microtask: (call: () => void) => void
  clone: <T>(value: T, options?: { transfer: ArrayBuffer[] }) => T
}

/**
 * The timers as the program has them now, fake or not: for what takes the place of another library, whose time limits a
 * test of the program moves by its fake timers.
 */
export interface ProgramTimers {
  start(fire: () => void, delay: number): unknown
  stop(timer: unknown): void
}

/** The original function, if this is a fake of `@sinonjs/fake-timers`. */
export function unfaked<T extends object>(name: string, thing: T): T {
  const { clock } = thing as { clock?: Record<string, unknown> }
  return (clock?.[`_${name}`] as T | undefined) ?? thing
}
