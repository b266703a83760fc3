import assert from "node:assert/strict"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import test from "node:test"
import { writePictures, writeReport } from "../../bench/html-report.ts"
import type { BoutRecord, RunRecord } from "../../bench/results.ts"

function bout(title: string, samples: Readonly<Record<string, readonly number[]>>, median: number): BoutRecord {
  const [ours = "", rival = ""] = Object.keys(samples)
  return { title, n: 1000, samples, ratios: [{ ours, rival, target: 2, median, min: median, max: median }] }
}

const RUN: RunRecord = {
  node: "v20.20.2",
  platform: "linux-x64",
  cores: 2,
  model: "Some processor",
  rounds: 7,
  rivals: { piscina: "5.3.2" },
  quick: false,
  contests: [
    {
      name: "platform-burst",
      unit: "ms",
      bouts: [bout("tiny tasks", { "submit(<a>)": [10, 12, 11], piscina: [100, 120, 110] }, 10)],
    },
    {
      name: "platform-latency",
      unit: "ms",
      bouts: [
        bout("tasks: p50 of the time", { corepool: [1], piscina: [1.5] }, 1.5),
        bout("tasks: p99 of the time", { corepool: [2], piscina: [3] }, 1.5),
      ],
    },
  ],
  counts: [{ name: "platform-busy", title: "finished", n: 10, samples: { corepool: [10], piscina: [0] } }],
}

test("[RP78] the report is one page with charts, ratios, losses and the machine, and two pictures", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "corepool-report-"))
  t.after(() => rmSync(folder, { recursive: true }))
  const paths = writeReport(folder, RUN)
  assert.deepEqual(
    paths.map((path) => path.slice(folder.length + 1)),
    ["report.html", "burst.svg", "latency.svg"],
  )
  const [page = "", burst = "", latency = ""] = paths.map((path) => readFileSync(path, "utf8"))
  assert.match(page, /Node v20\.20\.2, linux-x64, 2 cores \(Some processor\)\. piscina 5\.3\.2\./)
  assert.match(page, /submit\(&lt;a&gt;\)/)
  assert.doesNotMatch(page, /<a>|<script|src=|href=|url\(/)
  assert.equal(page.match(/<svg/g)?.length, 5)
  assert.match(page, /platform-latency: tasks: p99 of the time: corepool against piscina: 1\.5×, wanted ≥ 2×/)
  assert.doesNotMatch(page, /<li>platform-burst/)
  assert.match(burst, /corepool: submit\(&lt;a&gt;\)/)
  // 1,000 tasks in 11 ms.
  assert.match(burst, />90\.9 </)
  assert.match(latency, />p50<[^]*>p99</)
  const caption = "Node v20.20.2, linux-x64, 2 cores (Some processor); median of 7 rounds; npm run bench -- platform-"
  assert.ok(burst.includes(`>${caption}burst<`) && latency.includes(`>${caption}latency<`))
})

test("[RP78] the pictures of the README have names and colours of their own, and load nothing", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "corepool-report-"))
  t.after(() => rmSync(folder, { recursive: true }))
  const paths = writePictures(folder, RUN)
  assert.deepEqual(paths, [join(folder, "bench-burst.svg"), join(folder, "bench-latency.svg")])
  for (const path of paths) {
    const text = readFileSync(path, "utf8")
    assert.match(text, /^<svg [^]*prefers-color-scheme: dark[^]*class="paper"/)
    assert.doesNotMatch(text, /<script|href=|url\(/)
  }
})

test("[RP78] a run without these contests has a page and no pictures", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "corepool-report-"))
  t.after(() => rmSync(folder, { recursive: true }))
  const paths = writeReport(join(folder, "new"), { ...RUN, contests: [], counts: [] })
  assert.deepEqual(paths, [join(folder, "new", "report.html")])
  assert.match(readFileSync(paths[0] ?? "", "utf8"), /<p>Nowhere\.<\/p>/)
})
