/**
 * `npm run demo`: a page that uses corepool in the browser, served to this machine only.
 *
 *     npm run demo              at a free port
 *     npm run demo -- 8080      at this one
 */
import { join } from "node:path"
import { serveSite } from "./server.ts"
import { buildSite } from "./site.ts"

const root = process.cwd()
const folder = join(root, "build/demo/site")
await buildSite(root, folder)
const { url } = await serveSite(folder, Number(process.argv[2] ?? 0))
console.log(`Open ${url} in a browser. Ctrl+C ends it.`)
