/**
 * A recording of what threads did, for Perfetto: https://ui.perfetto.dev opens the file.
 *
 * Two threads share five tasks. The recording has a lane for each thread, and in it a slice for each task.
 */
import { Executors, Thread, virtualThreads } from "corepool"
import { record } from "corepool/trace"

async function paint(what: string): Promise<string> {
  await Thread.sleep(2)
  if (what === "moon") throw new Error("no paint left")
  return what
}

await using pool = Executors.newFixedThreadPool(2, virtualThreads({ name: (n) => `painter-${n}` }))
const recording = record([pool])
await Promise.allSettled(["sky", "sea", "sun", "moon", "tree"].map((what) => pool.submit(paint, what)))
const trace = recording.stop()

// Into a file, by `writeFileSync("painters.trace.json", JSON.stringify(trace))`; here we only look at it.
const slices = trace.traceEvents.filter(({ ph, cat }) => ph === "X" && cat === "task")
const lanes = trace.traceEvents.filter(({ name }) => name === "thread_name")
console.log(`${lanes.length} lanes: of submissions, and of ${new Set(slices.map(({ tid }) => tid)).size} threads`)
console.log(`${slices.length} runs of ${slices[0]?.name}`)
console.log(`failed: ${slices.filter(({ args }) => args?.["outcome"] === "failed").length}`)
console.log(`arrows from submission to run: ${trace.traceEvents.filter(({ ph }) => ph === "s").length}`)
const deepest = Math.max(...trace.traceEvents.map(({ ph, args }) => (ph === "C" ? Number(args?.["queued"]) : 0)))
console.log(`tasks that waited at once: at least ${Math.min(deepest, 3)}`)

// Output:
// 3 lanes: of submissions, and of 2 threads
// 5 runs of paint
// failed: 1
// arrows from submission to run: 5
// tasks that waited at once: at least 3
