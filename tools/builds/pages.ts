/** The pages of `npm run test:builds`, as data: built by a bundler, and opened in Chromium. */
import { join } from "node:path"
import { HOME } from "../check/run.ts"
import { BUNDLERS, type Case, type Limit, RUNNERS } from "./cases.ts"

const OPENED = join(HOME, "build/tools/builds/page.js")

/** What they have in common. Each is one output for two runs, without a policy and with a strict one. */
const PAGE = { programs: ["js", "page"], output: "dist", run: [OPENED], runtimes: ["node20"], isPage: true } as const

const ESBUILD = ["--bundle", "--minify", "--format=esm", "--outdir=dist", "--log-level=error", "--loader:.html=copy"]

export const PAGES: readonly Case[] = [
  {
    ...PAGE,
    name: "esbuild, page",
    tool: "esbuild",
    build: [["esbuild", "main.js", "tasks.js", "worker=corepool/worker", "index.html", "--splitting", ...ESBUILD]],
    how: "`--format=esm --splitting`, and as entry points the tasks and `worker=corepool/worker`",
  },
  {
    ...PAGE,
    name: "vite build",
    tool: "vite",
    build: [["vite", "build", "--config", "page.config.mjs"]],
    how: "the tasks as a second input (`fixtures/vite/page.config.mjs`)",
  },
  {
    ...PAGE,
    name: "vite build, one input",
    tool: "vite",
    build: [["vite", "build", "--config", "one-input.config.mjs"]],
    limit: {
      kinds: ["module", "fork/join"],
      error: /TaskNotPortableError: The module of task .* could not be loaded: .*document is not defined/,
      reason: "the tasks are in the file of the page, and a worker cannot run that",
      instead: "make the module of tasks a second input",
    },
    how: "nothing",
  },
  {
    ...PAGE,
    name: "webpack, page",
    tool: "webpack",
    build: [["webpack", "--config", "page.config.mjs"]],
    how: "an ES module for each of the page, the tasks and `corepool/worker` (`fixtures/webpack/page.config.mjs`), and `tasksOf`",
  },
  {
    ...PAGE,
    name: "rollup, page",
    tool: "rollup",
    build: [["rollup", "--config", "page.config.mjs"]],
    how: "`nodeResolve({ browser: true })`, and as inputs the tasks and `corepool/worker` (`fixtures/rollup/page.config.mjs`)",
  },
]

/** The same page under a policy that forbids to evaluate texts. */
function strict(page: Case): Case {
  const limit: Limit = {
    kinds: ["inline"],
    error: /TaskNotPortableError: This program forbids to evaluate source/,
    reason: "a function in place travels as text, which the policy forbids to evaluate",
    instead: "a task of a module",
  }
  return { ...page, name: `${page.name}, strict policy`, run: [OPENED, "default-src 'self'"], limit }
}

export const CASES: readonly Case[] = [
  ...BUNDLERS,
  ...RUNNERS,
  ...PAGES.flatMap((page) => (page.limit === undefined ? [page, strict(page)] : page)),
]
