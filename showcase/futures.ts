import { CancellationError, Executors, TimeoutError, virtualThreads } from "corepool"
import { type Screen, type Stage, work } from "./screen.ts"

export const futures: Stage = {
  title: "Futures",
  about: "Waiting for a while, giving up, and stopping the work itself.",
  file: "futures.ts",

  async run(screen: Screen): Promise<void> {
    await using pool = Executors.newFixedThreadPool(2, virtualThreads({ name: "thinker" }))

    const answer = pool.submit(work, screen, "a deep question", 60_000)
    const failing = pool.submit(work, screen, "a mistake", 200, new RangeError("divided by zero"))

    try {
      await answer.get(450)
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error
      screen.say(`get(450) gave up with ${error.name}; the task goes on: ${answer.state}`)
    }

    answer.cancel(true)
    try {
      await answer
    } catch (error) {
      if (!(error instanceof CancellationError)) throw error
      screen.say(`cancel(true) interrupted its thread; its future: ${answer.state}`)
    }

    // Nobody awaited this one, and no unhandled rejection ended the program.
    screen.say(`the other one kept its error: ${String(failing.exceptionNow())}`)
  },
}
