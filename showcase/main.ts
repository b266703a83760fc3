/**
 * `npm start`: a tour of corepool in the terminal, a few seconds long. Each stage is a small program of its own; the
 * lanes below its heading show which thread did what, and when.
 *
 * On a terminal the lanes are drawn live. Written to a file or a pipe, or with TERM=dumb, it is plain lines.
 */
import { boundedQueue } from "./bounded-queue.ts"
import { fixedPool } from "./fixed-pool.ts"
import { futures } from "./futures.ts"
import { LiveScreen } from "./live-screen.ts"
import { mapping } from "./mapping.ts"
import { PlainScreen } from "./plain-screen.ts"
import { race } from "./race.ts"
import type { Stage } from "./screen.ts"
import { orderlyShutdown } from "./shutdown.ts"

const STAGES: readonly Stage[] = [fixedPool, boundedQueue, futures, race, mapping, orderlyShutdown]

const isLive = process.stdout.isTTY && process.env["TERM"] !== "dumb"
const screen = isLive ? new LiveScreen(process.stdout) : new PlainScreen(process.stdout)

for (const [index, stage] of STAGES.entries()) {
  screen.open(`${index + 1}/${STAGES.length}  ${stage.title}`, stage.about, `showcase/${stage.file}`)
  await stage.run(screen)
  screen.close()
}

// Nothing is left running, so the program ends here by itself.
process.stdout.write("Next: docs/guide/getting-started.md, and a page of code on each subject in examples/\n")
