/** The page of the monitor in a real browser: docs/spec/monitor.md. */
import { startMonitorOn } from "#src/monitor/monitor.js"
import type { ThreadInfo } from "#src/events/event-source.js"
import {
  CancellationError,
  type ExecutorService,
  Executors,
  ForkJoinPool,
  platformThreads,
  ReentrantLock,
  Thread,
  virtualThreads,
} from "corepool"
import { startMonitor } from "corepool/monitor"
import assert from "node:assert/strict"
import { copyFileSync, readFileSync, writeFileSync } from "node:fs"
import { after, before, test } from "node:test"
import { fileURLToPath, pathToFileURL } from "node:url"
import { MadeEvents } from "../support/monitor-events.ts"
import { axePath, type Browser, launch, type Page } from "./chromium.ts"
import * as tasks from "./monitor.tasks.ts"
import { smallPng } from "./small-png.ts"

const PICTURES = fileURLToPath(new URL("../../../docs/guide/images/", import.meta.url))
const NAMES = ["resizeImage", "parseCsv", "hashFile", "renderThumbnail", "compressChunk"]

let browser: Browser
before(async () => {
  browser = await launch()
})
after(async () => {
  await browser.close()
})

interface Opened extends AsyncDisposable {
  readonly page: Page
  readonly complaints: string[]
}

async function open(url: string, scheme: "light" | "dark" = "light"): Promise<Opened> {
  const context = await browser.newContext({
    colorScheme: scheme,
    viewport: { width: 1280, height: 1000 },
    acceptDownloads: true,
  })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text())
  })
  page.on("pageerror", (error) => complaints.push(String(error)))
  await page.goto(url)
  return { page, complaints, [Symbol.asyncDispose]: async () => await context.close() }
}

const text = async (page: Page): Promise<string> => await page.evaluate<string>("document.body.innerText")

/** Asks at each frame of the page. (Playwright's own wait evaluates texts in the page, which the policy forbids.) */
async function until(page: Page, condition: string): Promise<void> {
  const asked = `new Promise((resolve) => requestAnimationFrame(() => resolve(${condition})))`
  while (!(await page.evaluate<boolean>(asked)));
}

/** Tells what `lanes` threads do, `perSecond` tasks in all, until it is stopped. */
function load(events: MadeEvents, lanes: number, perSecond: number, mean: number): () => void {
  const threads = Array.from({ length: lanes }, (_, at): ThreadInfo => ({
    id: at + 1,
    name: `images-thread-${at + 1}`,
  }))
  const free = threads.map(() => Date.now())
  let [task, seed] = [0, 1]
  const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
  events.tell(...threads.map((thread) => events.event("started", Date.now(), { thread })))
  const timer = setInterval(() => {
    const now = Date.now()
    for (const [at, thread] of threads.entries()) {
      const told = []
      while ((free[at] as number) < now) {
        const start = free[at] as number
        const ms = mean * (0.3 + 1.4 * random())
        const name = NAMES[Math.floor(random() * random() * NAMES.length)] as string
        const failed = random() < 0.01
        if (start + ms > now) break
        told.push(...events.task(thread, ++task, name, start, ms, failed ? "failed" : "success"))
        if (random() < 0.02) told.push(events.event("stole", start, { thread }))
        free[at] = start + Math.max(ms * (1 + 0.3 * random()), (lanes * 1000) / perSecond)
      }
      // Not all in one call: after a pause of this process they are more than a call can have arguments.
      for (let first = 0; first < told.length; first += 1000) events.tell(...told.slice(first, first + 1000))
    }
  }, 50)
  return () => clearInterval(timer)
}

/** Gives the pools work until it is stopped: computing, waiting for a lock, failing, dying, dividing. */
function work({ images, downloads, sums, lock }: Pools): AsyncDisposable {
  const state = { isOver: false }
  const each = async (ms: number, call: () => Promise<unknown>): Promise<void> => {
    while (!state.isOver) {
      await call().catch(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, ms))
    }
  }
  const all = async (futures: readonly PromiseLike<unknown>[]): Promise<void> =>
    void (await Promise.allSettled(futures))
  let round = 0
  const loops = [
    each(120, () => {
      round++
      return all([
        ...[70, 20, 35].map((ms) => images.submit(tasks.resizeImage, ms)),
        ...[25, 60].map((ms) => images.submit(tasks.parseCsv, ms)),
        images.submit(tasks.hashFile, 40, round % 5 === 0),
      ])
    }),
    each(700, () => all([1, 2].map(() => images.submit(tasks.updateIndex, lock, 300)))),
    each(4000, () => images.submit(tasks.crash)),
    each(100, () =>
      all(
        Array.from({ length: 9 }, (_, at) =>
          downloads.submit(async function download() {
            await new Promise((resolve) => setTimeout(resolve, 30 + at * 25))
          }),
        ),
      ),
    ),
    each(900, () => sums.submit(new tasks.SumOfSquares(0, 128))),
  ]
  return {
    async [Symbol.asyncDispose]() {
      state.isOver = true
      await Promise.all(loops)
    },
  }
}

interface Pools {
  readonly images: ExecutorService
  readonly downloads: ExecutorService
  readonly sums: ForkJoinPool
  readonly lock: ReentrantLock
}

test("[MO14] [MO15] [MO17] [MO28] the page shows what a real program does, in light and dark; axe finds nothing", async () => {
  await using images = Executors.newFixedThreadPool(3, platformThreads({ name: "images" }))
  await using downloads = Executors.newFixedThreadPool(3, virtualThreads({ name: "downloads" }))
  await using sums = new ForkJoinPool({ parallelism: 2 })
  await using reports = Executors.newScheduledThreadPool(1, virtualThreads({ name: "reports" }))
  const nightly = reports.scheduleAtFixedRate(function nightlyReport() {}, 3_600_000, 86_400_000)
  const minute = reports.scheduleAtFixedRate(function countVisitors() {}, 1000, 1000)
  const lock = new ReentrantLock()
  await using monitor = await startMonitor({
    pools: { images, downloads, sums, reports },
    locks: { "index of images": lock },
    allowActions: true,
  })
  await using _work = work({ images, downloads, sums, lock })
  for (const scheme of ["light", "dark"] as const) {
    await using opened = await open(monitor.url, scheme)
    const { page, complaints } = opened
    await until(page, "document.querySelector('.live') !== null")
    for (const expected of [
      ...["images", "downloads", "sums", "reports", "nightlyReport", "index of images", "Locked by", "has died"],
      ...["resizeImage", "parseCsv", "updateIndex", "crash", "download", "countVisitors"],
    ]) {
      await until(page, `document.body.innerText.includes('${expected}')`)
    }
    assert.equal(new URL(page.url()).hash, "", "the token has left the address")
    await page.evaluate(
      `new Promise((resolve) => { let n = 0; const count = () => ++n < 600 ? requestAnimationFrame(count) : resolve(); count() })`,
    )
    const shot = await page.screenshot({ fullPage: false })
    writeFileSync(`${PICTURES}monitor-${scheme}.png`, smallPng(shot))
    await page.evaluate<unknown>(readFileSync(axePath(), "utf8"))
    const violations = await page.evaluate<{ id: string; nodes: { html: string; failureSummary: string }[] }[]>(
      "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })) })))",
    )
    assert.deepEqual(violations, [])
    assert.deepEqual(complaints, [])
  }
  for (const future of [nightly, minute]) future.cancel()
})

test("[MO14] a page without pools, and without tasks, says so", async () => {
  await using monitor = await startMonitor({ pools: [] })
  await using opened = await open(monitor.url)
  const { page } = opened
  await until(page, "document.body.innerText.includes('There is no pool')")
  await until(page, "document.body.innerText.includes('No thread has begun or ended a task')")
})

test("[MO25] the button at a running task cancels it; a paused pool has a button to resume it", async () => {
  await using pool = Executors.newFixedThreadPool(1, virtualThreads({ name: "only" }))
  await using monitor = await startMonitor({ pools: { only: pool }, allowActions: true })
  await using opened = await open(monitor.url)
  const { page } = opened
  await until(page, "document.querySelector('.live') !== null")
  const future = pool.submit(async function endless() {
    await Thread.sleep(3_600_000)
  })
  await page.click("[aria-label='Cancel endless in only-1']")
  await assert.rejects(future, CancellationError)
  await page.click("[aria-label='Pause only']")
  await until(page, "document.querySelector('[aria-label=\"Resume only\"]') !== null")
  assert.equal(pool.isPaused, true)
  await page.click("[aria-label='Resume only']")
  await until(page, "document.querySelector('[aria-label=\"Pause only\"]') !== null")
  assert.equal(pool.isPaused, false)
})

test("[MO12] a name is a text: what looks like a script in it neither runs nor becomes an element", async () => {
  const events = new MadeEvents()
  const hostile = `</script><img src=x onerror="document.title='run'"><script>document.title='run'</script>`
  await using pool = Executors.newFixedThreadPool(1, virtualThreads())
  await using monitor = await startMonitorOn(events, { pools: { [hostile]: pool } })
  await using opened = await open(monitor.url)
  const { page, complaints } = opened
  await until(page, "document.querySelector('.live') !== null")
  const thread = { id: 1, name: hostile }
  events.tell(...events.task(thread, 1, hostile, Date.now(), 5))
  await until(page, "document.querySelectorAll('section[aria-label=\"Table of tasks\"] tbody tr').length === 1")
  assert.ok((await text(page)).includes(hostile))
  assert.equal(await page.evaluate<number>("document.querySelectorAll('img').length"), 0)
  assert.notEqual(await page.evaluate<string>("document.title"), "run")
  // A script that did get in would not run, by the Content-Security-Policy.
  await page.evaluate(
    "{ const s = document.createElement('script'); s.textContent = 'document.title = \"run\"'; document.body.append(s) }",
  )
  assert.notEqual(await page.evaluate<string>("document.title"), "run")
  assert.ok(complaints.length > 0, "and the browser says that it has refused it")

  // The saved page has the name inside, too.
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("text=Save as page")])
  const path = `${await download.path()}.html`
  copyFileSync(path.replace(/\.html$/, ""), path)
  await using saved = await open(pathToFileURL(path).href)
  await until(saved.page, "document.querySelectorAll('section[aria-label=\"Table of tasks\"] tbody tr').length === 1")
  assert.ok((await text(saved.page)).includes(hostile))
  assert.notEqual(await saved.page.evaluate<string>("document.title"), "run")
})

test("[MO16] the page is used by the keyboard alone: pause, zoom, choice of a task; the filter; the trace", async () => {
  const events = new MadeEvents()
  await using monitor = await startMonitorOn(events, { pools: [] })
  await using opened = await open(monitor.url)
  const { page } = opened
  await until(page, "document.querySelector('.live') !== null")
  const thread = { id: 1, name: "images-thread-1" }
  events.tell(
    ...events.task(thread, 1, "alpha", Date.now() - 300, 100),
    ...events.task(thread, 2, "beta", Date.now() - 150, 100, "failed"),
  )
  await until(page, "document.querySelectorAll('section[aria-label=\"Table of tasks\"] tbody tr').length === 2")
  await page.focus(".lane-canvas")
  await page.keyboard.press(" ")
  await until(page, "document.querySelector('.lane-tools button').getAttribute('aria-pressed') === 'true'")
  await page.keyboard.press("ArrowDown")
  await page.keyboard.press("+")
  await until(page, "document.querySelector('.lane-tools').innerText.includes('5.0 s')")
  await page.keyboard.press("p")
  await until(page, "document.querySelector('.details')?.innerText.includes('beta') === true")
  await page.keyboard.press("p")
  await until(page, "document.querySelector('.details')?.innerText.includes('alpha') === true")
  await page.fill("input[type=search]", "bet")
  await until(page, "document.querySelectorAll('section[aria-label=\"Table of tasks\"] tbody tr').length === 1")
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("text=Save as trace")])
  const { traceEvents } = JSON.parse(readFileSync(await download.path(), "utf8")) as {
    traceEvents: { ph: string; name: string; dur?: number }[]
  }
  const spans = traceEvents.filter(({ ph }) => ph === "X")
  assert.deepEqual(
    spans.map(({ name, dur }) => [name, dur === undefined ? 0 : Math.round(dur / 1000)]),
    [
      ["alpha", 100],
      ["beta", 100],
    ],
  )
})

test("[MO18] [MO32] with 16 lanes and 50,000 tasks per second the page says that it shows samples, and goes on drawing", async () => {
  const events = new MadeEvents()
  await using monitor = await startMonitorOn(events, { pools: [] })
  await using opened = await open(monitor.url)
  const { page } = opened
  await until(page, "document.querySelector('.live') !== null")
  const stop = load(events, 16, 50_000, 0.25)
  await until(page, "document.body.innerText.includes('Sampled')")
  // Frames are counted while the lanes are full; how many there are in a second is told, and depends on the machine.
  const rate = await page.evaluate<number>(
    "new Promise((resolve) => { const begin = performance.now(); let n = 0; const count = () => { n++; const ms = performance.now() - begin; ms < 8000 ? requestAnimationFrame(count) : resolve(n / (ms / 1000)) }; requestAnimationFrame(count) })",
  )
  stop()
  console.log(`frames per second with 16 lanes and 50,000 tasks per second: ${rate.toFixed(1)}`)
  assert.ok(rate > 0)
})
