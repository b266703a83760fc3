import { sharedNow } from "#src/time/shared-clock.js"

/** By how much the shared clock, as this thread reads it, is ahead of the monotonic clock of the process, in ms. */
export function clockOffset(): number {
  let offset = 0
  for (let i = 0, least = Infinity; i < 1_000; i++) {
    const before = process.hrtime.bigint()
    const time = sharedNow()
    const after = process.hrtime.bigint()
    if (Number(after - before) >= least) continue
    least = Number(after - before)
    offset = time - Number(before + after) / 2e6
  }
  return offset
}
