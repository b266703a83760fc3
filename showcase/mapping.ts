import { Executors, Thread, virtualThreads } from "corepool"
import { type Screen, type Stage, work } from "./screen.ts"

const WINDOW = 4
const WANTED = 5

export const mapping: Stage = {
  title: "A stream, no faster than its reader",
  about: `An endless source, a slow reader. map reads at most ${WINDOW} ahead, then waits.`,
  file: "mapping.ts",

  async run(screen: Screen): Promise<void> {
    await using pool = Executors.newFixedThreadPool(3, virtualThreads({ name: "map" }))
    let read = 0

    function* pages(): Generator<number> {
      try {
        for (;;) yield ++read
      } finally {
        screen.say("the source was closed")
      }
    }

    const load = (page: number): Promise<string> => work(screen, `page ${page}`, 100 + 40 * (page % 3))

    let received = 0
    for await (const page of pool.map(load, pages(), { window: WINDOW })) {
      received++
      screen.say(`reader: ${page}, ${read - received} ahead of it`)
      if (received === WANTED) break
      await Thread.sleep(200)
    }
  },
}
