/**
 * Programs in TypeScript that use the package, as CommonJS modules and as ES modules, under the settings that compilers are given for
 * that: [RP48] in docs/spec/repository.md. Each is compiled, in full, and run.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { messagesOf } from "./compiler.ts"
import type { Finding } from "./finding.ts"
import { binOf, HOME, runNode, saidBy } from "./run.ts"

/** From the name of a file to its text. One is `main.ts`. */
export type Program = Readonly<Record<string, string>>

/** What a user does with corepool. `SELF` is how a module names itself. */
export const PROGRAM: Program = {
  "tasks.ts": `
    import { task } from "corepool"
    export const add = task(SELF, function add(a: number, b: number): number {
      return a + b
    })
  `,
  "main.ts": `
    import { Executors, type Future, ThreadPoolExecutor } from "corepool"
    import { ReentrantLock } from "corepool/lock"
    import { add } from "./tasks.js"

    class Counting extends ThreadPoolExecutor {
      count = 0
      protected override afterExecute(): void {
        this.count++
      }
    }

    async function main(): Promise<void> {
      const pool = Executors.newFixedThreadPool(1)
      const sum: Future<number> = pool.submit(add, 1, 2)
      const separator = await pool.submit(async (count: number) => (await import("node:path")).posix.sep.repeat(count), 2)
      const own = new Counting({ corePoolSize: 1, maximumPoolSize: 1 })
      await own.submit((lock: ReentrantLock) => lock.isLocked, new ReentrantLock())
      console.log(await sum, separator, own.count, own instanceof ThreadPoolExecutor)
      await own.close()
      await pool.close()
    }
    void main()
  `,
}
export const PRINTS = "3 // 1 true\n"

interface Consumer {
  readonly type: "commonjs" | "module"
  readonly options: Readonly<Record<string, unknown>>
  /** With the compiler that attw brings, an older one: the newest knows no other way to find modules than that of `exports`. */
  readonly isOld?: boolean
}

const CONSUMERS: Readonly<Record<string, Consumer>> = {
  commonjs: { type: "commonjs", options: { module: "commonjs" } },
  node16: { type: "commonjs", options: { module: "node16" } },
  node20: { type: "commonjs", options: { module: "node20" } },
  nodenext: { type: "commonjs", options: { module: "nodenext" } },
  "node16-esm": { type: "module", options: { module: "node16" } },
  bundler: { type: "module", options: { module: "esnext", moduleResolution: "bundler" } },
  "old-node10": { type: "commonjs", options: { module: "commonjs", moduleResolution: "node10" }, isOld: true },
  "old-node16": { type: "commonjs", options: { module: "node16" }, isOld: true },
}

/** `folder` has the package in its node_modules. */
export async function checkConsumers(
  folder: string,
  program = PROGRAM,
  prints = PRINTS,
  names = Object.keys(CONSUMERS),
): Promise<Finding[]> {
  const all = Object.entries(CONSUMERS)
    .filter(([name]) => names.includes(name))
    .map(([name, consumer]) => check(join(folder, name), name, consumer, program, prints))
  return (await Promise.all(all)).flat()
}

async function check(
  folder: string,
  name: string,
  { type, options, isOld }: Consumer,
  program: Program,
  prints: string,
): Promise<Finding[]> {
  mkdirSync(folder, { recursive: true })
  const compilerOptions = {
    strict: true,
    target: "es2022",
    lib: ["es2022"],
    esModuleInterop: true,
    skipLibCheck: false,
    types: ["node"],
    typeRoots: [join(HOME, "node_modules/@types")],
    rootDir: ".",
    outDir: "out",
    ...options,
  }
  const self = type === "module" ? "import.meta.url" : "__filename"
  for (const [file, text] of Object.entries(program)) writeFileSync(join(folder, file), text.replaceAll("SELF", self))
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type }))
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: Object.keys(program) }))
  const compiler = isOld === true ? oldCompiler() : binOf("typescript", "tsc")
  const compiled = await runNode([compiler, "-p", ".", "--pretty", "false"], { cwd: folder })
  const findings = messagesOf(compiled, folder)
  if (findings.length > 0) {
    return findings.map(({ where, what }) => ({ where: `${name}/${where}`, what: `for a user with ${name}: ${what}` }))
  }
  const outcome = await runNode(["out/main.js"], { cwd: folder })
  return outcome.code === 0 && outcome.stdout === prints && outcome.stderr === ""
    ? []
    : [{ where: `${name}/main.ts`, what: `for a user with ${name}: ${saidBy(outcome)}` }]
}

function oldCompiler(): string {
  return createRequire(createRequire(binOf("@arethetypeswrong/cli", "attw")).resolve("@arethetypeswrong/core")).resolve(
    "typescript/lib/tsc.js",
  )
}
