/** For a thread in whose eyes the wall clock was set back, until corepool has looked at it once. */
import { runtime } from "#host/runtime/clock"

const now = runtime.wallTime
const world = globalThis as { setBack?: boolean }

world.setBack = true
runtime.wallTime = () => {
  const isSetBack = world.setBack === true
  world.setBack = false
  return isSetBack ? now() - 3_600_000 : now()
}
