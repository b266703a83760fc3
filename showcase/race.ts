import { bind, Executors, virtualThreads } from "corepool"
import { type Screen, type Stage, work } from "./screen.ts"

const MIRRORS = ["oslo", "lima", "tokyo", "perth"]

export const race: Stage = {
  title: "A race",
  about: "A thread per mirror. invokeAny takes the first answer and stops the others.",
  file: "race.ts",

  async run(screen: Screen): Promise<void> {
    await using executor = Executors.newThreadPerTaskExecutor(
      virtualThreads({ name: (n) => MIRRORS[n - 1] ?? "spare" }),
    )

    const file = await executor.invokeAny([
      bind(work, screen, "slow", 60_000),
      bind(work, screen, "breaks down", 250, new Error("lima is down")),
      bind(work, screen, "wins", 500),
      bind(work, screen, "slower", 60_000),
    ])
    screen.say(`the one that ${file} is the result`)
  },
}
