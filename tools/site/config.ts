/** What VitePress is told: what is beside and above the pages, and how they are searched. */
import { posix } from "node:path"
import { readText } from "../check/files.ts"
import { placeOf } from "./pages.ts"

interface Item {
  readonly text: string
  readonly link: string
}

/** `documents` are paths from the root, in order. */
export function siteConfig(root: string, documents: readonly string[]): unknown {
  const section = (text: string, folder: string): unknown => {
    const items = documents.filter((path) => path.startsWith(folder)).flatMap((path) => itemOf(root, path))
    return { text, collapsed: folder !== "docs/guide/", items }
  }
  return {
    title: "corepool",
    description: "java.util.concurrent for TypeScript",
    outDir: "../html",
    cleanUrls: false,
    lastUpdated: false,
    themeConfig: {
      search: { provider: "local" },
      nav: [
        { text: "Guide", link: "/guide/getting-started" },
        { text: "Reference", link: "/reference/" },
        { text: "From Java", link: "/from-java" },
        { text: "Rules", link: "/spec/pool" },
        { text: "Examples", link: "/examples/" },
        { text: "Changes", link: "/CHANGELOG" },
      ],
      sidebar: [
        section("Guide", "docs/guide/"),
        section("Reference", "docs/reference/"),
        section("Examples", "examples/"),
        section("Rules", "docs/spec/"),
        section("Design", "docs/design/"),
      ],
    },
  }
}

function itemOf(root: string, path: string): Item[] {
  const place = placeOf(path)
  if (place === undefined) return []
  const heading = path.endsWith(".md") ? /^# (.+)$/m.exec(readText(root, path))?.[1] : undefined
  const text = (heading ?? posix.basename(path, ".ts")).replaceAll(/[`\\]/g, "")
  return [{ text, link: `/${place.replace(/index\.md$/, "").replace(/\.md$/, "")}` }]
}
