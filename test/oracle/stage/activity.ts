/**
 * What a thread of a pool is about, told to other threads by itself. Whether it is at rest cannot be seen from outside: the
 * word on which it parks also says that it sleeps while it finds a reason not to, and, if it awaits, while it runs.
 *
 * So everything is counted that makes a thread go on: sleeps, where they begin and where they end, rings, and callbacks of
 * timers. If STIRS is the same twice, none of them happened in between. What it was about before that is over too, if it
 * was asleep, or else if it has answered a question in between, which its event loop comes to only then, and nothing is
 * PENDING there. Only long waits count as sleep, and only short timers as pending: 60 s stand for ever in a scenario, and so
 * does, on a clock that stands still meanwhile, a good part of a tick.
 */
import { runtime } from "#host/runtime/clock"

export const ACTIVITY = {
  /** The thread's name in shared memory; 0 before it can have a task. */
  TOKEN: 0,
  STIRS: 1,
  ASLEEP: 2,
  /** Timers and turns of the event loop that the thread has asked for and not got yet. */
  PENDING: 3,
  /** The number of the last question, and of the last one that was answered. */
  ASKED: 4,
  ANSWERED: 5,
  /** When it could have its first task, in ms: see {@link clock}. */
  BEGUN: 6,
  SIZE: 7,
} as const

/** Milliseconds on a clock that all threads have, in a word. */
export function clock(): number {
  return Date.now() % 2 ** 30
}

type Fn = (...args: never[]) => unknown
type Wait = (words: Int32Array, index: number, value: number, ms?: number) => string
type WaitAsync = (
  ...args: Parameters<Wait>
) => { async: false; value: string } | { async: true; value: Promise<string> }

const atomics = Atomics as unknown as { wait: Wait; waitAsync: WaitAsync }
const { wait, waitAsync } = atomics
const { setImmediate: turn, setTimeout: startTimer, clearTimeout: stopTimer } = globalThis

/** From now on the thread counts, in these words; what takes longer than `short` ms takes for ever. To be called before corepool is loaded. */
export function countActivity(words: Int32Array, short: number): void {
  const stir = (): void => void Atomics.add(words, ACTIVITY.STIRS, 1)
  const pend = (change: number): void => void Atomics.add(words, ACTIVITY.PENDING, change)

  atomics.wait = (...args) => {
    if ((args[3] ?? Infinity) <= short) return wait(...args)
    stir()
    Atomics.store(words, ACTIVITY.ASLEEP, 1)
    try {
      return wait(...args)
    } finally {
      Atomics.store(words, ACTIVITY.ASLEEP, 0)
      stir()
    }
  }

  atomics.waitAsync = (...args) => {
    const waiting = waitAsync(...args)
    if (!waiting.async) return waiting
    const rung = waiting.value.then((how) => {
      stir()
      return how
    })
    return { async: true, value: rung }
  }

  const shortTimers = new WeakSet<object>()
  const counted = {
    setImmediate: (callback: Fn, ...args: never[]) => {
      pend(1)
      return turn(() => {
        stir()
        pend(-1)
        callback(...args)
      })
    },
    setTimeout: (callback: Fn, ms?: number, ...args: never[]) => {
      if ((ms ?? 0) > short) return startTimer(callback, ms, ...args)
      pend(1)
      const timer = startTimer(() => {
        stir()
        if (shortTimers.delete(timer)) pend(-1)
        callback(...args)
      }, ms)
      shortTimers.add(timer)
      return timer
    },
    clearTimeout: (timer: NodeJS.Timeout | undefined) => {
      if (timer !== undefined && shortTimers.delete(timer)) pend(-1)
      stopTimer(timer)
    },
  }
  Object.assign(globalThis, counted)
  // corepool has taken its own already, when this file imported them.
  runtime.startTimeout = counted.setTimeout
  runtime.stopTimeout = counted.clearTimeout
  runtime.afterTurn = counted.setImmediate
  answerQuestions(words)
}

/** By another turn of the event loop: what it is about now may have asked for one. */
function answerQuestions(words: Int32Array): void {
  const question = Atomics.load(words, ACTIVITY.ASKED)
  turn(() => {
    Atomics.store(words, ACTIVITY.ANSWERED, question)
    const waiting = waitAsync(words, ACTIVITY.ASKED, question)
    if (waiting.async) void waiting.value.then(() => answerQuestions(words))
    else answerQuestions(words)
  })
}
