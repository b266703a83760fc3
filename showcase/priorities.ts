import { platformThreads, PriorityBlockingQueue, type Runnable, ThreadPoolExecutor } from "corepool"
import type { Stage } from "./stage.ts"
import { treat } from "./tasks.ts"

export const priorities: Stage = {
  title: "Priorities",
  about: "One doctor. The most urgent patient is next, whatever the order of arrival.",
  file: "priorities.ts",

  async run(): Promise<void> {
    await using clinic = new ThreadPoolExecutor({
      corePoolSize: 1,
      maximumPoolSize: 1,
      workQueue: new PriorityBlockingQueue<Runnable>(),
      threadFactory: platformThreads({ name: () => "the doctor" }),
    })
    const normal = clinic.with({ priority: 0 })
    const urgent = clinic.with({ priority: 10 })

    normal.submit(treat, "a cough, who came first", 100)
    normal.submit(treat, "a check-up, who came second", 10)
    normal.submit(treat, "a headache, who came third", 10)
    urgent.submit(treat, "a broken leg, who came last", 10)
  },
}
