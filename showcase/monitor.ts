import { Executors } from "corepool"
import { startMonitor } from "corepool/monitor"
import { say, type Stage, THREADS } from "./stage.ts"
import { countPrimes } from "./tasks.ts"

/** Whether a user sees this, and can press a key. */
const isWatched = process.stdout.isTTY && process.stdin.isTTY && process.env["CI"] === undefined

export const monitor: Stage = {
  title: "Watch it",
  about: "A page in the browser shows what the threads do, live. It is for this machine alone, and needs a token.",
  file: "monitor.ts",

  async run(): Promise<void> {
    await using pool = Executors.newFixedThreadPool(THREADS)
    await using page = await startMonitor({ pools: { primes: pool } })
    const stopped = new AbortController()
    const load = work(pool, stopped.signal)
    if (isWatched) {
      say(`open ${page.url}`)
      say("(Enter or Ctrl-C ends the tour)")
      await keyOrSignal()
    } else {
      let told = await snapshot(page)
      while (told.completed === 0) told = await snapshot(page)
      const { completed, queued } = told
      say(`in a terminal there would be an address to open; a snapshot: ${completed} tasks completed, ${queued} queued`)
    }
    stopped.abort()
    await load
  },
}

/** Waves of tasks, so that there is something to see. */
async function work(pool: ReturnType<typeof Executors.newFixedThreadPool>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const size = 10 + Math.floor(Math.random() * 40)
    const length = 20_000 + Math.floor(Math.random() * 60_000)
    await Promise.all(Array.from({ length: size }, () => pool.submit(countPrimes, 0, length)))
    if (isWatched) await new Promise((resolve) => setTimeout(resolve, 300))
  }
}

async function keyOrSignal(): Promise<void> {
  const { stdin } = process
  await new Promise<void>((resolve) => {
    process.once("SIGINT", () => resolve())
    stdin.once("data", () => resolve())
    stdin.once("end", () => resolve())
  })
  stdin.pause()
}

interface Told {
  readonly completed: number
  readonly queued: number
}

async function snapshot({ port, token }: { readonly port: number; readonly token: string }): Promise<Told> {
  const answer = await fetch(`http://127.0.0.1:${port}/snapshot`, { headers: { authorization: `Bearer ${token}` } })
  const { pools } = (await answer.json()) as { readonly pools: readonly [Told] }
  return pools[0]
}
