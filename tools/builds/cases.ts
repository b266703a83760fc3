/**
 * The programs of `npm run test:builds`, as data: with which tool each is built or run, and what it can do then. What a tool cannot do is
 * listed with its reason and with what to do instead; the run fails if that is no longer true. The tables of
 * docs/guide/builds.md are made of this.
 */
import type { RuntimeName } from "../runtimes/runtime.ts"

/** What a program tries: a task of a module, a function written in place, and a task that forks. */
export const KINDS = ["module", "inline", "fork/join"] as const
export type Kind = (typeof KINDS)[number]

export const RESULTS: Readonly<Record<Kind, string>> = { module: "42", inline: "42", "fork/join": "55" }

/** What is not possible. */
export interface Limit {
  readonly kinds: readonly Kind[]
  /** What the program prints for these. */
  readonly error: RegExp
  readonly reason: string
  readonly instead: string
}

export interface Case {
  /** What it is called in tables and on the command line. */
  readonly name: string
  /** The folder of fixtures with the package.json that names the tool. */
  readonly tool: string
  /** The folders of fixtures/programs with the program, or with what the tool's own folder does not have of it. */
  readonly programs: readonly string[]
  /** Whether the program is in CommonJS; otherwise files called .js and .ts are ES modules. */
  readonly isCommonJs?: boolean
  /** What builds it, beginning with a command of an installed package or with `node`. */
  readonly build?: readonly (readonly string[])[]
  /** The folder that a build makes. It is moved to where nothing is installed, and the program runs there. */
  readonly output?: string
  /** Whether files called .js in the output are ES modules. */
  readonly isModule?: boolean
  /** What runs it: arguments of the runtime. */
  readonly run: readonly string[]
  /** The file of the output that runs by itself, without a runtime. */
  readonly executable?: string
  readonly env?: Readonly<Record<string, string>>
  readonly runtimes: readonly RuntimeName[]
  readonly limit?: Limit
  /** Whether it is a page: the runtime then runs page.ts, which opens it in Chromium. */
  readonly isPage?: boolean
  /** For the guide: what to do to have it so. */
  readonly how: string
}

const ENTRIES = ["main.js", "tasks.js"]
const ESBUILD = ["--bundle", "--platform=node", "--outdir=dist", "--log-level=error"]

const IN_ENTRY: Limit = {
  kinds: ["module", "fork/join"],
  error: /is defined in the module with which the program starts.*make its module an entry point of the bundle/,
  reason: "the bundle is one file, and other threads would run the whole program to get at a task",
  instead: "make the module of tasks a second entry point",
}

export const BUNDLERS: readonly Case[] = [
  {
    name: "esbuild --splitting",
    tool: "esbuild",
    programs: ["js"],
    build: [["esbuild", ...ENTRIES, ...ESBUILD, "--format=esm", "--splitting"]],
    output: "dist",
    isModule: true,
    run: ["main.js"],
    runtimes: ["node20", "node24"],
    how: "`--format=esm --splitting`, tasks as a second entry point",
  },
  {
    name: "esbuild --splitting --minify",
    tool: "esbuild",
    programs: ["js"],
    build: [["esbuild", ...ENTRIES, ...ESBUILD, "--format=esm", "--splitting", "--minify"]],
    output: "dist",
    isModule: true,
    run: ["main.js"],
    runtimes: ["node20"],
    how: "the same; names as third arguments",
  },
  {
    name: "esbuild --minify",
    tool: "esbuild",
    programs: ["js"],
    build: [["esbuild", "main-of.js", "tasks.js", ...ESBUILD, "--format=esm", "--minify"]],
    output: "dist",
    isModule: true,
    run: ["main-of.js"],
    runtimes: ["node20"],
    how: "tasks as a second entry point, and `tasksOf`",
  },
  {
    name: "esbuild, CommonJS",
    tool: "esbuild",
    programs: ["js"],
    build: [["node", "commonjs.mjs"]],
    output: "dist",
    run: ["main-of.js"],
    runtimes: ["node20"],
    how: "the same, and `define` a variable for `import.meta.url` (`fixtures/esbuild/commonjs.mjs`)",
  },
  {
    name: "esbuild, one file",
    tool: "esbuild",
    programs: ["js"],
    build: [["esbuild", "main.js", ...ESBUILD, "--format=esm"]],
    output: "dist",
    isModule: true,
    run: ["main.js"],
    runtimes: ["node20"],
    limit: IN_ENTRY,
    how: "nothing",
  },
  {
    name: "webpack",
    tool: "webpack",
    programs: ["js"],
    build: [["webpack"]],
    output: "dist",
    isModule: true,
    run: ["main.js"],
    runtimes: ["node20"],
    how: "`fixtures/webpack/webpack.config.mjs`: an ES module for each entry point, and `tasksOf`",
  },
  {
    name: "webpack, one file",
    tool: "webpack",
    programs: ["js"],
    build: [["webpack", "--config", "default.config.mjs"]],
    output: "dist",
    run: ["main.js"],
    runtimes: ["node20"],
    limit: {
      kinds: ["module", "fork/join"],
      error: /could not be loaded: file:.*tasks\.js/,
      reason:
        "webpack puts the path of the source in the place of `import.meta.url`, and that file is not there any more",
      instead: "settings as in `fixtures/webpack/webpack.config.mjs`",
    },
    how: "nothing",
  },
  {
    name: "rollup",
    tool: "rollup",
    programs: ["js"],
    build: [["rollup", "-c", "--silent"]],
    output: "dist",
    isModule: true,
    run: ["main.js"],
    runtimes: ["node20"],
    how: "`@rollup/plugin-node-resolve` and `@rollup/plugin-commonjs`, tasks as a second input",
  },
  {
    name: "rolldown --minify",
    tool: "rolldown",
    programs: ["js"],
    build: [["rolldown", ...ENTRIES, "--platform", "node", "--dir", "dist", "--minify"]],
    output: "dist",
    isModule: true,
    run: ["main.js"],
    runtimes: ["node20"],
    how: '`platform: "node"`, tasks as a second input',
  },
  {
    name: "vite build --ssr",
    tool: "vite",
    programs: ["js"],
    build: [["vite", "build", "--logLevel", "warn"]],
    output: "dist",
    isModule: true,
    run: ["main.js"],
    runtimes: ["node20"],
    how: "`build.ssr`, `ssr.noExternal: true`, tasks as a second input",
  },
  {
    name: "tsup",
    tool: "tsup",
    programs: ["ts"],
    build: [["tsup"]],
    output: "dist",
    isModule: true,
    run: ["main.js"],
    runtimes: ["node20"],
    how: '`format: "esm"`, `noExternal: ["corepool"]`, tasks as a second entry',
  },
  {
    name: "bun build",
    tool: "bun",
    programs: ["ts"],
    build: [["bun", "build", "main.ts", "tasks.ts", "--target=node", "--splitting", "--minify", "--outdir=dist"]],
    output: "dist",
    isModule: true,
    run: ["main.js"],
    runtimes: ["node20", "bun"],
    how: "`--splitting`, tasks as a second entry point",
  },
  {
    name: "bun build --compile",
    tool: "bun",
    programs: ["ts"],
    build: [["bun", "build", "main.ts", "tasks.ts", "--compile", "--splitting", "--outfile=dist/program"]],
    output: "dist",
    executable: "program",
    run: [],
    runtimes: ["bun"],
    how: "the same",
  },
  {
    name: "Next",
    tool: "next",
    isCommonJs: true,
    programs: ["server"],
    build: [["next", "build"]],
    output: ".next/standalone",
    run: ["serve.mjs", "server.js", "/run"],
    env: { NEXT_TELEMETRY_DISABLED: "1" },
    runtimes: ["node20"],
    how: '`serverExternalPackages: ["corepool"]`, and tasks in a file that is traced and not bundled, by `tasksOf` (`fixtures/next`)',
  },
  {
    name: "Next, tasks in the bundle",
    tool: "next",
    isCommonJs: true,
    programs: ["server"],
    build: [["next", "build"]],
    output: ".next/standalone",
    run: ["serve.mjs", "server.js", "/run?bundled"],
    env: { NEXT_TELEMETRY_DISABLED: "1" },
    runtimes: ["node20"],
    limit: {
      kinds: ["module", "fork/join"],
      error: /could not be loaded: file:.*bundled-tasks\.js/,
      reason:
        "the bundler of Next makes no files for other entry points, and `import.meta.url` names a file that is not there",
      instead: "keep tasks in a file that is not bundled",
    },
    how: "nothing",
  },
  {
    name: "Next, corepool in the bundle",
    tool: "next",
    isCommonJs: true,
    programs: ["server"],
    build: [["next", "build"]],
    output: ".next/standalone",
    run: ["serve.mjs", "server.js", "/run"],
    env: { NEXT_TELEMETRY_DISABLED: "1", EXTERNAL: "no" },
    runtimes: ["node20"],
    limit: {
      kinds: ["module", "fork/join"],
      error: /Cannot find package 'corepool' imported from/,
      reason: "a file that is not bundled finds no corepool then",
      instead: "`serverExternalPackages`, or tasks that import nothing of corepool",
    },
    how: "no `serverExternalPackages`",
  },
  {
    name: "Nitro",
    tool: "nitro",
    isCommonJs: true,
    programs: ["server"],
    build: [["nitropack", "build"]],
    output: ".output/server",
    run: ["serve.mjs", "index.mjs", "/run"],
    runtimes: ["node20"],
    how: "a hook that makes the tasks an entry point (`fixtures/nitro/nitro.config.ts`), and `tasksOf`",
  },
  {
    name: "Nitro, tasks in a route",
    tool: "nitro",
    isCommonJs: true,
    programs: ["server"],
    build: [["nitropack", "build"]],
    output: ".output/server",
    run: ["serve.mjs", "index.mjs", "/bundled"],
    runtimes: ["node20"],
    how: "the same, and `task`",
  },
]

/** By themselves these fail a test after five seconds, which on a busy machine is no time for threads that load a compiler. */
const UNHURRIED = "--testTimeout=600000"
const VITEST = ["node_modules/vitest/vitest.mjs", "run", UNHURRIED, "--pool"]
const JEST = ["node_modules/jest/bin/jest.js", UNHURRIED]
const BOTH: readonly RuntimeName[] = ["node20", "node24"]

export const RUNNERS: readonly Case[] = [
  {
    name: "tsx",
    tool: "tsx",
    programs: ["ts"],
    run: ["node_modules/tsx/dist/cli.mjs", "main.ts"],
    runtimes: BOTH,
    how: "`tsx main.ts`",
  },
  {
    name: "node --import tsx",
    tool: "tsx",
    programs: ["ts"],
    run: ["--import", "tsx", "main.ts"],
    runtimes: BOTH,
    how: "`node --import tsx main.ts`, or by `NODE_OPTIONS`",
  },
  {
    name: "ts-node",
    tool: "ts-node",
    programs: ["cjs"],
    isCommonJs: true,
    run: ["node_modules/ts-node/dist/bin.js", "--transpileOnly", "main.ts"],
    runtimes: BOTH,
    how: "`ts-node main.ts` in CommonJS, with `task(__filename, …)`",
  },
  {
    name: "ts-node/esm",
    tool: "ts-node",
    programs: ["ts"],
    run: ["--no-warnings", "--loader", "ts-node/esm/transpile-only", "main.ts"],
    runtimes: BOTH,
    how: "`node --loader ts-node/esm main.ts`",
  },
  {
    name: "node",
    tool: "plain",
    programs: ["stripped"],
    run: ["main.ts"],
    runtimes: ["node24"],
    how: "Node from 22.18 on: types that can be removed, imports by `./tasks.ts`",
  },
  {
    name: "bun",
    tool: "plain",
    programs: ["ts"],
    run: ["main.ts"],
    runtimes: ["bun"],
    how: "`bun main.ts`",
  },
  {
    name: "deno",
    tool: "plain",
    programs: ["stripped"],
    run: ["run", "--allow-all", "main.ts"],
    runtimes: ["deno"],
    how: "`deno run --allow-all main.ts`, imports by `./tasks.ts`",
  },
  {
    name: "node --test",
    tool: "plain",
    programs: ["js", "node-test"],
    run: ["--test", "--test-reporter=spec", "all.test.js"],
    runtimes: BOTH,
    how: "nothing; tasks not in the file of the tests",
  },
  {
    name: "Vitest, threads",
    tool: "vitest",
    programs: ["ts", "vitest"],
    run: [...VITEST, "threads"],
    runtimes: BOTH,
    how: "nothing; functions in place may `await import()`",
  },
  {
    name: "Vitest, forks",
    tool: "vitest",
    programs: ["ts", "vitest"],
    run: [...VITEST, "forks"],
    runtimes: BOTH,
    how: "nothing",
  },
  {
    name: "Jest, ES modules",
    tool: "jest",
    programs: ["js", "jest-esm"],
    run: ["--experimental-vm-modules", ...JEST],
    runtimes: BOTH,
    how: "`node --experimental-vm-modules node_modules/jest/bin/jest.js`, tests and tasks as ES modules",
  },
  {
    name: "Jest",
    tool: "jest",
    programs: ["jest-commonjs"],
    isCommonJs: true,
    run: JEST,
    runtimes: BOTH,
    how: "nothing; in CommonJS, `task(__filename, …)`",
  },
  {
    name: "Jest, ts-jest",
    tool: "ts-jest",
    programs: ["cjs", "ts-jest"],
    isCommonJs: true,
    run: JEST,
    runtimes: BOTH,
    how: '`preset: "ts-jest"`, and `task(__filename, …)`',
  },
]
