import assert from "node:assert/strict"
import test from "node:test"
import { Declarations } from "../../tools/api/declarations.ts"
import { undocumented, withoutExample } from "../../tools/api/documentation.ts"
import { apiReport, REPORT } from "../../tools/api/report.ts"
import { checkApiReport, checkDocumentation } from "../../tools/check/documentation.ts"
import { readText } from "../../tools/check/files.ts"
import { checkSnippets } from "../../tools/check/snippets.ts"
import { repository, repositoryWithPackages, ROOT, told } from "./fixture.ts"

const TYPES = `
interface Base {
  /** Documented here. */
  run(): void;
  stop(): void;
}
/** A pool. */
declare class Pool$1 implements Base {
  #private;
  /** @internal */
  hidden: Inside;
  private secret;
  private constructor();
  run(): void;
  stop(): void;
  /** One. */
  get size(): number;
  set size(n: number);
}
interface Inside {
  word: number;
}
/** The class. */
declare const Pool: typeof Pool$1;
type Pool = Pool$1;
declare class Semaphore {
  constructor();
  /** Takes some. */
  take(): boolean;
  take(n: number, wait: Limit): boolean;
}
type Limit = number | {
  signal: AbortSignal;
};
/** For now. */
declare function start(): Pool;
declare function start(n: number): Pool;
export { Limit as a, Pool as b, Semaphore as c, start as d };
`

const FILES = {
  "dist/types.d.cts": TYPES,
  "dist/index.d.cts": `import { a as Limit, b as Pool, c as Semaphore, d as start } from "./types.cjs";\nexport { Limit, Pool, Semaphore, start };\n`,
  "dist/virtual.d.cts": `export { b as Pool, d as begin } from "./types.cjs";\n`,
}

test("[RP63] exports, members and signatures without a comment are found; what is inherited, internal or private needs none", (t) => {
  const names = undocumented(new Declarations(repository(t, FILES))).map(({ name }) => name)
  assert.deepEqual(names, ["Base.stop", "Pool$1.stop", "Semaphore", "Semaphore.take", "Limit", "Limit.signal", "start"])
})

test("[RP65] a class that should have an example and has none is found", (t) => {
  const files = {
    "src/a.ts": "/**\n * One.\n *\n * @example\n * ```ts\n * ```\n */\nexport class Semaphore {}\n",
    "src/b.ts": "/**\n * @example\n */\nconst a = 1\n/** Another. */\nexport abstract class Phaser {}\n",
  }
  const missing = withoutExample(repository(t, files))
  assert.ok(missing.includes("Phaser"))
  assert.ok(!missing.includes("Semaphore"))
})

test("[RP63][RP65] everything that corepool exports is documented", () => {
  assert.deepEqual(told(checkDocumentation(ROOT)), [])
})

test("[RP66] the report has all public signatures, classes by their public names, each once", async (t) => {
  const report = await apiReport(repository(t, FILES))
  assert.match(
    report,
    /export declare class Pool implements Base \{\n {2}private constructor\(\);?\n {2}run\(\): void;?\n/,
  )
  assert.match(report, /## corepool\/virtual\n\nThe same as above: `Pool`, `start as begin`\.\n/)
  assert.match(report, /## Not exported\n\n.*\n\n```ts\ninterface Base \{/)
  assert.doesNotMatch(report, /\$1|hidden|secret|Inside|\/\*\*|#private/)
  assert.equal(report, await apiReport(repository(t, FILES)), "the same types give the same report")
})

test("[RP66] a report that is missing or says something else is found", async (t) => {
  const outdated = [`${REPORT} is out of date: \`npm run api\` writes it. Look at what has changed`]
  assert.deepEqual(told(await checkApiReport(repository(t, FILES))), outdated)
  assert.deepEqual(told(await checkApiReport(repository(t, { ...FILES, [REPORT]: "# API report\n" }))), outdated)
  const right = await apiReport(repository(t, FILES))
  assert.deepEqual(told(await checkApiReport(repository(t, { ...FILES, [REPORT]: right }))), [])
  assert.match(readText(ROOT, REPORT), /^export declare class ThreadPoolExecutor /m)
})

test("[RP64] an example in a comment that does not compile, fails, or prints something else is found", async (t) => {
  const comment = (...code: string[]): string =>
    ["/**", " * It.", " *", " * @example", " * ```ts", ...code.map((line) => ` * ${line}`), " * ```", " */", ""].join(
      "\n",
    )
  const files = (...code: string[]): Record<string, string> => ({
    "package.json": `{ "type": "module" }`,
    "src/a.ts": `export const a = 1\n\n${comment(...code)}export const b = 2\n`,
  })
  const found = async (...code: string[]): Promise<string[]> =>
    told(await checkSnippets(repositoryWithPackages(t, files(...code))))

  assert.deepEqual(await found("console.log(6 * 7) // => 42"), [])
  assert.deepEqual(await found("console.log(1)", "", "console.log(2)", "// => 1", "// => 2"), [])
  assert.deepEqual(await found("throw new Error('is not run')"), [])
  assert.deepEqual(await found("console.log(6 * 7) // => 54"), ["src/a.ts:7 printed\n42\ninstead of\n54"])
  assert.deepEqual(await found("", "const n: string = 1"), [
    "src/a.ts:9 line-7.ts: TS2322: Type 'number' is not assignable to type 'string'.",
  ])
  const [failed] = await found("console.log(1) // => 1", "throw new Error('oh')")
  assert.match(failed ?? "", /^src\/a\.ts:7 Error: oh\n/)
})
