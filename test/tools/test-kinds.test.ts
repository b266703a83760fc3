import assert from "node:assert/strict"
import test from "node:test"
import { kindOf } from "../../tools/test-kinds.ts"
import { repository } from "./fixture.ts"

const INNER = `import { Ring } from "#src/memory/structures/ring.js"\n`
const PUBLIC = `import { Executors } from "corepool"\n`

const FILES = {
  "test/public.test.ts": `${PUBLIC}import type { Ring } from "#src/memory/structures/ring.js"\nimport { help } from "./support/public.ts"\n`,
  "test/inner.test.ts": INNER,
  "test/atomics.test.ts": `import { load } from "#atomics"\n`,
  "test/by-helper.test.ts": `${PUBLIC}import { help } from "./support/helper.ts"\n`,
  "test/by-thread.test.ts": `${PUBLIC}new Worker(new URL("support/thread.js", import.meta.url))\n`,
  "test/by-program.test.ts": `${PUBLIC}runProgram(\`\n  import { Ring } from "#src/memory/structures/ring.js"\`)\n`,
  "test/ring.model.test.ts": INNER,
  "test/support/public.ts": `/** May import "#src/…". */\n// "#src/a.js"\n${PUBLIC}import "./circle.ts"\n`,
  "test/support/circle.ts": `import "./public.ts"\n`,
  "test/support/helper.ts": `export * from "./deep/inner.ts"\n`,
  "test/support/deep/inner.ts": INNER,
  "test/support/thread.ts": INNER,
}

test("[RP38] what a test runs on follows from what it, and the files it uses, import", (t) => {
  const root = repository(t, FILES)
  const tests = Object.keys(FILES).filter((path) => path.endsWith(".test.ts"))
  assert.deepEqual(Object.fromEntries(tests.map((path) => [path, kindOf(root, path)])), {
    "test/public.test.ts": "shipped",
    "test/inner.test.ts": "modules",
    "test/atomics.test.ts": "modules",
    "test/by-helper.test.ts": "modules",
    "test/by-thread.test.ts": "modules",
    "test/by-program.test.ts": "modules",
    "test/ring.model.test.ts": "model",
  })
})
