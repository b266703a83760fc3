/** Pages and workers whose code is stopped from outside: docs/spec/browser.md. */
import assert from "node:assert/strict"
import { test } from "node:test"
import { DevTools, type Tab } from "./devtools.ts"
import { withTasks } from "./harness.ts"
import { serve, withCorepool } from "./pages.ts"
import { TASKS } from "./tasks.ts"

const PAGE = { isolated: true, modules: { "/tasks.js": TASKS } }

const NEW_POOL = `const newPool = () => Executors.newFixedThreadPool(1, corepool.platformThreads({ terminateAfter: 1 }))`

async function inTab<T>(tab: Tab, body: string): Promise<T> {
  return await tab.run<T>(withCorepool(withTasks(`${NEW_POOL}\n${body}`)))
}

/** A task of a pool that has a lock and computes for ever; it counts in a word. */
const SPIN = `
  globalThis.lock = new ReentrantLock()
  globalThis.words = newWords()
  globalThis.spinning = pool.submit(t.lockAndSpin, lock, words)
  await begun(words)`

const BEGIN = `globalThis.pool = newPool()
  ${SPIN}`

/** The task ends when it is cancelled, its lock is passed on, and the pool takes others. */
const GO_ON = `
  const seen = [spinning.state]
  spinning.cancel(true)
  seen.push(await nameOf(spinning))
  ;(await lock.lock()).unlock()
  seen.push(await pool.submit(t.add, 1, 1))
  await pool.close()
  return seen`

const WENT_ON = ["running", "CancellationError", 2]

test("[BR33] the threads of a page that is frozen stand still, and go on with it", async () => {
  using pages = await serve(PAGE)
  await using tools = await DevTools.launch()
  const tab = await tools.open(pages.url)
  await inTab(
    tab,
    `${BEGIN}
    globalThis.events = []
    for (const name of ["visibilitychange", "freeze", "resume"]) document.addEventListener(name, () => events.push(name))`,
  )
  const happened = async (name: string): Promise<void> => {
    while (!(await tab.run<string[]>("events")).includes(name)) await tools.send("Browser.getVersion")
  }
  await tools.open("about:blank") // in front of it: no page is frozen that the user sees
  await happened("visibilitychange")
  await tab.send("Page.setWebLifecycleState", { state: "frozen" })
  await happened("freeze")
  const still = async (): Promise<boolean> => {
    const before = await tab.run<number>("words[1]")
    for (let looks = 0; looks < 100; looks++) await tools.send("Browser.getVersion")
    return before === (await tab.run<number>("words[1]"))
  }
  while (!(await still())); // the worker is told to stand still after the page was
  await tab.send("Page.setWebLifecycleState", { state: "active" })
  await happened("resume")
  assert.deepEqual(await inTab(tab, GO_ON), WENT_ON)
})

test("[BR34] a task whose script the debugger has stopped does not return; it is cancelled as one that computes", async () => {
  using pages = await serve(PAGE)
  await using tools = await DevTools.launch()
  const tab = await tools.open(pages.url)
  await tab.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: false, flatten: true })
  await inTab(tab, BEGIN)
  const { sessionId } = await tab.heard("Target.attachedToTarget")
  await tools.send("Runtime.terminateExecution", {}, String(sessionId))
  assert.deepEqual(await inTab(tab, GO_ON), WENT_ON)
})
