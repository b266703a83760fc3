/**
 * `npm start`: a tour of corepool in the terminal, a few seconds long. Each stage is a small program of its own. Times are measured
 * on this machine, in this run. The begin of a file name as an argument limits the tour to that stage.
 */
import { backPressure } from "./back-pressure.ts"
import { busyMain } from "./busy-main.ts"
import { death } from "./death.ts"
import { endlessLoop } from "./endless-loop.ts"
import { monitor } from "./monitor.ts"
import { nested } from "./nested.ts"
import { parallel } from "./parallel.ts"
import { priorities } from "./priorities.ts"
import { announce, type Stage } from "./stage.ts"
import { virtual } from "./virtual.ts"

const STAGES: readonly Stage[] = [
  parallel,
  busyMain,
  endlessLoop,
  death,
  nested,
  priorities,
  backPressure,
  virtual,
  monitor,
].filter(({ file }) => process.argv[2] === undefined || file.startsWith(process.argv[2]))

for (const [index, stage] of STAGES.entries()) {
  announce(stage, index + 1, STAGES.length)
  await stage.run()
}

// Nothing is left running, so the program ends here by itself.
console.log("\nNext: docs/guide/getting-started.md, and a page of code on each subject in examples/")
