import { Executors, RejectedExecutionError, virtualThreads } from "corepool"
import { type Screen, type Stage, work } from "./screen.ts"

export const orderlyShutdown: Stage = {
  title: "An orderly end",
  about: "shutdown() finishes what is there. shutdownNow() stops it and returns the rest.",
  file: "shutdown.ts",

  async run(screen: Screen): Promise<void> {
    const crew = Executors.newFixedThreadPool(2, virtualThreads({ name: "crew" }))
    const cargo = { tea: 300, silk: 400, salt: 700, rice: 800, wine: 300 }
    for (const [what, ms] of Object.entries(cargo)) crew.submit(work, screen, what, ms)

    crew.shutdown()
    try {
      crew.submit(work, screen, "one more", 100)
    } catch (error) {
      if (!(error instanceof RejectedExecutionError)) throw error
      screen.say("shutdown(): nothing new is taken, the rest goes on")
    }

    if (!(await crew.awaitTermination(550))) {
      const left = crew.shutdownNow()
      screen.say(`not ready after 550 ms: shutdownNow() stops two and hands back ${left.length}`)

      // What never began can be given to another executor.
      await using relief = Executors.newSingleThreadExecutor(virtualThreads({ name: "relief" }))
      for (const task of left) relief.execute(task)
    }
    await crew.awaitTermination()
    screen.say(`terminated: ${crew.isTerminated}`)
  },
}
