/** Documents of the repository as pages of the site: where they stand there, and where their links lead. */
import { posix } from "node:path"

/** Where a file is that the site does not have. */
const REPOSITORY = "https://github.com/corepool/corepool/blob/main/"

/** Where a document stands in the site; undefined if it is not part of it. A README is the page of its folder. */
export function placeOf(path: string): string | undefined {
  const place = /^examples\/[\w-]+\.ts$/.test(path)
    ? path.replace(/\.ts$/, ".md")
    : path === "README.md" || path === "CHANGELOG.md" || path === "examples/README.md"
      ? path
      : /^docs\/(?!site\/).*\.md$/.test(path)
        ? path.slice("docs/".length)
        : undefined
  return place?.replace(/README\.md$/, "index.md")
}

/** The text of a page: code becomes a fence, and links lead to pages, or to the repository if there is none. */
export function pageOf(path: string, text: string): string {
  if (!path.endsWith(".md")) return `# ${posix.basename(path, ".ts")}\n\n\`\`\`ts\n${text.trimEnd()}\n\`\`\`\n`
  let isCode = false
  const lines = text.split("\n").map((line) => {
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode
    return isCode
      ? line
      : line.replaceAll(
          /(\]\()([^)\s]+)(\))/g,
          (_, open: string, to: string, end: string) => `${open}${linkOf(path, to)}${end}`,
        )
  })
  // The list of signatures repeats the reference: it would fill the results of every search.
  const front = path.startsWith("docs/api/") ? "---\nsearch: false\n---\n\n" : ""
  return front + lines.join("\n")
}

function linkOf(path: string, link: string): string {
  if (/^[a-z]+:|^#/.test(link)) return link
  const [target = "", anchor] = link.split("#")
  const file = posix.normalize(posix.join(posix.dirname(path), target)).replace(/\/$/, "")
  const place = placeOf(file)
  const hash = anchor === undefined ? "" : `#${anchor}`
  if (place === undefined) return `${REPOSITORY}${file}${hash}`
  return posix.relative(posix.dirname(placeOf(path) ?? ""), place).replace(/^(?!\.)/, "./") + hash
}
