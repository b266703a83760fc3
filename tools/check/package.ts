/**
 * The package as a user gets it: [RP20] to [RP23], [RP36] and [RP37] in docs/spec/repository.md. It is packed once, and everything here
 * looks at the tarball or at its unpacked files, never at the working folder: a file that is not published
 * must be missing here too.
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { checkBundleBudgets, checkPackageBudget, sizeOf } from "./budget.ts"
import { compile } from "./compiler.ts"
import { checkConsumers } from "./consumers.ts"
import type { Finding } from "./finding.ts"
import { HOME, run, runNode, runTool, saidBy } from "./run.ts"

const FOLDER = "build/package"
const WHERE = "package.json"

interface Packed {
  /** The working folder of this check; the consumer programs stand in it, and the package in its node_modules. */
  readonly folder: string
  readonly name: string
  readonly tarball: string
  /** Paths inside the package. */
  readonly files: readonly string[]
  /** The unpacked package. */
  readonly installed: string
  /** What can be imported as code: `corepool`, `corepool/queue`. */
  readonly entries: readonly string[]
  /** The same as in its `exports`: `.`, `./queue`. */
  readonly paths: readonly string[]
}

export async function checkPackage(root: string): Promise<Finding[]> {
  const packed = await pack(root)
  if (!("tarball" in packed)) return [packed]
  const { folder, name, tarball, files, installed, paths } = packed
  const unpacked = files.reduce((sum, file) => sum + sizeOf(join(installed, file)), 0)
  const findings = [
    checkContents(packed),
    checkPackageBudget({ tarball: sizeOf(tarball), unpacked, files: files.length }),
    await lintManifest(packed),
    await resolveTypes(packed),
  ].flat()
  // A consumer of a package with broken entries would only tell the same again, at length.
  if (findings.length > 0) return findings
  return [
    ...(await checkBundleBudgets(folder, name, paths)),
    ...(await compileConsumers(packed)),
    ...(await loadEntries(packed)),
    ...(name === "corepool" ? await checkConsumers(folder) : []),
  ]
}

async function pack(root: string): Promise<Packed | Finding> {
  const folder = join(root, FOLDER)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  // A package of its own: `build` is one that has the name of the package, and an import in it would lead to the modules there.
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }))
  const args = ["pack", "--json", "--ignore-scripts", "--offline", "--loglevel=error", `--pack-destination=${folder}`]
  const outcome = await run("npm", args, { cwd: root })
  if (outcome.code !== 0) return { where: WHERE, what: `npm pack: ${saidBy(outcome)}` }
  const [report] = JSON.parse(outcome.stdout) as [{ filename: string; name: string; files: { path: string }[] }]

  const installed = join(folder, "node_modules", report.name)
  const files = report.files.map((file) => file.path)
  for (const file of files) {
    mkdirSync(dirname(join(installed, file)), { recursive: true })
    copyFileSync(join(root, file), join(installed, file))
  }
  const { exports = {} } = readJson(join(installed, "package.json")) as { exports?: Record<string, unknown> }
  const paths = Object.keys(exports).filter((path) => !path.endsWith(".json"))
  const entries = paths.map((path) => posix.join(report.name, path))
  return { folder, name: report.name, tarball: join(folder, report.filename), files, installed, entries, paths }
}

/** An import, of types too, that leads neither to a file beside nor to a module of the runtime. */
const PACKAGE_IN_TYPES = /(?:\bfrom |\bimport\()"(?!\.|node:)([^"]+)"/g
/** An export whose name in the file has a number, which the bundler gives to one of two that have the same name. */
const RENAMED = /([\w$]+\$\d+) as (\w+)/g
const COMMENT = /\/\*[^]*?\*\/|\/\/.*/g

/** Nothing but the program, and nothing missing that its maps and types refer to. [RP20] [RP56] [RP124] */
function checkContents({ files, installed }: Packed): Finding[] {
  const published = new Set(files)
  const findings: Finding[] = []
  for (const where of files) {
    if (/(?:^|\/)(?:test|tools|node_modules)\/|\.tsbuildinfo$|tsconfig.*\.json$/.test(where)) {
      findings.push({ where, what: "is published, but of no use to a user" })
    }
    if (/\.d\.[cm]?ts$/.test(where)) {
      const code = readFileSync(join(installed, where), "utf8").replaceAll(COMMENT, "")
      for (const [, peer] of code.matchAll(PACKAGE_IN_TYPES)) {
        findings.push({ where, what: `names the package ${peer}, which a user need not have` })
      }
      for (const [, inside, outside] of posix.basename(where).startsWith("index.") ? code.matchAll(RENAMED) : []) {
        findings.push({ where, what: `exports ${outside}, which editors show as ${inside}` })
      }
    }
    if (!where.endsWith(".map")) continue
    for (const source of (readJson(join(installed, where)) as { sources: string[] }).sources) {
      const path = posix.join(posix.dirname(where), source)
      if (published.has(path)) continue
      findings.push({
        where,
        what: `leads to ${path}, which is not published (or is ${where} left from an older build?)`,
      })
    }
  }
  return findings
}

/** [RP21] */
async function lintManifest({ installed }: Packed): Promise<Finding[]> {
  const { messages, pkg } = await publint({ pkgDir: installed, pack: false, strict: true })
  return messages.map((message) => ({
    where: WHERE,
    what: `publint: ${formatMessage(message, pkg, { color: false }) ?? message.code}`,
    warning: message.type === "suggestion",
  }))
}

/** [RP21] */
async function resolveTypes({ folder, tarball, installed }: Packed): Promise<Finding[]> {
  // A package with a `main` is meant for older compilers and for CommonJS too.
  const profile = "main" in (readJson(join(installed, "package.json")) as object) ? "strict" : "esm-only"
  const args = [tarball, "--profile", profile, "--format", "ascii", "--no-emoji", "--no-summary"]
  const outcome = await runTool("@arethetypeswrong/cli", args, { cwd: folder }, "attw")
  return outcome.code === 0 ? [] : [{ where: WHERE, what: `attw: ${saidBy(outcome)}` }]
}

/** The kinds of users whose compiler reads all of our declarations. */
const CONSUMERS = {
  "node-es2022": { lib: ["es2022"], types: ["node"], module: "nodenext" },
  "dom-es2022": { lib: ["es2022", "dom"], types: [], module: "esnext", moduleResolution: "bundler" },
}

/** [RP22] */
async function compileConsumers({ folder, entries }: Packed): Promise<Finding[]> {
  const imports = entries.map((entry, index) => `export * as entry${index} from ${JSON.stringify(entry)}\n`)
  writeFileSync(join(folder, "consumer.ts"), imports.join(""))
  const findings: Finding[] = []
  for (const [name, consumer] of Object.entries(CONSUMERS)) {
    const typeRoots = [join(HOME, "node_modules/@types")]
    const compilerOptions = {
      strict: true,
      noEmit: true,
      target: "es2022",
      skipLibCheck: false,
      typeRoots,
      ...consumer,
    }
    writeFileSync(join(folder, `${name}.json`), JSON.stringify({ compilerOptions, files: ["consumer.ts"] }))
    for (const { where, what } of await compile(folder, ["-p", `${name}.json`])) {
      findings.push({ where: `${FOLDER}/${where}`, what: `for a user with ${name}: ${what}` })
    }
  }
  return findings
}

/** [RP23] */
async function loadEntries({ folder, entries }: Packed): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const entry of entries) {
    const name = JSON.stringify(entry)
    const script = `const names = Object.keys(require(${name})); import(${name}).then((module) => {
      for (const name of names) if (!(name in module)) throw new Error(name + " is only there for require()")
    })`
    const outcome = await runNode(["--input-type=commonjs", "--no-warnings", "-e", script], { cwd: folder })
    if (outcome.code !== 0) findings.push({ where: WHERE, what: `${entry} does not load: ${saidBy(outcome)}` })
  }
  return findings
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"))
}
