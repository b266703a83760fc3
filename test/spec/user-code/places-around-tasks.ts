/** Places where the code of the user's is called for a task, but is not a part of the pool: see places.ts. */
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { eventually } from "../../support/harness.ts"
import type { Place } from "./places.ts"

export const placesAroundTasks: readonly Place[] = [
  {
    name: "`when` of `retry`",
    errors: (kind) => (kind === "virtual" ? { uncaught: 1, future: 1 } : { printed: 1, future: 1 }),
    async visit(world, act) {
      const future = world.pool
        .with({ retry: { when: () => act(false) as boolean } })
        .submit(() => Promise.reject(new Error("its own")))
      world.watch(future) // the task is tried once, whatever the function does
      await eventually(() => future.isDone)
      return { task: future }
    },
  },
  {
    name: "a subscriber of `corepool:task`",
    calledByRuntime: true,
    errors: {},
    async visit(world, act) {
      let calls = 0
      const hear = (): void => void (calls++ === 0 && act())
      subscribe("tracing:corepool:task:asyncEnd", hear)
      try {
        world.submitMore()
        await eventually(() => calls > 0)
      } finally {
        unsubscribe("tracing:corepool:task:asyncEnd", hear)
      }
    },
  },
]
