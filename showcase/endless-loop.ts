import { Executors, platformThreads, TimeoutError } from "corepool"
import { inMs, say, type Stage, timed } from "./stage.ts"
import { spin, whoAmI } from "./tasks.ts"

export const endlessLoop: Stage = {
  title: "Stopping an endless loop",
  about: "cancel(true) asks a task to stop. A task that ignores it is terminated with its thread, here 200 ms later.",
  file: "endless-loop.ts",

  async run(): Promise<void> {
    await using pool = Executors.newFixedThreadPool(1, platformThreads({ name: "worker", terminateAfter: 200 }))
    say(`${await pool.submit(whoAmI)} is about to run "for (;;);"`)
    const endless = pool.submit(spin)
    try {
      await endless.get(100)
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error
      say(`no result after 100 ms, it is ${endless.state}`)
    }

    const next = pool.submit(whoAmI)
    endless.cancel(true)
    say(`cancel(true): its future is ${endless.state}`)
    const { value, ms } = await timed(() => next)
    say(`the next task was run by ${value}, ${inMs(ms)} later`)
  },
}
