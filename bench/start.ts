/**
 * `npm run bench -- start`: what a newcomer pays. corepool beside piscina, both installed as users have them: corepool is the tarball
 * that `npm pack` makes. Every sample is a process of its own, the contenders take turns, and the best of all rounds counts: what
 * disturbs a process only ever makes it slower.
 *
 * - import: from before `import()` until it is there, in ms, and what it adds to the memory of the process.
 * - first result: from before `import()` until the result of the first task of a module is there.
 * - memory per thread: what a pool of 8 threads that have each run such a task adds, after a pool of one has.
 */
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const HOME = fileURLToPath(new URL("../..", import.meta.url))
const ROUNDS = 7
const THREADS = 8
const MB = 1e6
const KB = 1024

const NAMES = ["corepool", "piscina"] as const
type Name = (typeof NAMES)[number]

/** What a process prints, by measure. */
type Sample = Readonly<Record<string, number>>

const BEGIN = `const rss = process.memoryUsage.rss(), begin = performance.now();`
/** A process that has settled: with no timers of its own, and after what others do in it at first. */
const SETTLED = `const settled = async () => { await new Promise((resolve) => setTimeout(resolve, 300)); return process.memoryUsage.rss() };`

const PROGRAMS: Readonly<Record<Name, Readonly<Record<string, string>>>> = {
  corepool: {
    "tasks.mjs": `import { task } from "corepool"; export const add = task(import.meta.url, function add(a, b) { return a + b })`,
    "import.mjs": `${BEGIN} await import("corepool"); print({ import: performance.now() - begin, memory: process.memoryUsage.rss() - rss })`,
    "first.mjs": `${BEGIN} const { Executors } = await import("corepool"); const { add } = await import("./tasks.mjs");
      const pool = Executors.newFixedThreadPool(1); await pool.submit(add, 1, 2); print({ first: performance.now() - begin }); process.exit()`,
    "threads.mjs": `${SETTLED} const { Executors } = await import("corepool"); const { add } = await import("./tasks.mjs");
      const run = (threads) => Promise.all(Array.from({ length: threads * 8 }, () => pools.at(-1).submit(add, 1, 2)));
      const pools = [Executors.newFixedThreadPool(1)]; await run(1); const before = await settled();
      pools.push(Executors.newFixedThreadPool(${THREADS})); await run(${THREADS}); print({ thread: ((await settled()) - before) / ${THREADS} }); process.exit()`,
  },
  piscina: {
    "tasks.mjs": `export default ({ a, b }) => a + b`,
    "import.mjs": `${BEGIN} await import("piscina"); print({ import: performance.now() - begin, memory: process.memoryUsage.rss() - rss })`,
    "first.mjs": `${BEGIN} const { Piscina } = await import("piscina"); const filename = new URL("./tasks.mjs", import.meta.url).href;
      const pool = new Piscina({ filename, minThreads: 1, maxThreads: 1 }); await pool.run({ a: 1, b: 2 }); print({ first: performance.now() - begin }); process.exit()`,
    "threads.mjs": `${SETTLED} const { Piscina } = await import("piscina"); const filename = new URL("./tasks.mjs", import.meta.url).href;
      const make = async (threads) => { const pool = new Piscina({ filename, minThreads: threads, maxThreads: threads });
        await Promise.all(Array.from({ length: threads * 8 }, () => pool.run({ a: 1, b: 2 }))) };
      await make(1); const before = await settled(); await make(${THREADS}); print({ thread: ((await settled()) - before) / ${THREADS} }); process.exit()`,
  },
}

const PRINT = `const print = (sample) => console.log(JSON.stringify(sample));\n`

interface Target {
  readonly what: string
  readonly measure: string
  readonly unit: "ms" | "MB"
  /** At most so many times what piscina takes, or so much. */
  readonly ratio?: number
  readonly most?: number
}

const TARGETS: readonly Target[] = [
  { what: "import, cold", measure: "import", unit: "ms", ratio: 1.5 },
  { what: "memory of the import", measure: "memory", unit: "MB", most: 10 },
  { what: "first result of a task", measure: "first", unit: "ms", ratio: 1.2 },
  { what: "memory per thread", measure: "thread", unit: "MB", most: 12 },
]

/** The package as it is published, installed in a folder, and piscina too; what `npm pack` says of it. */
function install(folder: string): { size: number; unpackedSize: number; entryCount: number } {
  const npm = (...args: string[]): string =>
    execFileSync("npm", args, { cwd: HOME, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
  const [packed] = JSON.parse(npm("pack", "--json", "--ignore-scripts", `--pack-destination=${folder}`)) as [
    { filename: string; unpackedSize: number; entryCount: number },
  ]
  const modules = join(folder, "node_modules")
  mkdirSync(modules)
  execFileSync("tar", ["-xzf", join(folder, packed.filename), "-C", modules])
  cpSync(join(modules, "package"), join(modules, "corepool"), { recursive: true })
  cpSync(join(HOME, "bench/node_modules"), modules, { recursive: true })
  return { ...packed, size: statSync(join(folder, packed.filename)).size }
}

function sample(folder: string): Sample {
  const samples = ["import.mjs", "first.mjs", "threads.mjs"].map((program) => {
    const printed = execFileSync(process.execPath, [join(folder, program)], { encoding: "utf8", timeout: 120_000 })
    return JSON.parse(printed) as Sample
  })
  return Object.assign({}, ...samples) as Sample
}

export function runStart(quick: boolean): void {
  const folder = mkdtempSync(join(tmpdir(), "corepool-start-"))
  try {
    const { size, unpackedSize, entryCount } = install(folder)
    const samples: Record<Name, Sample[]> = { corepool: [], piscina: [] }
    for (const name of NAMES) {
      mkdirSync(join(folder, name))
      for (const [file, text] of Object.entries(PROGRAMS[name])) {
        writeFileSync(join(folder, name, file), file === "tasks.mjs" ? text : PRINT + text)
      }
    }
    for (let round = 0; round < (quick ? 2 : ROUNDS); round++) {
      for (const name of NAMES) samples[name].push(sample(join(folder, name)))
    }
    print(samples)
    printRow("tarball", `${(size / KB).toFixed(0)} KB`, "", "", "≤ 400 KB", size <= 400 * KB)
    printRow("unpacked", `${(unpackedSize / KB).toFixed(0)} KB`, "", "", "≤ 2048 KB", unpackedSize <= 2048 * KB)
    printRow("files", `${entryCount}`, "", "", "≤ 80", entryCount <= 80)
    console.log("")
    console.log(JSON.stringify({ contest: "start", node: process.version, samples, size, unpackedSize, entryCount }))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function print(samples: Readonly<Record<Name, readonly Sample[]>>): void {
  console.log(`\n## start: best of ${samples.corepool.length} fresh processes each, node ${process.version}\n`)
  console.log("| what | corepool | piscina | ratio | target | |\n|---|---|---|---|---|---|")
  for (const { what, measure, unit, ratio, most } of TARGETS) {
    const [own = NaN, rival = NaN] = NAMES.map((name) => {
      const values = samples[name].map((taken) => taken[measure] ?? NaN)
      return Math.min(...values) / (unit === "MB" ? MB : 1)
    })
    const target = ratio === undefined ? `≤ ${most} MB` : `≤ ${ratio}×`
    const isMet = ratio === undefined ? own <= (most ?? NaN) : own <= ratio * rival
    const show = (value: number): string => `${value.toFixed(1)} ${unit}`
    printRow(what, show(own), show(rival), `${(own / rival).toFixed(2)}×`, target, isMet)
  }
}

function printRow(what: string, own: string, rival: string, ratio: string, target: string, isMet: boolean): void {
  console.log(`| ${what} | ${own} | ${rival} | ${ratio} | ${target} | ${isMet ? "met" : "missed"} |`)
}
