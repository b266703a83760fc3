/**
 * Citations that lead nowhere: [RP10] to [RP12] and [RP47] in docs/spec/repository.md. Comments rot at their references first:
 * a rule is renumbered, a file moves, a heading is reworded, and nobody notices.
 */
import { existsSync } from "node:fs"
import { join, posix } from "node:path"
import { listFiles, readText } from "./files.ts"
import type { Finding } from "./finding.ts"
import { anchorsOf, type Line, linkTargets, splitMarkdown } from "./markdown.ts"
import { Source } from "./source.ts"
import { citedIn, readRules } from "./spec.ts"

/** A path from the root, in backticks. What is built or installed may be absent and is not looked for. */
const ROOT_PATH = /`(?:\.\/)?((?:src|test|tools|docs|examples|bench|showcase|\.ci)\/[^`\s:#]*)[^`\s]*`/g
/** In a comment also a file by its name alone, or by its way from here. */
const FILE_NAME = /`((?:\.{1,2}\/)*[\w.-]+\.(?:ts|md))`/g

export function checkLinks(root: string): Finding[] {
  const rules = new Set(readRules(root).rules.map((rule) => rule.id))
  const deadRules = (path: string, { number, text }: Line): Finding[] =>
    citedIn(text)
      .filter((id) => !rules.has(id))
      .map((id) => ({ where: `${path}:${number}`, what: `cites [${id}], which is in no file of docs/spec` }))

  const findings: Finding[] = [...wrongAddresses(root)]
  for (const path of listFiles(root, "", ".md")) {
    for (const line of splitMarkdown(readText(root, path)).prose) {
      findings.push(...deadRules(path, line), ...deadLinks(root, path, line))
      // A changelog tells of files as they were.
      if (path !== "CHANGELOG.md") findings.push(...deadPaths(root, path, line))
    }
  }
  const names = new Set(listFiles(root, "", ".ts", ".md").map((path) => posix.basename(path)))
  for (const path of listFiles(root, "src", ".ts")) {
    for (const comment of new Source(root, path).commentLines()) {
      const line = { number: comment.line, text: comment.text }
      findings.push(...deadRules(path, line), ...deadPaths(root, path, line), ...deadNames(root, path, line, names))
    }
  }
  return findings
}

function deadLinks(root: string, path: string, { number, text }: Line): Finding[] {
  return linkTargets(text).flatMap((link): Finding[] => {
    if (/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(link)) return []
    const [file = "", anchor] = decodeURI(link).split("#", 2)
    const target = file === "" ? path : posix.join(file.startsWith("/") ? "" : posix.dirname(path), file)
    const where = `${path}:${number}`
    if (!existsSync(join(root, target))) return [{ where, what: `links to ${link}, which does not exist` }]
    if (anchor === undefined || !target.endsWith(".md") || anchorsOf(readText(root, target)).has(anchor)) return []
    return [{ where, what: `links to ${link}, but ${target} has no such heading` }]
  })
}

/** npm resolves the relative links of a README by the repository that package.json names, and links to the other two beside it. */
function wrongAddresses(root: string): Finding[] {
  const where = "package.json"
  if (!existsSync(join(root, where))) return []
  const manifest = JSON.parse(readText(root, where)) as {
    repository?: { url?: string }
    homepage?: string
    bugs?: { url?: string }
  }
  const repository = /^git\+(https:\/\/github\.com\/[\w.-]+\/[\w.-]+)\.git$/.exec(manifest.repository?.url ?? "")?.[1]
  if (repository === undefined) return [{ where, what: "names no repository: git+https://github.com/OWNER/NAME.git" }]
  const findings: Finding[] = []
  if (manifest.homepage !== `${repository}#readme`)
    findings.push({ where, what: `homepage is not ${repository}#readme` })
  if (manifest.bugs?.url !== `${repository}/issues`)
    findings.push({ where, what: `bugs.url is not ${repository}/issues` })
  for (const { number, text } of splitMarkdown(readText(root, "README.md")).prose) {
    for (const link of linkTargets(text)) {
      if (!link.startsWith("/")) continue
      findings.push({ where: `README.md:${number}`, what: `links to ${link}, which is another page on npm` })
    }
  }
  return findings
}

function deadPaths(root: string, path: string, { number, text }: Line): Finding[] {
  return [...text.matchAll(ROOT_PATH)].flatMap((match): Finding[] => {
    const named = match[1] ?? ""
    // `src/memory/…` and `test/*.ts` promise only the folder.
    const certain = named.replace(/\/[^/]*[*…<{].*$/, "")
    if (existsSync(join(root, certain))) return []
    return [{ where: `${path}:${number}`, what: `mentions ${named}, which does not exist` }]
  })
}

function deadNames(root: string, path: string, { number, text }: Line, names: ReadonlySet<string>): Finding[] {
  return [...text.matchAll(FILE_NAME)].flatMap((match): Finding[] => {
    const named = match[1] ?? ""
    const found = named.includes("/") ? existsSync(join(root, posix.dirname(path), named)) : names.has(named)
    return found ? [] : [{ where: `${path}:${number}`, what: `mentions ${named}, which does not exist` }]
  })
}
