/** What the stages of the tour see of the terminal. */
import { Thread } from "corepool"

/** One stop of the tour. */
export interface Stage {
  readonly title: string
  /** What to look at. */
  readonly about: string
  /** Where its code is, in this folder. */
  readonly file: string
  run(screen: Screen): Promise<void>
}

export interface Screen {
  open(title: string, about: string, file: string): void
  /** A line that stays. */
  say(text: string): void
  /** Something begins in the lane of this thread. */
  begin(thread: string, what: string): Activity
  close(): void
}

export interface Activity {
  end(how: Ending): void
}

export type Ending = "done" | "failed" | "interrupted"

/**
 * Pretends to work on the current thread: a request, a query, anything that mostly waits. An interrupt ends it, as it
 * ends every wait of corepool.
 */
export async function work(screen: Screen, what: string, ms: number, failure?: Error): Promise<string> {
  const activity = screen.begin(Thread.currentThread().name, what)
  try {
    await Thread.sleep(ms)
  } catch (error) {
    activity.end("interrupted")
    throw error
  }
  activity.end(failure === undefined ? "done" : "failed")
  if (failure !== undefined) throw failure
  return what
}
