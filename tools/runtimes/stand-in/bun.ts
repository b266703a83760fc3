/** For `bun --preload`: what a file imports as node:test is the stand-in. Deno has an import map for this. */
import { fileURLToPath } from "node:url"

/** What is used of Bun. */
interface Bun {
  plugin(plugin: { readonly name: string; setup(build: Build): void }): void
}

interface Build {
  onResolve(where: { readonly filter: RegExp; readonly namespace: string }, resolve: () => { path: string }): void
}

const { Bun } = globalThis as unknown as { Bun: Bun }

Bun.plugin({
  name: "stand-in for node:test",
  setup(build) {
    // The specifier is taken apart at its colon before plugins see it.
    const path = fileURLToPath(new URL("node-test.js", import.meta.url))
    build.onResolve({ filter: /^test$/, namespace: "node" }, () => ({ path }))
  },
})
