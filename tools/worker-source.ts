/**
 * The last step of `npm run build`: puts the program of a worker thread, bundled into one text, into
 * dist/platform/worker-source.js. Why there is such a text: src/platform/worker-start.ts.
 *
 * The text is one function that is called. It is a script and a module alike, as which of them a runtime takes it for depends
 * on its flags, and it needs nothing around it: modules of the runtime come from `process.getBuiltinModule`. Names are kept,
 * since messages and stack traces show them. A thread that runs from the text may have to start others, so it must have
 * the text itself: it asks the function for its source.
 */
import { build, type Plugin } from "esbuild"
import { readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"

const ENTRY = "dist/platform/worker-entry.js"
const TARGET = "dist/platform/worker-source.js"

const BEGIN = `(function corepoolWorker() {
"use strict";
const require = (name) => process.getBuiltinModule(name);
const module = { exports: {} };
`
const END = `})()`

/** Inside of the text, the text is the source of the function around it. */
const ownSource: Plugin = {
  name: "own source",
  setup(builder) {
    builder.onLoad({ filter: /[/\\]worker-source\.js$/ }, () => ({
      contents: `export const WORKER_SOURCE = "(" + corepoolWorker + ")()"`,
    }))
  },
}

/** The program as text; `root` is the repository, built by the compiler. */
export async function bundleWorker(root: string): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [ENTRY],
    bundle: true,
    write: false,
    platform: "node",
    format: "cjs",
    target: "node20",
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 120, // a runtime shows the line in which an error was thrown
    charset: "utf8",
    legalComments: "none",
    define: { "import.meta": "{}" },
    plugins: [ownSource],
    logLevel: "warning",
  })
  return `${BEGIN}${outputFiles[0]?.text ?? ""}${END}`
}

/** The module that has it. */
export function moduleWith(text: string): string {
  return `/** The program of a worker thread as text; made by tools/worker-source.ts. */\nexport const WORKER_SOURCE = ${JSON.stringify(text)}\n`
}

function size(bytes: number): string {
  return `${(bytes / 1024).toFixed(0)} KB`
}

async function main(root: string): Promise<void> {
  const text = await bundleWorker(root)
  const target = join(root, TARGET)
  const module = moduleWith(text)
  if (readFileSync(target, "utf8") === module) return
  writeFileSync(target, module)
  console.log(`${TARGET}: ${size(text.length)}, ${size(gzipSync(text).length)} compressed`)
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url))
  await main(process.cwd())
