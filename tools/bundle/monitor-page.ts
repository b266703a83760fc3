/**
 * The page of `corepool/monitor`: one HTML text, with its script and its style inside and nothing else to load. The
 * Content-Security-Policy allows these two by their hashes, and so no other script, wherever it may come from.
 */
import { build } from "esbuild"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { brotliCompressSync, constants } from "node:zlib"

/** The text of a chunk that exports `html` and `policy`, compressed. */
export async function bundleMonitorPage(root: string): Promise<string> {
  const script = await bundled(join(root, "build/monitor-page/main.js"))
  const style = await bundled(join(root, "monitor-page/style.css"))
  const html = readFileSync(join(root, "monitor-page/page.html"), "utf8")
    .replace("/* style */", () => style)
    .replace("/* script */", () => script)
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ")
  const packed = brotliCompressSync(Buffer.from(html), {
    params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
  }).toString("base64")
  const unpacking = `process.getBuiltinModule("node:zlib").brotliDecompressSync(Buffer.from("${packed}", "base64")).toString()`
  return `"use strict";module.exports = { html: ${unpacking}, policy: ${JSON.stringify(policy)} };`
}

async function bundled(path: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path],
    bundle: true,
    write: false,
    minify: true,
    format: "iife",
    target: "es2022",
    platform: "browser",
    legalComments: "none",
    logLevel: "warning",
  })
  // Neither may end its element.
  return (outputFiles[0]?.text ?? "").trim().replaceAll("</", "<\\/")
}

/** Of the text between the tags, as browsers compute it. */
function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`
}
