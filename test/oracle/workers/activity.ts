/**
 * Tells other threads what only this thread can know: whether it really sleeps. To be imported before corepool, which
 * takes what it needs of `Atomics` when it is loaded.
 *
 * A thread that blocks says on its park word that it is going to sleep, looks whether there is a reason not to, and sleeps.
 * From outside, a thread that found a reason and goes on looks the same. So the sleeps themselves are counted, where they
 * begin and where they end: an odd number is a sleep. A thread that awaits never sleeps, but begins to listen anew
 * whenever it was rung; that is counted too.
 */
import { ACTIVITY } from "./messages.ts"

export const activity: Int32Array<SharedArrayBuffer> = new Int32Array(new SharedArrayBuffer(ACTIVITY.SIZE * 4))

type Call = (...args: unknown[]) => unknown

const { wait, waitAsync } = Atomics as unknown as { readonly wait: Call; readonly waitAsync: Call }

function countedWait(...args: unknown[]): unknown {
  Atomics.add(activity, ACTIVITY.SLEEPS, 1)
  try {
    return wait(...args)
  } finally {
    Atomics.add(activity, ACTIVITY.SLEEPS, 1)
  }
}

function countedWaitAsync(...args: unknown[]): unknown {
  Atomics.add(activity, ACTIVITY.LISTENS, 1)
  return waitAsync(...args)
}

Object.assign(Atomics, { wait: countedWait, waitAsync: countedWaitAsync })
