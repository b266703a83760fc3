/** What tasks print, as it is seen from outside of the program. */
import assert from "node:assert/strict"
import { once } from "node:events"
import test from "node:test"
import { turns } from "../../support/harness.ts"
import { requireMemoryLimits } from "../../support/memory-limits.ts"
import { Folder } from "./support.ts"

/** Prints five lines, one of them to stderr, and then does what it is told. */
const TASKS = `
  export function print(then) {
    for (const n of [1, 2, 3]) console.log("line", n)
    console.error("to stderr")
    process.stdout.write("line 4\\n") // whoever sees this may terminate the thread
    if (then === "spin") for (;;);
    if (then === "block") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    if (then === "exit") process.exit(3)
    if (then === "throw") throw new Error("thrown")
    if (then === "devour") for (const all = []; ;) all.push(Array.from({ length: 1000 }, (_, n) => ({ n })))
  }
  export function flood(lines, length) {
    for (let n = 0; n < lines; n++) console.log(String(n).padEnd(length, "."))
  }
`

function program(settings: string, body: string): string {
  return `
    import { Executors, platformThreads, tasksOf, Thread } from "corepool"
    const tasks = tasksOf(new URL("./tasks.mjs", import.meta.url))
    const pool = Executors.newFixedThreadPool(1, platformThreads(${settings}))
    ${body}
  `
}

/** In ms: nothing takes so long; it only ends what would go on for ever. */
const PATIENCE = 10_000

const LINES = ["line 1", "line 2", "line 3", "line 4"]

for (const output of ["direct", "relayed"]) {
  for (const then of ["spin", "block"]) {
    test(`[WK20][WK21] lines appear while their task goes on to ${then}, and none is lost when it is terminated (${output})`, async () => {
      using folder = new Folder()
      folder.write("tasks.mjs", TASKS)
      await using running = folder.start(
        "program.mjs",
        program(
          `{ output: "${output}", terminateAfter: 0 }`,
          `process.once("SIGUSR2", async () => {
             future.cancel(true)
             console.log(await pool.submit((n) => n + 1, 1))
           })
           const future = pool.submit(tasks.print, "${then}") // its thread may print at once, and the signal come
           setInterval(() => undefined, 1000).unref()`,
        ),
      )
      await running.prints("line 4\n")
      running.child.kill("SIGUSR2")
      await running.ended()
      assert.deepEqual(running.stdout.trim().split("\n"), [...LINES, "2"])
      assert.equal(running.stderr, "to stderr\n")
    })
  }

  for (const then of ["exit", "throw", "devour"]) {
    test(`[WK21] nothing is lost of what a task printed before its thread ended (${output}, ${then})`, async () => {
      if (then === "devour") await requireMemoryLimits()
      using folder = new Folder()
      folder.write("tasks.mjs", TASKS)
      await using running = folder.start(
        "program.mjs",
        program(
          `{ output: "${output}", resourceLimits: { maxOldGenerationSizeMb: 24 } }`,
          `await pool.submit(tasks.print, "${then}").then(() => undefined, (error) => console.log(error.name))`,
        ),
      )
      await running.ended()
      const name = then === "throw" ? "Error" : "ThreadDeathError"
      assert.deepEqual(running.stdout.trim().split("\n").sort(), [name, ...LINES].sort())
      assert.ok(running.stderr.startsWith("to stderr\n"))
    })
  }
}

test("[WK22] while the thread that made the pool blocks, lines appear, and in the order in which both print", async () => {
  using folder = new Folder()
  folder.write("tasks.mjs", TASKS)
  await using running = folder.start(
    "program.mjs",
    program(
      "",
      // On some runtimes what a thread prints by console waits for its event loop.
      `const { writeSync } = await import("node:fs")
       writeSync(1, "before\\n")
       pool.submit(tasks.print).getSync()
       writeSync(1, "after\\n")
       pool.submit(tasks.print, "spin")
       for (;;) Thread.sleepSync(1000)`,
    ),
  )
  await running.prints("after\nline 1\nline 2\nline 3\nline 4\n")
  assert.deepEqual(running.stdout.trim().split("\n"), ["before", ...LINES, "after", ...LINES])
})

test("[WK23] who has replaced process.stdout.write sees what threads print; output: direct goes past it", async () => {
  using folder = new Folder()
  folder.write("tasks.mjs", TASKS)
  for (const [settings, seen] of [
    ["", LINES.length],
    [`{ output: "relayed" }`, LINES.length],
    [`{ output: "direct" }`, 0],
  ] as const) {
    await using running = folder.start(
      "program.mjs",
      program(
        settings,
        `let seen = 0
         const write = process.stdout.write.bind(process.stdout)
         process.stdout.write = (...args) => {
           if (/^line/.test(String(args[0]))) seen++
           return write(...args)
         }
         await pool.submit(tasks.print)
         await pool.close()
         const deadline = Date.now() + ${PATIENCE}
         while (seen < ${seen} && Date.now() < deadline) await new Promise((resolve) => setImmediate(resolve))
         console.log(seen)`,
      ),
    )
    assert.equal(await running.ended(), 0)
    assert.deepEqual(running.stdout.trim().split("\n"), [...LINES, String(seen)])
  }
})

test("[WK24] a task that prints faster than anybody reads waits, and every line arrives whole", async () => {
  using folder = new Folder()
  folder.write("tasks.mjs", TASKS)
  await using running = folder.start(
    "program.mjs",
    program("", `console.log("start"); await pool.submit(tasks.flood, 5000, 100)`),
  )
  await running.prints("start")
  const { stdout } = running.child
  stdout.pause()
  await turns(200) // a pipe holds far less than what is still to come
  stdout.resume()
  const expected = Array.from({ length: 5000 }, (_, n) => String(n).padEnd(100, "."))
  assert.deepEqual(await running.lines(), ["start", ...expected])
})

test("[WK25] when nobody reads any more, the program ends as if it had printed by itself", async () => {
  using folder = new Folder()
  folder.write("tasks.mjs", TASKS)
  await using running = folder.start(
    "program.mjs",
    program(
      "",
      `process.stdout.on("error", (error) => {
         console.error(error.code)
         process.exit(7)
       })
       process.once("SIGUSR2", () => {
         pool.submit(tasks.flood, 1e4, 100)
         setTimeout(() => process.exit(0), ${PATIENCE})
       })
       setInterval(() => undefined, 1000)
       console.log("start")`,
    ),
  )
  await running.prints("start")
  running.child.stdout.destroy()
  await once(running.child.stdout, "close")
  running.child.kill("SIGUSR2")
  assert.equal(await running.ended(), 7)
  assert.equal(running.stderr, "EPIPE\n")
})

test("[WK114] a task that writes what is neither text nor bytes gets a TypeError, and nothing else fails", async () => {
  using folder = new Folder()
  folder.write("tasks.mjs", TASKS)
  await using running = folder.start(
    "program.mjs",
    program(
      "",
      `for (const name of ["stdout", "stderr"]) {
         const error = await pool.submit((name) => process[name].write(5), name).then(undefined, (error) => error)
         console.log(error.name)
       }
       await pool.submit(tasks.print)
       await pool.close()
       console.log(pool.largestPoolSize)`,
    ),
  )
  assert.equal(await running.ended(), 0)
  assert.deepEqual(running.stdout.trim().split("\n"), ["TypeError", "TypeError", ...LINES, "1"])
})
