import { Executors, Thread } from "corepool"
import { inMs, say, type Stage, timed } from "./stage.ts"

const VISITORS = 10_000

export const virtual: Stage = {
  title: "The same, on the event loop",
  about: "Virtual threads are for what waits rather than computes: flows that cost next to nothing.",
  file: "virtual.ts",

  async run(): Promise<void> {
    await using executor = Executors.newVirtualThreadPerTaskExecutor()
    const visitors = Array.from({ length: VISITORS }, () => executor.submit(() => Thread.sleep(200)))
    say(`${executor.threadCount} threads wait for 200 ms each`)
    const { ms } = await timed(() => Promise.all(visitors))
    say(`all are back after ${inMs(ms)}`)

    const patient = executor.submit(() => Thread.sleep(60_000))
    const left = await timed(async () => {
      patient.cancel(true)
      await executor.close()
    })
    say(`one that would have slept for a minute was interrupted, and the executor has ended: ${inMs(left.ms)}`)
  },
}
