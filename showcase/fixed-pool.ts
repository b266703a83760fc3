import { Executors, virtualThreads } from "corepool"
import { type Screen, type Stage, work } from "./screen.ts"

const PICTURES = {
  Mercury: 300,
  Venus: 500,
  Earth: 400,
  Mars: 450,
  Jupiter: 250,
  Saturn: 350,
  Uranus: 300,
  Neptune: 400,
  Pluto: 200,
}

export const fixedPool: Stage = {
  title: "A fixed pool",
  about: "Nine downloads, three virtual threads. Who is free takes the next one.",
  file: "fixed-pool.ts",

  async run(screen: Screen): Promise<void> {
    await using pool = Executors.newFixedThreadPool(3, virtualThreads({ name: "io" }))

    const futures = Object.entries(PICTURES).map(([planet, ms]) => pool.submit(work, screen, planet, ms))
    screen.say(`${pool.activeCount} running, ${pool.queue.size} waiting`)

    await Promise.all(futures)
    screen.say(`${pool.completedTaskCount} done, never more than ${pool.largestPoolSize} at a time`)
  },
}
