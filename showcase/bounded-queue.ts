import {
  ArrayBlockingQueue,
  CallerRunsPolicy,
  RejectedExecutionError,
  ThreadPoolExecutor,
  virtualThreads,
} from "corepool"
import { type Screen, type Stage, work } from "./screen.ts"

const ORDERS = { soup: 400, salad: 300, pasta: 350, pizza: 300, cake: 500 }

export const boundedQueue: Stage = {
  title: "A bounded queue, and what to do when it is full",
  about: "One cook, a second one when two orders wait, and then the kitchen is full.",
  file: "bounded-queue.ts",

  async run(screen: Screen): Promise<void> {
    await using kitchen = new ThreadPoolExecutor({
      corePoolSize: 1,
      maximumPoolSize: 2,
      workQueue: new ArrayBlockingQueue(2),
      threadFactory: virtualThreads({ name: "cook" }),
    })

    for (const [dish, ms] of Object.entries(ORDERS)) {
      try {
        kitchen.submit(work, screen, dish, ms)
        screen.say(`${dish}: taken (${kitchen.poolSize} cooking, ${kitchen.queue.size} waiting)`)
      } catch (error) {
        if (!(error instanceof RejectedExecutionError)) throw error
        screen.say(`${dish}: refused, which is the default policy`)
      }
    }

    // Every setting can be changed while the pool runs.
    kitchen.handler = CallerRunsPolicy
    screen.say("cake again, with CallerRunsPolicy: whoever asks must cook")
    await kitchen.submit(work, screen, "cake", ORDERS.cake)
  },
}
