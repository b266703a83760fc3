/** Collects all garbage now. */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

export const collectGarbage: () => void = collector()

function collector(): () => void {
  const { Bun } = globalThis as { Bun?: { gc(wait: boolean): void } }
  if (Bun !== undefined) return () => Bun.gc(true)
  // Of V8 a context made after this has it as a global.
  setFlagsFromString("--expose-gc")
  return runInNewContext("gc") as () => void
}
