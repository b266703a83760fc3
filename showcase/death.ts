import { Executors, platformThreads } from "corepool"
import { say, type Stage } from "./stage.ts"
import { pick } from "./tasks.ts"

const APPLES = 500
const ROTTEN = 50

export const death: Stage = {
  title: "A thread that dies",
  about: `${APPLES} tasks on two threads. One of them calls process.exit() and takes its thread along.`,
  file: "death.ts",

  async run(): Promise<void> {
    await using pool = Executors.newFixedThreadPool(2, platformThreads({ name: "picker" }))
    const futures = Array.from({ length: APPLES }, (_, apple) => pool.submit(pick, apple, ROTTEN))
    const outcomes = await Promise.allSettled(futures)

    const pickers = new Set<string>()
    for (const outcome of outcomes) {
      if (outcome.status === "fulfilled") pickers.add(outcome.value)
      else say(String(outcome.reason))
    }
    const done = outcomes.filter(({ status }) => status === "fulfilled").length
    say(`${done} others are done, by ${[...pickers].sort().join(", ")}`)
    say(`threads now: ${pool.poolSize}`)
  },
}
