/**
 * Opens a page in Chromium, and prints what it shows: `node page.js [policy]`, in the folder of the page. The page is
 * isolated from other origins, and has the Content-Security-Policy that is given.
 */
import { launch } from "../../test/browser/chromium.ts"
import { serveSite } from "../browser/server.ts"

const [policy] = process.argv.slice(2)
using served = await serveSite(process.cwd(), policy === undefined ? {} : { policy })
const browser = await launch()
try {
  const context = await browser.newContext({})
  const page = await context.newPage()
  const failed = new Promise<string>((resolve) => page.on("pageerror", (error) => resolve(String(error))))
  await page.goto(served.url)
  const done = `new Promise((resolve) => {
    const look = () => document.title === "done" ? resolve("done") : requestAnimationFrame(look)
    look()
  })`
  const told = page.evaluate<string>(done)
  const end = await Promise.race([failed, told])
  if (end !== "done") console.log(end)
  void told.catch(() => undefined) // of a page that has failed, and is closed
  console.log(await page.evaluate<string>("document.body.innerText"))
} finally {
  await browser.close()
}
