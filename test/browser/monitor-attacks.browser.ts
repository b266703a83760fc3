/** A page of another site, in a real browser, against the monitor: docs/spec/monitor.md. */
import { Executors, virtualThreads } from "corepool"
import { type Monitor, startMonitor } from "corepool/monitor"
import assert from "node:assert/strict"
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { after, before, test } from "node:test"
import { type Browser, launch, type Page } from "./chromium.ts"

let browser: Browser
let evil: Server
before(async () => {
  // As if the owner of the name had let it lead to this machine.
  browser = await launch(["--host-resolver-rules=MAP evil.example 127.0.0.1"])
  evil = createServer((_, response) => response.setHeader("Content-Type", "text/html").end("<title>evil</title><body>"))
  evil.listen(0, "127.0.0.1")
  await once(evil, "listening")
})
after(async () => {
  await browser.close()
  evil.close()
})

/** A page of the other site, and what scripts in it find out. */
async function foreignPage(): Promise<Page> {
  const context = await browser.newContext({})
  const page = await context.newPage()
  await page.goto(`http://evil.example:${(evil.address() as AddressInfo).port}/`)
  return page
}

const addressOf = ({ port }: Monitor): string => `http://127.0.0.1:${port}`

test("[MO9] a name of another site that leads to this machine gets neither the page nor data", async () => {
  await using monitor = await startMonitor()
  const context = await browser.newContext({})
  const page = await context.newPage()
  await page.goto(`http://evil.example:${monitor.port}/#token=${monitor.token}`)
  const said = await page.evaluate<string>("document.body.innerText")
  assert.match(said, /^The header Host is not the address of this monitor/)
  const asked = `fetch('/snapshot', { headers: { Authorization: 'Bearer ${monitor.token}' } }).then((it) => it.status)`
  assert.equal(await page.evaluate<number>(asked), 403)
})

test("[MO10] another site can neither read nor act, even if it knows the token", async () => {
  await using pool = Executors.newFixedThreadPool(1, virtualThreads())
  await using monitor = await startMonitor({ pools: { pool }, allowActions: true })
  const page = await foreignPage()
  const outcomeOf = async (path: string, options: object): Promise<string> =>
    await page.evaluate<string>(
      `fetch('${addressOf(monitor)}${path}', ${JSON.stringify(options)}).then(({ type, status }) => type + ' ' + status, () => 'refused')`,
    )
  const headers = { Authorization: `Bearer ${monitor.token}` }
  const body = JSON.stringify({ action: "shutdown", id: 1 })
  for (const [path, options] of [
    ["/", {}],
    ["/snapshot", { headers }],
    ["/stream", { headers }],
    ["/snapshot", { mode: "no-cors", credentials: "include" }],
    ["/action", { method: "POST", headers: { ...headers, "Content-Type": "application/json" }, body }],
    ["/action", { method: "POST", mode: "no-cors", body }],
  ] as const) {
    assert.equal(await outcomeOf(path, options), "refused", `${path} ${JSON.stringify(options)}`)
  }
  assert.equal(pool.isShutdown, false)
})

test("[MO11] another site can put the page into no frame, and use it as no script", async () => {
  await using monitor = await startMonitor()
  const page = await foreignPage()
  const added = async (tag: string): Promise<string> =>
    await page.evaluate<string>(
      `new Promise((resolve) => { const it = document.createElement('${tag}'); it.src = '${addressOf(monitor)}/'; it.onload = () => resolve('loaded'); it.onerror = () => resolve('refused'); document.body.append(it) })`,
    )
  assert.equal(await added("script"), "refused")
  assert.equal(await added("img"), "refused")
  await added("iframe") // which shows an error of the browser
  const inside = await page.evaluate<string>(
    "(() => { try { return frames[0].document.title } catch (e) { return e.name } })()",
  )
  assert.equal(inside, "SecurityError")
})
