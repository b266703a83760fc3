/** The page of `npm run demo` in a real browser: docs/spec/browser.md. */
import assert from "node:assert/strict"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { networkInterfaces, tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, test } from "node:test"
import { fileURLToPath } from "node:url"
import { serveSite, type Served } from "../../tools/browser/server.ts"
import { buildSite, POLICY } from "../../tools/demo/site.ts"
import { axePath, type Browser, launch, type Page } from "./chromium.ts"

const ROOT = fileURLToPath(new URL("../../../", import.meta.url))
const PICTURES = join(ROOT, "docs/guide/images")

let [browser, served, folder]: [Browser | undefined, Served | undefined, string] = [undefined, undefined, ""]
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "corepool-demo-"))
  await buildSite(ROOT, folder)
  served = await serveSite(folder, { policy: POLICY })
  browser = await launch()
})
after(async () => {
  await browser?.close()
  served?.[Symbol.dispose]()
  rmSync(folder, { recursive: true })
})

interface Opened extends AsyncDisposable {
  readonly page: Page
  /** Errors that no code of the page has caught. */
  readonly uncaught: string[]
}

async function open(scheme: "light" | "dark" = "light"): Promise<Opened> {
  const viewport = { width: 1160, height: 1200 }
  const context = await (browser as Browser).newContext({ colorScheme: scheme, viewport })
  const page = await context.newPage()
  const uncaught: string[] = []
  page.on("pageerror", (error) => uncaught.push(String(error)))
  await page.goto((served as Served).url)
  return { page, uncaught, [Symbol.asyncDispose]: async () => await context.close() }
}

/** Asks at each frame of the page. */
async function until(page: Page, condition: string): Promise<void> {
  const asked = `new Promise((resolve) => requestAnimationFrame(() => resolve(${condition})))`
  while (!(await page.evaluate<boolean>(asked)));
}

const text = (id: string): string => `document.getElementById(${JSON.stringify(id)}).textContent`
const read = async (page: Page, id: string): Promise<string> => await page.evaluate<string>(text(id))

/** Forgets the last picture's figures, and waits for those of the next. */
async function nextPicture(page: Page, act: () => Promise<void>): Promise<string> {
  await page.evaluate(`{ ${text("fractal-result")} = "" }`)
  await act()
  await until(page, `${text("fractal-result")} !== ""`)
  return await read(page, "fractal-result")
}

async function press(page: Page, keys: string): Promise<void> {
  const names: Readonly<Record<string, string>> = { l: "ArrowLeft", r: "ArrowRight", u: "ArrowUp", d: "ArrowDown" }
  for (const key of keys) await page.keyboard.press(names[key] ?? key)
}

/** How many colours the picture has. */
const COLOURS = `new Set(new Uint32Array(document.getElementById("fractal").getContext("2d")
  .getImageData(0, 0, 400, 400).data.buffer)).size`

const setThreads = (count: number): string => `{
  const slider = document.getElementById("threads")
  slider.value = "${count}"
  slider.dispatchEvent(new Event("input"))
}`

test("[BR30] the picture is drawn by as many threads as the slider says, and by the keyboard alone", async () => {
  await using opened = await open()
  const { page, uncaught } = opened
  await until(page, `${text("fractal-result")} !== ""`)
  assert.match(await nextPicture(page, async () => await page.evaluate(setThreads(1))), /^\d+ ms by 1 thread · /)
  assert.match(await nextPicture(page, async () => await page.evaluate(setThreads(4))), /^\d+ ms by 4 threads · /)
  const whole = await page.evaluate<number>(COLOURS)
  assert.ok(whole > 100, `${whole} colours`)
  await page.focus("#fractal")
  for (const key of ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "+", "-", "0"]) {
    await nextPicture(page, async () => await page.keyboard.press(key))
  }
  // The same place is the same picture.
  assert.equal(await page.evaluate<number>(COLOURS), whole)
  await page.click("#fractal-fly")
  for (let i = 0; i < 3; i++) await nextPicture(page, async () => {})
  await page.click("#fractal-fly")
  assert.deepEqual(uncaught, [])
})

test("[BR30] the race ends with sorted numbers and the times of both", async () => {
  await using opened = await open()
  const { page, uncaught } = opened
  await page.evaluate(`{ document.getElementById("race-length").value = "1000000" }`)
  await page.click("#race")
  await until(page, `!document.getElementById("race").disabled`)
  assert.match(await read(page, "race-result"), /^\d+\.\d\d times as fast$/)
  for (const id of ["race-one-time", "race-all-time"]) assert.match(await read(page, id), /^\d+\.\d\d s$/)
  assert.deepEqual(uncaught, [])
})

test("[BR30] two endless loops hold up a pool of two threads; cancelled, both end, and the pool goes on", async () => {
  await using opened = await open()
  const { page, uncaught } = opened
  const doneNow = `Number(${text("loops-done")}.replace(",", ""))`
  await until(page, `${doneNow} > 0`)
  await page.click("#loops-start")
  await page.click("#loops-start")
  const lines = `[...document.querySelectorAll("#loops li")].map((line) => line.textContent)`
  await until(page, `${lines}.length === 2 && ${lines}.every((line) => line.includes("million turns, running"))`)
  await until(page, `Number(${text("loops-waiting")}) > 2`)
  const held = await page.evaluate<number>(doneNow)
  await page.click("[aria-label='Cancel loop 1']")
  await page.click("[aria-label='Cancel loop 2']")
  await until(page, `document.querySelectorAll("#loops .over").length === 2`)
  await until(page, `${text("loops-replaced")} === "2" && ${doneNow} > ${held} + 2`)
  const said = await page.evaluate<string[]>(lines)
  for (const line of said)
    assert.match(line, /^Loop \d: stopped after [\d,]+ million turns, \d+\.\d s after it was canc/)
  assert.deepEqual(uncaught, [])
})

test("[BR30] the page tells its frame rate while threads compute, and is accessible, light and dark", async () => {
  for (const scheme of ["light", "dark"] as const) {
    await using opened = await open(scheme)
    const { page, uncaught } = opened
    await until(page, `${text("fractal-result")} !== ""`)
    await page.focus("#fractal")
    await nextPicture(page, async () => await press(page, "++++lluu++++ru+++"))
    await page.click("#loops-start")
    await until(page, `${text("loops")}.includes("million turns")`)
    await page.click("[aria-label='Cancel loop 1']")
    await until(page, `document.querySelectorAll("#loops .over").length === 1`)
    await page.click("#race")
    await until(page, `!document.getElementById("race").disabled`)
    await page.click("#loops-start")
    await until(page, `${text("loops")}.includes("million turns, running")`)
    // It is told twice a second, and for the last second.
    for (let i = 0; i < 4; i++) {
      await page.evaluate(`{ ${text("rate")} = "" }`)
      await until(page, `Number(${text("rate")}) > 0`)
    }
    const rate = await read(page, "rate")
    console.log(`${scheme}: ${rate} frames/s, longest ${await read(page, "rate-worst")}`)
    // The picture of the guide is made anew only where the machine has a processor left for the page.
    const path = join(PICTURES, `demo-${scheme}.jpg`)
    if (Number(rate) >= 55) await page.screenshot({ type: "jpeg", quality: 75, fullPage: true, path })
    await page.evaluate(readFileSync(axePath(), "utf8"))
    const found = await page.evaluate<string[]>(
      "axe.run().then((it) => it.violations.flatMap((v) => [v.id, ...v.nodes.map((n) => n.html)]))",
    )
    assert.deepEqual(found, [])
    assert.deepEqual(uncaught, [])
  }
})

test("[BR30] the page is isolated, and served to this machine only", async () => {
  await using opened = await open()
  assert.equal(await opened.page.evaluate<boolean>("crossOriginIsolated"), true)
  const { url } = served as Served
  for (const path of ["../package.json", "..%2fpackage.json", "//", "nothing.js"]) {
    assert.equal((await fetch(`${url}${path}`)).status, 404, path)
  }
  const { port } = new URL(url)
  const others = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).filter((it) => !it.internal))
  for (const { address, family } of others) {
    const host = family === "IPv6" ? `[${address}]` : address
    if (!address.startsWith("fe80")) await assert.rejects(fetch(`http://${host}:${port}/`), TypeError)
  }
})
