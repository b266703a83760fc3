/**
 * Tells other threads what only this thread can know: whether it really sleeps. To be imported before corepool, which
 * takes what it needs of `Atomics` when it is loaded.
 *
 * A thread that blocks says on its park word that it is going to sleep, looks whether there is a reason not to, and sleeps.
 * From outside, a thread that found a reason and goes on looks the same. So the sleeps themselves are counted, where they
 * begin and where they end: an odd number is a sleep. A thread that awaits never sleeps; what is counted there are the
 * rings that it answers, before it does anything about them. So each count has changed before the park word, after a ring,
 * says again that nobody has rung.
 */
import { ACTIVITY } from "./messages.ts"

export const activity: Int32Array<SharedArrayBuffer> = new Int32Array(new SharedArrayBuffer(ACTIVITY.SIZE * 4))

type Wait = (...args: unknown[]) => unknown
type WaitAsync = (...args: unknown[]) => { async: false; value: string } | { async: true; value: Promise<string> }

const { wait, waitAsync } = Atomics as unknown as { readonly wait: Wait; readonly waitAsync: WaitAsync }

function countingWait(...args: unknown[]): unknown {
  Atomics.add(activity, ACTIVITY.SLEEPS, 1)
  try {
    return wait(...args)
  } finally {
    Atomics.add(activity, ACTIVITY.SLEEPS, 1)
  }
}

const countingWaitAsync: WaitAsync = (...args) => {
  const waiting = waitAsync(...args)
  return waiting.async ? { async: true, value: waiting.value.then(countRing) } : waiting
}

function countRing(outcome: string): string {
  Atomics.add(activity, ACTIVITY.RINGS, 1)
  return outcome
}

Object.assign(Atomics, { wait: countingWait, waitAsync: countingWaitAsync })
