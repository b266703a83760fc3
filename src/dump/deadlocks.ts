import type { DumpedThread } from "../thread/thread-dump.ts"

/**
 * Finds the cycles of threads that wait for each other. A thread that waits for several things is in a cycle if one
 * of these waits leads back to it. With `Promise.all` that is a deadlock; with `Promise.race` it need not be one.
 */
export function deadlocks(threads: readonly DumpedThread[]): string[][] {
  const waits = new Map<string, string[]>()
  for (const { name, waitsFor = [] } of threads) {
    const owners = waitsFor.map(({ owner }) => owner).filter((owner) => owner !== undefined)
    waits.set(name, [...(waits.get(name) ?? []), ...owners])
  }
  const found: string[][] = []
  const done = new Set<string>()
  const walk = (name: string, path: string[]): void => {
    const at = path.indexOf(name)
    if (at >= 0) found.push(path.slice(at))
    else if (!done.has(name)) {
      for (const owner of waits.get(name) ?? []) walk(owner, [...path, name])
      done.add(name)
    }
  }
  for (const name of waits.keys()) walk(name, [])
  return found
}
