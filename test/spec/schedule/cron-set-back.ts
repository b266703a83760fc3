/** For a thread in whose eyes the wall clock was set back, until it has looked at it once. */
const now = Date.now.bind(Date)
const world = globalThis as { setBack?: boolean }

world.setBack = true
Date.now = () => {
  const isSetBack = world.setBack === true
  world.setBack = false
  return isSetBack ? now() - 3_600_000 : now()
}
