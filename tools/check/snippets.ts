/**
 * Every `ts` fence of README.md and docs/guide compiles against the built package: [RP19] in docs/spec/repository.md.
 *
 * Each fence is a module of its own. One whose first line is a comment with a file name, `// primes.ts`, can be
 * imported by that name from the other fences of the same document. Code that is not meant to compile has another
 * language: `js`, `text`.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { compile } from "./compiler.ts"
import { listFiles, readText } from "./files.ts"
import type { Finding } from "./finding.ts"
import { splitMarkdown } from "./markdown.ts"

const FOLDER = "build/doc-snippets"

const TSCONFIG = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    module: "nodenext",
    customConditions: ["shipped"], // of build/package.json, which is around the snippets
    moduleDetection: "force",
    target: "es2023",
    lib: ["es2023", "esnext.disposable"],
    types: ["node"],
    allowImportingTsExtensions: true,
    skipLibCheck: true,
  },
}

export async function checkSnippets(root: string): Promise<Finding[]> {
  rmSync(join(root, FOLDER), { recursive: true, force: true })
  /** From the path of a snippet to the document it stands in. */
  const documents = new Map<string, string>()
  const findings: Finding[] = []
  for (const document of [
    ...listFiles(root, "", "README.md").filter(isTopLevel),
    ...listFiles(root, "docs/guide", ".md"),
  ]) {
    for (const { line, language, code } of splitMarkdown(readText(root, document)).fences) {
      if (language !== "ts" && language !== "typescript") continue
      const name = /^\/\/ ([\w-]+\.ts)\s*$/m.exec(code.split("\n")[0] ?? "")?.[1] ?? `line-${line}.ts`
      const path = `${FOLDER}/${document.replace(/\.md$/, "")}/${name}`
      if (documents.has(path)) findings.push({ where: `${document}:${line}`, what: `a second fence is called ${name}` })
      documents.set(path, document)
      mkdirSync(join(root, dirname(path)), { recursive: true })
      // The empty lines put the code on the same lines as in the document, and so the compiler's messages.
      writeFileSync(join(root, path), `${"\n".repeat(line)}${code}\n`)
    }
  }
  if (documents.size === 0) return findings
  writeFileSync(join(root, FOLDER, "tsconfig.json"), JSON.stringify(TSCONFIG))

  for (const found of await compile(root, ["-p", FOLDER])) {
    const [path = "", line] = found.where.split(":")
    const document = documents.get(path)
    findings.push(
      document === undefined ? found : { where: `${document}:${line}`, what: `${basename(path)}: ${found.what}` },
    )
  }
  return findings
}

function isTopLevel(path: string): boolean {
  return !path.includes("/")
}
