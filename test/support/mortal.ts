/**
 * Makes a thread die in the middle of what the library does: it ends itself instead of the access to shared memory that comes
 * after so many others. For tasks; the thread is spoilt for anything else.
 */
const ACCESSES = ["load", "store", "compareExchange", "exchange", "add"] as const

type Access = (...args: unknown[]) => unknown

/** Calls `body`, in which this thread dies unless that takes fewer accesses. */
export function dyingAfter<T>(accesses: number, body: () => T): T {
  let left = accesses
  const atomics = Atomics as unknown as Record<(typeof ACCESSES)[number], Access>
  const originals = ACCESSES.map((name) => atomics[name])
  for (const [i, name] of ACCESSES.entries()) {
    atomics[name] = (...args) => {
      if (left-- === 0) process.exit(3)
      return originals[i]?.(...args)
    }
  }
  try {
    return body()
  } finally {
    for (const [i, name] of ACCESSES.entries()) atomics[name] = originals[i] as Access
  }
}
