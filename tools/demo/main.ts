/**
 * `npm run demo`: a page that uses corepool in the browser, served to this machine only.
 *
 *     npm run demo              at a free port
 *     npm run demo -- 8080      at this one
 */
import { join } from "node:path"
import { serveSite } from "../browser/server.ts"
import { buildSite, POLICY } from "./site.ts"

const root = process.cwd()
const folder = join(root, "build/demo/site")
await buildSite(root, folder)
const { url } = await serveSite(folder, { port: Number(process.argv[2] ?? 0), policy: POLICY })
console.log(`Open ${url} in a browser. Ctrl+C ends it.`)
