/** The settings of VitePress: the lists beside and above the pages, their look, and how they are searched. */
import { posix } from "node:path"
import { readText } from "../check/files.ts"
import { placeOf } from "./pages.ts"

interface Item {
  readonly text: string
  readonly link: string
}

interface Group {
  readonly text: string
  readonly collapsed: boolean
  readonly items: readonly (Item | Group)[]
}

/** The pages of docs/guide in the order in which to read them. Other pages follow. */
export const READING_ORDER = [
  "getting-started",
  "choosing-an-executor",
  "threads",
  "passing-data",
  "cancellation",
  "shutdown",
  "submitting-from-tasks",
  "fork-join",
  "structured-concurrency",
  "queues",
  "locks",
  "synchronizers",
  "scheduling",
  "distributed",
  "command-line",
  "observing",
  "tracing",
  "monitor",
  "runtimes",
  "browser",
  "builds",
  "migrating",
  "coming-from-p-limit-p-queue",
  "compat",
]

/** Some more room for code than VitePress gives it, and an icon that is no request. */
const HEAD = [
  [
    "style",
    {},
    `:root { --vp-code-font-size: 0.8125em }
.VPDoc.has-aside .content-container { max-width: 800px !important }`,
  ],
  ["link", { rel: "icon", href: "data:," }],
]

/** The module that VitePress loads. `documents` are paths from the root, in order. */
export function siteConfig(root: string, documents: readonly string[]): string {
  const settings = {
    title: "corepool",
    description: "java.util.concurrent for TypeScript",
    head: HEAD,
    outDir: "../html",
    cleanUrls: false,
    lastUpdated: false,
    themeConfig: {
      nav: [
        { text: "Guide", link: "/guide/getting-started" },
        { text: "Reference", link: "/reference/corepool/" },
        { text: "From Java", link: "/from-java" },
        { text: "Rules", link: "/spec/pool" },
        { text: "Examples", link: "/examples/" },
        { text: "Changes", link: "/CHANGELOG" },
      ],
      sidebar: sidebar(root, documents),
    },
  }
  return `const config = ${JSON.stringify(settings, null, 2)}
// A page of the guide explains, so it comes before rules and signatures with the same words.
const boostDocument = (id) => (id.startsWith("/guide/") ? 2.5 : id.startsWith("/reference/") ? 1.5 : 1)
config.themeConfig.search = { provider: "local", options: { miniSearch: { searchOptions: { boostDocument } } } }
export default config
`
}

export function sidebar(root: string, documents: readonly string[]): readonly Group[] {
  const items = (paths: readonly string[]): Item[] => paths.flatMap((path) => itemOf(root, path))
  const section = (text: string, folder: string): Group => {
    return { text, collapsed: true, items: items(documents.filter((path) => path.startsWith(folder))) }
  }
  const guide = documents.filter((path) => path.startsWith("docs/guide/"))
  return [
    { text: "Guide", collapsed: false, items: items(guide.sort((a, b) => placeInGuide(a) - placeInGuide(b))) },
    { text: "Reference", collapsed: true, items: referenceGroups(documents, items) },
    section("Examples", "examples/"),
    section("Rules", "docs/spec/"),
    section("Design", "docs/design/"),
  ]
}

function placeInGuide(path: string): number {
  const place = READING_ORDER.indexOf(posix.basename(path, ".md"))
  return place === -1 ? READING_ORDER.length : place
}

/** The pages of entries, and a list for each folder of the others: classes, functions and so on. */
function referenceGroups(
  documents: readonly string[],
  items: (paths: readonly string[]) => readonly Item[],
): (Item | Group)[] {
  const pages = documents.filter((path) => path.startsWith("docs/reference/"))
  const folders = new Set(pages.filter((path) => !isEntry(path)).map((path) => posix.dirname(path)))
  const groups = [...folders].map((folder): Group => {
    const text = folder
      .slice("docs/reference/".length)
      .replace(/^corepool\/(?!compat|distributed|monitor|otel|prometheus|testing|trace)/, "")
    return { text, collapsed: true, items: items(pages.filter((path) => posix.dirname(path) === folder)) }
  })
  return [...items(pages.filter(isEntry)), ...groups]
}

function isEntry(path: string): boolean {
  return path.endsWith("/README.md")
}

function itemOf(root: string, path: string): Item[] {
  const place = placeOf(path)
  if (place === undefined) return []
  const heading = path.endsWith(".md") ? /^# (.+)$/m.exec(readText(root, path))?.[1] : undefined
  const text = (heading ?? posix.basename(path, ".ts")).replaceAll(/[`\\]/g, "")
  const link = `/${place.replace(/index\.md$/, "").replace(/\.md$/, "")}`
  return [
    { text: text.replace(/^(?:Abstract )?(?:Class|Interface|Function|Type Alias|Variable|Enumeration): /, ""), link },
  ]
}
