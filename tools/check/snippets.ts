/**
 * Code in documents compiles against the built package, [RP19] in docs/spec/repository.md: every `ts` fence of README.md, of docs/guide and of
 * the comments of src. Those in comments of src are examples that also run, [RP64], if they say what they print:
 *
 *     console.log(6 * 7) // => 42
 *
 * Each fence is a module of its own. One whose first line is a comment with a file name, `// primes.ts`, can be
 * imported by that name from the other fences of the same document. Code that is not meant to compile has another
 * language: `js`, `text`.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { compile } from "./compiler.ts"
import { lineAt, listFiles, readText } from "./files.ts"
import type { Finding } from "./finding.ts"
import { type Fence, splitMarkdown } from "./markdown.ts"
import { HOME, runNode, saidBy } from "./run.ts"
import type { Printed } from "./snippet-runner.ts"

const FOLDER = "build/doc-snippets"

/** Far above what all examples together need. */
const TIME_LIMIT = 120_000

const TSCONFIG = {
  compilerOptions: {
    strict: true,
    module: "nodenext",
    customConditions: ["shipped"], // of build/package.json, which is around the snippets
    moduleDetection: "force",
    target: "es2023",
    lib: ["es2023", "esnext.disposable"],
    types: ["node"],
    rewriteRelativeImportExtensions: true,
    skipLibCheck: true,
  },
}

interface Snippet {
  readonly document: string
  readonly fence: Fence
}

export async function checkSnippets(root: string): Promise<Finding[]> {
  rmSync(join(root, FOLDER), { recursive: true, force: true })
  /** From the path of a snippet to where it stands. */
  const snippets = new Map<string, Snippet>()
  const findings: Finding[] = []
  for (const { document, fence } of [...ofDocuments(root), ...ofComments(root)]) {
    const { line, language, code } = fence
    if (language !== "ts" && language !== "typescript") continue
    const name = /^\/\/ ([\w-]+\.ts)\s*$/m.exec(code.split("\n")[0] ?? "")?.[1] ?? `line-${line}.ts`
    const path = `${FOLDER}/${document.replace(/\.(?:md|ts)$/, "")}/${name}`
    if (snippets.has(path)) findings.push({ where: `${document}:${line}`, what: `a second fence is called ${name}` })
    snippets.set(path, { document, fence })
    mkdirSync(join(root, dirname(path)), { recursive: true })
    // The empty lines put the code on the same lines as in the document, and so the compiler's messages.
    writeFileSync(join(root, path), `${"\n".repeat(line)}${code}\n`)
  }
  if (snippets.size === 0) return findings
  writeFileSync(join(root, FOLDER, "tsconfig.json"), JSON.stringify(TSCONFIG))

  for (const found of await compile(root, ["-p", FOLDER])) {
    const [path = "", line] = found.where.split(":")
    const document = snippets.get(path)?.document
    findings.push(
      document === undefined ? found : { where: `${document}:${line}`, what: `${basename(path)}: ${found.what}` },
    )
  }
  if (findings.length === 0) findings.push(...(await checkPrinted(root, snippets)))
  return findings
}

function* ofDocuments(root: string): Generator<Snippet> {
  const documents = [...listFiles(root, "", "README.md").filter(isTopLevel), ...listFiles(root, "docs/guide", ".md")]
  for (const document of documents)
    for (const fence of splitMarkdown(readText(root, document)).fences) yield { document, fence }
}

function isTopLevel(path: string): boolean {
  return !path.includes("/")
}

function* ofComments(root: string): Generator<Snippet> {
  for (const document of listFiles(root, "src", ".ts")) {
    const text = readText(root, document)
    for (const { 0: comment, index } of text.matchAll(/\/\*\*[^]*?\*\//g)) {
      if (!comment.includes("```")) continue
      const first = lineAt(text, index) - 1
      for (const fence of splitMarkdown(withoutStars(comment)).fences)
        yield { document, fence: { ...fence, line: first + fence.line } }
    }
  }
}

/** The text of a comment, on as many lines. */
function withoutStars(comment: string): string {
  return comment.replaceAll(/^[ \t]*\* ?/gm, "")
}

/** [RP64] */
async function checkPrinted(root: string, snippets: ReadonlyMap<string, Snippet>): Promise<Finding[]> {
  const expected = new Map<string, readonly string[]>()
  for (const [path, { document, fence }] of snippets) {
    const lines = [...fence.code.matchAll(/\/\/ => (.*)$/gm)].map(([, line = ""]) => line.trimEnd())
    if (document.startsWith("src/") && lines.length > 0) expected.set(path.replace(/\.ts$/, ".js"), lines)
  }
  if (expected.size === 0) return []
  const runner = join(HOME, "build/tools/check/snippet-runner.js")
  const outcome = await runNode(["--conditions=shipped", runner, ...expected.keys()], {
    cwd: root,
    timeout: TIME_LIMIT,
  })
  if (outcome.code !== 0) return [{ where: "src", what: `the examples in comments: ${saidBy(outcome)}` }]
  const findings: Finding[] = []
  for (const { path, lines, error } of JSON.parse(outcome.stdout) as readonly Printed[]) {
    const { document, fence } = snippets.get(path.replace(/\.js$/, ".ts")) as Snippet
    const where = `${document}:${fence.line}`
    const wanted = (expected.get(path) ?? []).join("\n")
    if (error !== undefined) findings.push({ where, what: error })
    else if (lines.join("\n") !== wanted)
      findings.push({ where, what: `printed\n${lines.join("\n")}\ninstead of\n${wanted}` })
  }
  return findings
}
