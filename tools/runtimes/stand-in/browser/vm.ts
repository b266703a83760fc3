/** Stands in for `node:vm` in browsers, as far as tests get the collector of garbage by it. */
export function runInNewContext(name: string): unknown {
  const found = (globalThis as Record<string, unknown>)[name]
  if (found === undefined) throw new ReferenceError(`This browser has no ${name}`)
  return found
}
