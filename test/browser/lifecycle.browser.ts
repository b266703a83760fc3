/** Pages that are left, frozen, and come back: docs/spec/browser.md. */
import assert from "node:assert/strict"
import { after, test } from "node:test"
import { ofPage } from "./harness.ts"
import { closeBrowser, open } from "./pages.ts"
import { TASKS } from "./tasks.ts"

after(closeBrowser)

/** A pool with a task that computes for ever, and one that waits for an item of a queue. */
const BEGIN = `
  globalThis.pool = Executors.newFixedThreadPool(2, corepool.platformThreads({ terminateAfter: 1 }))
  globalThis.queue = new LinkedBlockingQueue()
  const words = newWords()
  globalThis.spinning = pool.submit(t.spin, words)
  globalThis.taking = pool.submit(t.take, queue)
  await begun(words)
  globalThis.events = []
  for (const name of ["pagehide", "pageshow"]) addEventListener(name, (event) => events.push(name, event.persisted))
  for (const name of ["freeze", "resume"]) document.addEventListener(name, () => events.push(name))`

/** The tasks are still there, and the pool takes others. */
const GO_ON = `
  queue.put("item")
  const seen = [await taking, spinning.state]
  spinning.cancel(true)
  seen.push(await nameOf(spinning), await pool.submit(t.add, 1, 1))
  await pool.close()
  return seen`

const WENT_ON = ["item", "running", "CancellationError", 2]

test("[BR32] a page that is left and comes back out of the back/forward cache has its pool, and its tasks", async () => {
  await using opened = await open({ isolated: true, modules: { "/tasks.js": TASKS, "/other.js": "" } })
  const { page } = opened
  await ofPage(opened, BEGIN)
  await page.goto(`${page.url()}other.js`)
  await page.goBack({ waitUntil: "commit" })
  const back = `new Promise((resolve) => {
    const look = () => globalThis.events?.includes("pageshow") ? resolve(events) : requestAnimationFrame(look)
    look()
  })`
  const events = await page.evaluate<unknown[]>(back)
  // Chromium freezes pages in this cache: none of their code runs.
  assert.deepEqual(events, ["pagehide", true, "freeze", "resume", "pageshow", true])
  assert.deepEqual(await ofPage(opened, GO_ON), WENT_ON)
  assert.deepEqual(opened.uncaught, [])
})
